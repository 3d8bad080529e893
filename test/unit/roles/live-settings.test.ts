import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asKubeVirt, type KubeVirtConfiguration } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import { decideVerbosity, followSettings } from '../../../src/roles/live-settings.ts';
import { Closers } from '../../../src/roles/role.ts';

type Verbosity = NonNullable<KubeVirtConfiguration['developerConfiguration']>['logVerbosity'];

function kubeVirt(logVerbosity: Verbosity, resourceVersion = '1'): KubernetesObject {
  const configuration = { developerConfiguration: logVerbosity === undefined ? {} : { logVerbosity } };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'u', resourceVersion },
    spec: { configuration },
    status: { phase: 'Deployed' },
  };
}

const ROWS: { name: string; given: Verbosity; want: number }[] = [
  { name: 'none asked', given: undefined, want: 2 },
  { name: 'for the operator', given: { virtOperator: 4 }, want: 4 },
  { name: 'for this name', given: { virtOperator: 4, nodeVerbosity: { me: 3 } }, want: 3 },
  { name: 'for another name', given: { nodeVerbosity: { you: 9 } }, want: 2 },
  { name: 'zero counts as none', given: { virtOperator: 0 }, want: 2 },
];
for (const { name, given, want } of ROWS) {
  test(`verbosity: ${name}`, () => {
    assert.equal(decideVerbosity(asKubeVirt(kubeVirt(given)), 'me'), want);
  });
}

test('the log follows the object, and keeps its level while there is none', async () => {
  const log = createLog({ role: 'test', verbosity: 4, destination: process.stdout });
  log.info = () => undefined;
  const closers = new Closers(log);
  const objects: KubernetesObject[] = [];
  const listeners = new Set<() => void>();
  followSettings({
    kubeVirts: () => objects,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log,
    hostname: 'me',
    closers,
  });
  const change = (object: KubernetesObject) => {
    objects[0] = object;
    for (const listener of listeners) listener();
  };
  assert.equal(log.level, 'trace');
  change(kubeVirt({ virtOperator: 3 }));
  assert.equal(log.level, 'debug');
  change(kubeVirt(undefined, '2'));
  assert.equal(log.level, 'info');
  await closers.close();
  assert.equal(listeners.size, 0);
});
