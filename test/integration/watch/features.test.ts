import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFeatures } from '../../../src/api/features.ts';
import { createLog } from '../../../src/log.ts';
import { createConnection } from '../../../src/transport/connection.ts';
import { FeatureWatch } from '../../../src/watch/feature-watch.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { eventually } from '../fixtures/eventually.ts';
import { sendJson, sendStatus, startScriptedServer, type ScriptedServer } from '../fixtures/scripted-server.ts';

/** Status and resources of discovery paths; everything else is 404. */
type Discovery = Record<string, number | string[]>;

/** Starts a feature watch on a server that answers discovery as `discovery` says, which may be changed. */
async function start(
  discovery: Discovery,
): Promise<{ watch: FeatureWatch; server: ScriptedServer; changes: ClusterFeatures[] }> {
  const server = await startScriptedServer(({ path }, response) => {
    const answer = discovery[path] ?? 404;
    if (typeof answer === 'number') sendStatus(response, answer, 'Scripted');
    else sendJson(response, { resources: answer.map((name) => ({ name })) });
  });
  const log = createLog({ role: 'test', verbosity: 0 });
  log.level = 'silent';
  const connection = await createConnection({ master: server.url, qps: 1e6, burst: 1e6, userAgent: 'test', log });
  const changes: ClusterFeatures[] = [];
  const watch = new FeatureWatch({ connection, log, onChange: (now) => changes.push(now) });
  const running = watch.run();
  atEnd(async () => {
    watch.stop();
    await running;
    connection.close();
  });
  return { watch, server, changes };
}

const MONITORING = '/apis/monitoring.coreos.com/v1';
const SECURITY = '/apis/security.openshift.io/v1';

test('feature watch: a group whose own server does not answer counts as OpenShift; a path that a starting server does not know yet does not', async () => {
  const known = await start({ [SECURITY]: 503, '/apis/security.openshift.io': [] });
  await eventually(
    () => known.watch.features?.openshift,
    (openshift) => openshift === true,
  );
  const unknown = await start({ [SECURITY]: 503 });
  await eventually(
    () => unknown.watch.features?.openshift,
    (openshift) => openshift === false,
  );
});

test('feature watch: goes on until the API server answers', async () => {
  const discovery: Discovery = { [SECURITY]: 503, '/apis/security.openshift.io': 503 };
  const { watch, server } = await start(discovery);
  await eventually(
    () => server.received.length,
    (length) => length >= 12,
  );
  assert.equal(watch.features, undefined);
  discovery[SECURITY] = 404;
  await eventually(
    () => watch.features !== undefined,
    (is) => is,
  );
});

test('feature watch: after the CRD came it asks until discovery shows it, and tells each change once', async () => {
  const discovery: Discovery = {};
  const { watch, server, changes } = await start(discovery);
  await eventually(
    () => changes.length,
    (length) => length === 1,
  );
  watch.observeCrd('kubevirts.kubevirt.io', true);
  watch.observeCrd('prometheusrules.monitoring.coreos.com', true);
  await eventually(
    () => server.received.length,
    (length) => length >= 6,
  );
  assert.equal(watch.features?.prometheusRule, false);
  discovery[MONITORING] = ['prometheusrules'];
  await eventually(
    () => watch.features?.prometheusRule,
    (is) => is === true,
  );
  assert.equal(changes.length, 2);
  watch.observeCrd('prometheusrules.monitoring.coreos.com', false);
  discovery[MONITORING] = 404;
  await eventually(
    () => watch.features?.prometheusRule,
    (is) => is === false,
  );
  assert.equal(changes.length, 3);
});
