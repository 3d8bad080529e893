import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonObject } from '../../../src/api/objects.ts';
import { findForeignLeader } from '../../../src/observe/foreign-leader.ts';

const NOW = new Date('2026-08-01T10:00:00Z');
const HELD = { holderIdentity: 'virt-operator-1', leaseDurationSeconds: 15, renewTime: '2026-08-01T09:59:46.000000Z' };

const ROWS: { name: string; spec: JsonObject | undefined; want: string | undefined }[] = [
  { name: 'no Lease', spec: undefined, want: undefined },
  { name: 'held and renewed in time', spec: HELD, want: 'virt-operator-1 holds the Lease virt-operator' },
  { name: 'run out', spec: { ...HELD, renewTime: '2026-08-01T09:59:45.000000Z' }, want: undefined },
  { name: 'given back', spec: { ...HELD, holderIdentity: '' }, want: undefined },
  { name: 'never renewed', spec: { holderIdentity: 'x' }, want: undefined },
  {
    name: 'without a duration of its own',
    spec: { holderIdentity: 'x', renewTime: '2026-08-01T09:59:46Z' },
    want: 'x holds the Lease virt-operator',
  },
];

for (const { name, spec, want } of ROWS) {
  test(name, () => {
    const lease = spec && {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'virt-operator' },
      spec,
    };
    assert.equal(findForeignLeader(lease, NOW), want);
  });
}
