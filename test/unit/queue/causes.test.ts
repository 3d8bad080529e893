import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cause } from '../../../src/api/causes.ts';
import {
  highestVersions,
  isComparable,
  parseCauses,
  withoutOwnWrites,
  writeNameOf,
} from '../../../src/queue/causes.ts';

const NAMES: { name: string; cause: Cause; want: string | undefined }[] = [
  { name: 'a Secret', cause: { type: 'modified', kind: 'Secret', resourceVersion: '7', at: 0 }, want: 'Secret/7' },
  {
    name: 'a deleted Secret',
    cause: { type: 'deleted', kind: 'Secret', resourceVersion: '7', at: 0 },
    want: 'Secret/7',
  },
  {
    name: 'a Pod counts always',
    cause: { type: 'modified', kind: 'Pod', resourceVersion: '7', at: 0 },
    want: undefined,
  },
  { name: 'no version', cause: { type: 'modified', kind: 'Secret', at: 0 }, want: undefined },
  {
    name: 'one that stands for others too',
    cause: { type: 'modified', kind: 'Secret', resourceVersion: '7', note: 'and 2 more of this kind', at: 0 },
    want: undefined,
  },
  { name: 'a resync', cause: { type: 'resync', kind: 'Secret', resourceVersion: '7', at: 0 }, want: undefined },
  { name: 'a timer', cause: { type: 'timer', at: 0 }, want: undefined },
];

for (const { name, cause, want } of NAMES) {
  test(`the write that a cause may answer: ${name}`, () => {
    assert.equal(writeNameOf(cause), want);
  });
}

test('answers to own writes go, everything else stays in order', () => {
  const causes: Cause[] = [
    { type: 'modified', kind: 'Secret', resourceVersion: '7', at: 0 },
    { type: 'timer', at: 1 },
    { type: 'modified', kind: 'Secret', resourceVersion: '8', at: 2 },
    { type: 'modified', kind: 'Deployment', resourceVersion: '7', at: 3 },
  ];
  const left = withoutOwnWrites(causes, (name) => name.endsWith('/7'));
  assert.deepEqual(
    left.map(({ at }) => at),
    [1, 2, 3],
  );
});

test('the higher version of each kind', () => {
  const a = { Secret: '9', Pod: '100' } as const;
  assert.deepEqual(highestVersions(a, { Secret: '10', Pod: '99', Job: '1' }), { Secret: '10', Pod: '100', Job: '1' });
});

test('what cannot be read and what is not listed is said, not dropped', () => {
  const causes = parseCauses(['{"type":"timer","at":1}', 'nonsense'], 3, 9);
  assert.deepEqual(
    causes.map(({ type }) => type),
    ['resync', 'timer', 'requested'],
  );
});

for (const [version, want] of [
  ['1', true],
  ['98765432109876543210', true],
  ['0', false],
  ['012', false],
  ['', false],
  ['abc', false],
  [undefined, false],
] as const) {
  test(`can be compared: ${String(version)}`, () => {
    assert.equal(isComparable(version), want);
  });
}
