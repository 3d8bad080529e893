import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import { findPodTrouble } from '../../../src/observe/job-pod.ts';

const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';
const job: KubernetesObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'dump', namespace: 'kubevirt' },
};
const image = 'example.com/virt-operator:v9.9.9';

function find(request: (asked: { path: string; query?: object }) => Promise<JsonObject>) {
  return findPodTrouble({ job, connection: { request }, signal: new AbortController().signal, log });
}

const pod = (status: JsonObject): JsonObject => ({ metadata: { name: 'dump-x' }, status });
const waiting = (reason: string, message?: string): JsonObject => ({
  containerStatuses: [{ image, state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } }],
});

const rows: { name: string; items: JsonObject[]; want: string | undefined }[] = [
  { name: 'no pod, for a policy or a quota refuses it', items: [], want: 'it has no pod, its Events say why' },
  { name: 'a pod without a status', items: [{ metadata: { name: 'dump-x' } }], want: undefined },
  { name: 'being created', items: [pod(waiting('ContainerCreating'))], want: undefined },
  {
    name: 'running',
    items: [pod({ containerStatuses: [{ image, state: { running: {} } }] })],
    want: undefined,
  },
  {
    name: 'an image that cannot be pulled',
    items: [pod(waiting('ErrImagePull', 'manifest unknown'))],
    want: `Pod dump-x cannot pull image ${image}`,
  },
  {
    name: 'the same between two tries',
    items: [pod(waiting('ImagePullBackOff', 'Back-off'))],
    want: `Pod dump-x cannot pull image ${image}`,
  },
  {
    name: 'another reason',
    items: [pod(waiting('CreateContainerConfigError', 'secret "a" not found'))],
    want: 'Pod dump-x does not start: CreateContainerConfigError secret "a" not found',
  },
  {
    name: 'no node for it',
    items: [pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] })],
    want: 'Pod dump-x is not scheduled: 0/3 nodes are available',
  },
  {
    name: 'the second of two pods',
    items: [pod({}), pod(waiting('InvalidImageName'))],
    want: 'Pod dump-x does not start: InvalidImageName',
  },
];
for (const { name, items, want } of rows) {
  test(`a Job with ${name}`, async () => {
    assert.equal(await find(() => Promise.resolve({ items })), want);
  });
}

test('only pods of the Job are asked for', async () => {
  const asked: object[] = [];
  await find((request) => {
    asked.push({ path: request.path, query: request.query });
    return Promise.resolve({ items: [] });
  });
  assert.deepEqual(asked, [{ path: '/api/v1/namespaces/kubevirt/pods', query: { labelSelector: 'job-name=dump' } }]);
});

test('pods that cannot be listed reject nothing', async () => {
  assert.equal(await find(() => Promise.reject(new Error('forbidden'))), undefined);
});
