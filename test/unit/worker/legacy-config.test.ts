import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { createLog } from '../../../src/log.ts';
import type { PlannedEvent } from '../../../src/plan/types.ts';
import { watchLegacyConfig } from '../../../src/worker/legacy-config.ts';

const leftover: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kubevirt-config', namespace: 'kubevirt', uid: 'u' },
};

function watch(found: () => KubernetesObject | undefined) {
  const events: PlannedEvent[] = [];
  const controller = new AbortController();
  const log = createLog({ role: 'test', verbosity: 0 });
  log.level = 'silent';
  watchLegacyConfig({
    store: { get: found },
    operatorNamespace: 'kubevirt',
    events: { record: (event) => events.push(event), flush: () => Promise.resolve() },
    log,
    signal: controller.signal,
  });
  return { events, controller };
}

test('a leftover is told at once and hourly until it is gone or another leads', (context) => {
  context.after(() => {
    mock.timers.reset();
  });
  mock.timers.enable({ apis: ['setInterval'] });
  let object: KubernetesObject | undefined = leftover;
  const { events, controller } = watch(() => object);
  assert.equal(events.length, 1);
  assert.equal(events[0]?.about.uid, 'u');
  assert.match(events[0].message, /spec\.configuration/);
  mock.timers.tick(3_599_999);
  assert.equal(events.length, 1);
  mock.timers.tick(1);
  assert.equal(events.length, 2);
  object = undefined;
  mock.timers.tick(3_600_000);
  assert.equal(events.length, 2);
  object = leftover;
  controller.abort();
  mock.timers.tick(7_200_000);
  assert.equal(events.length, 2);
});

test('without a leftover nothing is said', () => {
  const { events, controller } = watch(() => undefined);
  controller.abort();
  assert.deepEqual(events, []);
});
