import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { LeaseObserver } from '../../../src/observe/foreign-leader.ts';

const TODAY = new Date('2026-08-01T10:00:00Z');
const HELD = { holderIdentity: 'virt-operator-1', leaseDurationSeconds: 15, renewTime: '2026-08-01T09:59:46.000000Z' };
const HOLDS = 'virt-operator-1 holds the Lease virt-operator';

const lease = (spec: JsonObject | undefined): KubernetesObject | undefined =>
  spec && { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'virt-operator' }, spec };

const ROWS: { name: string; spec: JsonObject | undefined; want: string | undefined }[] = [
  { name: 'no Lease', spec: undefined, want: undefined },
  { name: 'held', spec: HELD, want: HOLDS },
  {
    name: 'run out by a clock that may be behind ours',
    spec: { ...HELD, renewTime: '2026-08-01T09:55:00Z' },
    want: HOLDS,
  },
  {
    name: 'renewed by a clock that is ahead of ours',
    spec: { ...HELD, renewTime: '2026-08-01T10:05:00Z' },
    want: HOLDS,
  },
  { name: 'run out long ago', spec: { ...HELD, renewTime: '2026-08-01T09:49:00.000000Z' }, want: undefined },
  { name: 'given back', spec: { ...HELD, holderIdentity: '' }, want: undefined },
  { name: 'never renewed', spec: { holderIdentity: 'x' }, want: undefined },
];

for (const { name, spec, want } of ROWS) {
  test(`at first sight: ${name}`, () => {
    assert.equal(new LeaseObserver(() => 0).findLeader(lease(spec), TODAY), want);
  });
}

test('a Lease that is not renewed while it is watched runs out after its duration; a renewal starts it anew', () => {
  let now = 0;
  const observer = new LeaseObserver(() => now);
  const lookAt = (milliseconds: number, spec: JsonObject) => {
    now = milliseconds;
    return observer.findLeader(lease(spec), TODAY);
  };
  assert.equal(lookAt(1000, HELD), HOLDS);
  assert.equal(lookAt(15_999, HELD), HOLDS);
  assert.equal(lookAt(16_000, HELD), undefined);
  const renewed = { ...HELD, renewTime: '2026-08-01T09:59:48.000000Z' };
  assert.equal(lookAt(17_000, renewed), HOLDS);
  assert.equal(lookAt(32_000, renewed), undefined);
});

test('a Lease without a duration of its own lasts as long as those of upstream', () => {
  let now = 0;
  const observer = new LeaseObserver(() => now);
  const spec = { holderIdentity: 'virt-operator-1', renewTime: HELD.renewTime };
  assert.equal(observer.findLeader(lease(spec), TODAY), HOLDS);
  now = 15_000;
  assert.equal(observer.findLeader(lease(spec), TODAY), undefined);
});
