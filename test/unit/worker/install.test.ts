import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { ApiError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import { syncInstallation } from '../../../src/worker/install.ts';
import type { PassState } from '../../../src/worker/pass.ts';
import { buildKubeVirt, ENVIRONMENT } from '../plan/drive.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';
const NOW = new Date('2026-01-01T00:00:00Z');
const conflict = new ApiError('the object has been modified', { status: 409, reason: 'Conflict' });

const UNPULLABLE = {
  metadata: { name: 'dump-x' },
  status: { containerStatuses: [{ image: 'example.com/a:b', state: { waiting: { reason: 'ErrImagePull' } } }] },
};

/** A first pass whose object is edited by somebody when its status or its finalizer is first written. */
function prepare(editedAt: 'status' | 'finalizer' | 'never', pending: Record<string, unknown> = {}) {
  const seen = buildKubeVirt();
  seen.metadata = { ...seen.metadata, generation: 1, resourceVersion: '1' };
  const edited: KubeVirt = {
    ...seen,
    metadata: { ...seen.metadata, generation: 2, resourceVersion: '2' },
    spec: { ...seen.spec, imageTag: 'v1.9.1' },
  };
  let current = editedAt === 'finalizer' ? edited : seen;
  let isRefused = editedAt !== 'status';
  const statuses: KubeVirt['status'][] = [];
  const statusClient = {
    patch: () => Promise.resolve(current),
    get: () => Promise.resolve(current),
    replace: (_kind: string, { status }: KubeVirt) => {
      if (!isRefused) {
        isRefused = true;
        current = edited;
        return Promise.reject(conflict);
      }
      statuses.push(status);
      current = { ...current, ...(status === undefined ? {} : { status }) };
      return Promise.resolve(current);
    },
  };
  const loads: string[] = [];
  const pass = {
    key: 'kubevirt/kubevirt',
    kubeVirt: seen,
    observed: { features: {}, schedulableNodes: 0, others: [], strategyConfigMaps: [] },
    now: NOW,
    log,
    statusClient,
    ledger: { count: () => 0 },
    statusLedger: { count: () => statuses.length },
    work: { signal: new AbortController().signal, pass: '1' },
    parts: {
      connection: { request: () => Promise.resolve({ items: [UNPULLABLE] }) },
      events: { record: () => undefined },
      strategies: {
        load: ({ target }: { target: { kubeVirtVersion: string } }) => {
          loads.push(target.kubeVirtVersion);
          return Promise.resolve({ type: 'pending', awaited: 'nothing', obsoleteJobs: [], ...pending });
        },
      },
    },
  } as unknown as PassState;
  return { pass, loads, target: decideTarget(seen, ENVIRONMENT) };
}

for (const editedAt of ['status', 'finalizer'] as const) {
  it(`an edit that comes with the first write of the ${editedAt} ends the pass: what it was to reach is out of date`, async () => {
    const { pass, loads, target } = prepare(editedAt);
    const outcome = await syncInstallation(pass, target, 'install');
    assert.deepEqual(loads, []);
    assert.equal(outcome.type, 'later');
    assert.equal(pass.kubeVirt.status?.observedGeneration, undefined);
  });
}

const begun = (seconds: number) => ({
  metadata: { name: 'dump', namespace: 'kubevirt', creationTimestamp: new Date(NOW.getTime() - seconds * 1000) },
});
const waits = [
  { name: 'of a moment ago', pending: { job: begun(9) }, type: 'Progressing', says: /^((?!waiting).)*$/ },
  {
    name: 'that takes long',
    pending: { job: begun(10) },
    type: 'Progressing',
    says: /; waiting for nothing: Pod dump-x cannot pull image example\.com\/a:b$/,
  },
  {
    name: 'that takes long after one that failed',
    pending: { job: begun(10), failure: 'attempt 2' },
    type: 'Synchronized',
    says: /attempt 2: Pod dump-x cannot pull image example\.com\/a:b$/,
  },
];
for (const { name, pending, type, says } of waits) {
  it(`a dump Job ${name} is looked at again half a minute later`, async () => {
    const { pass, target } = prepare('never', pending);
    const outcome = await syncInstallation(pass, target, 'install');
    const condition = pass.kubeVirt.status?.conditions?.find((each) => each.type === type);
    assert.match(condition?.message ?? '', says);
    assert.equal(outcome.type === 'done' && outcome.wakeUp?.at.toISOString(), '2026-01-01T00:00:30.000Z');
  });
}
