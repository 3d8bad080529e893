import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';

import type { Json } from '../../../src/api/objects.ts';
import { applyJsonPatch } from '../../../src/customize/json-patch.ts';

describe('applyJsonPatch', () => {
  const document = { a: { b: [1, 2, 3], 'x/y~z': 'slash' }, n: null };
  const rows: { name: string; patch: Json[]; want: Json }[] = [
    { name: 'add a member', patch: [{ op: 'add', path: '/c', value: 1 }], want: { ...document, c: 1 } },
    { name: 'add over a member', patch: [{ op: 'add', path: '/n', value: 1 }], want: { ...document, n: 1 } },
    {
      name: 'add at the end',
      patch: [{ op: 'add', path: '/a/b/-', value: 4 }],
      want: { ...document, a: { ...document.a, b: [1, 2, 3, 4] } },
    },
    {
      name: 'add into a list',
      patch: [{ op: 'add', path: '/a/b/0', value: 0 }],
      want: { ...document, a: { ...document.a, b: [0, 1, 2, 3] } },
    },
    {
      name: 'add behind the last',
      patch: [{ op: 'add', path: '/a/b/3', value: 4 }],
      want: { ...document, a: { ...document.a, b: [1, 2, 3, 4] } },
    },
    {
      name: 'escaped keys',
      patch: [{ op: 'replace', path: '/a/x~1y~0z', value: 1 }],
      want: { ...document, a: { b: [1, 2, 3], 'x/y~z': 1 } },
    },
    { name: 'remove a member', patch: [{ op: 'remove', path: '/a/b' }], want: { a: { 'x/y~z': 'slash' }, n: null } },
    {
      name: 'remove from a list',
      patch: [{ op: 'remove', path: '/a/b/1' }],
      want: { ...document, a: { ...document.a, b: [1, 3] } },
    },
    {
      name: 'negative indices count from the end',
      patch: [{ op: 'remove', path: '/a/b/-1' }],
      want: { ...document, a: { ...document.a, b: [1, 2] } },
    },
    {
      name: 'replace sets a missing member',
      patch: [{ op: 'replace', path: '/new', value: 1 }],
      want: { ...document, new: 1 },
    },
    {
      name: 'move',
      patch: [{ op: 'move', from: '/a/b/0', path: '/first' }],
      want: { a: { ...document.a, b: [2, 3] }, n: null, first: 1 },
    },
    {
      name: 'copy',
      patch: [
        { op: 'copy', from: '/a/b', path: '/c' },
        { op: 'remove', path: '/c/0' },
      ],
      want: { ...document, c: [2, 3] },
    },
    { name: 'test that holds', patch: [{ op: 'test', path: '/a/b', value: [1, 2, 3] }], want: document },
    {
      name: 'test takes a missing member for null',
      patch: [{ op: 'test', path: '/missing', value: null }],
      want: document,
    },
    {
      name: 'a member named __proto__ is a member',
      patch: [
        { op: 'add', path: '/__proto__', value: 1 },
        { op: 'remove', path: '/__proto__' },
      ],
      want: document,
    },
  ];
  for (const { name, patch, want } of rows) {
    test(name, () => {
      assert.deepEqual(applyJsonPatch(document, patch), want);
    });
  }

  const failing: { name: string; patch: unknown; want: RegExp }[] = [
    { name: 'no list', patch: {}, want: /list of operations/ },
    { name: 'an operation that is none', patch: [1], want: /operation 0: is not an object/ },
    { name: 'an unknown op', patch: [{ op: 'toString', path: '/a' }], want: /unknown op "toString"/ },
    { name: 'no path', patch: [{ op: 'add', value: 1 }], want: /has no path/ },
    { name: 'the root', patch: [{ op: 'replace', path: '', value: 1 }], want: /names no field/ },
    {
      name: 'remove of a missing member',
      patch: [{ op: 'remove', path: '/x' }],
      want: /operation 0: \/x does not exist/,
    },
    { name: 'remove of an inherited member', patch: [{ op: 'remove', path: '/toString' }], want: /does not exist/ },
    { name: 'remove of a missing element', patch: [{ op: 'remove', path: '/a/b/3' }], want: /no index 3/ },
    { name: 'a missing parent', patch: [{ op: 'add', path: '/x/y', value: 1 }], want: /\/x\/y does not exist/ },
    {
      name: 'a parent that is no container',
      patch: [{ op: 'add', path: '/n/y', value: 1 }],
      want: /\/n\/y does not exist/,
    },
    { name: 'an index beyond the end', patch: [{ op: 'add', path: '/a/b/4', value: 1 }], want: /no index 4/ },
    { name: 'an index that is no number', patch: [{ op: 'replace', path: '/a/b/x', value: 1 }], want: /no index x/ },
    {
      name: 'a test that does not hold',
      patch: [{ op: 'test', path: '/a/b/0', value: 2 }],
      want: /operation 0: test of \/a\/b\/0 failed/,
    },
    {
      name: 'the second of two',
      patch: [
        { op: 'add', path: '/c', value: 1 },
        { op: 'remove', path: '/x' },
      ],
      want: /operation 1/,
    },
  ];
  const textOf = (error: unknown): string =>
    error instanceof Error
      ? [error.message, error.cause === undefined ? [] : textOf(error.cause)].flat().join(': ')
      : '';
  for (const { name, patch, want } of failing) {
    test(`refuses ${name}`, () => {
      assert.throws(
        () => applyJsonPatch(document, patch),
        (error) => want.test(textOf(error)),
      );
    });
  }

  test('leaves the document and the patch alone', () => {
    const value = { list: [1] };
    const patch = [
      { op: 'add', path: '/v', value },
      { op: 'add', path: '/v/list/-', value: 2 },
    ];
    const patched = applyJsonPatch(document, patch);
    assert.deepEqual(document, { a: { b: [1, 2, 3], 'x/y~z': 'slash' }, n: null });
    assert.deepEqual(patched, { ...document, v: { list: [1, 2] } });
    assert.deepEqual(value, { list: [1] });
  });

  test('takes any document to any other by the patch of another implementation', () => {
    const json = fc.object({ maxDepth: 3, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });
    fc.assert(
      fc.property(json, json, (from, to) => {
        const patch = fastJsonPatch.compare(from, to);
        assert.deepEqual(applyJsonPatch(from as Json, patch), to);
      }),
      { numRuns: 200 },
    );
  });
});
