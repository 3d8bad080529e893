import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyPrefix } from '../../../src/queue/connection.ts';
import { parseEvictionPolicy } from '../../../src/queue/eviction-policy.ts';
import { buildKeys } from '../../../src/queue/keys.ts';

test('every key carries the cluster’s hash tag, so that they lie in one slot', () => {
  const keys = buildKeys(buildKeyPrefix('u-1'));
  for (const name of Object.values(keys).map((key: string | ((k: string) => string)) =>
    typeof key === 'string' ? key : key('a/b'),
  )) {
    assert.match(name, /^virt-operator:\{u-1\}:/);
  }
});

const POLICIES = [
  { name: 'as it should be', info: '# Memory\r\nmaxmemory_policy:noeviction\r\nx:1\r\n', want: 'noeviction' },
  { name: 'another', info: 'maxmemory_policy:allkeys-lru\r\n', want: 'allkeys-lru' },
  { name: 'none named', info: '# Memory\r\n', want: 'unknown' },
];

for (const { name, info, want } of POLICIES) {
  test(`L04: eviction policy: ${name}`, () => {
    assert.equal(parseEvictionPolicy(info), want);
  });
}
