/** B39 as the worker's process does it: pods have addresses of loopback here, and the ports of operands. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:tls';
import { test } from 'node:test';
import { OperatorMetrics } from '../../../functions/metrics/operator-metrics.ts';
import type { Cause } from '../../../src/api/causes.ts';
import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import type { Config } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { openOperandCertificates, watchOperandCertificates } from '../../../src/roles/operand-certificates.ts';
import { SmallCluster } from '../worker/small-cluster.ts';

const SECRET = 'kubevirt-controller-certs';
const ADDRESS = '127.39.0.1';
const LABELS = { 'kubevirt.io': 'virt-controller' };
const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

const issue = () =>
  issueCertificate({
    commonName: 'virt-controller',
    isCa: true,
    dnsNames: [],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
const config = (asksOperands: boolean) => ({ asksOperands, operatorNamespace: 'kubevirt' }) as Config;

test('B39: a controller that serves a replaced certificate is a metric, and queues a pass; so does its return', async (context) => {
  const [old, fresh] = await Promise.all([issue(), issue()]);
  const server = createServer({ cert: old.certificatePem, key: old.privateKeyPem });
  server.listen(8443, ADDRESS);
  await once(server, 'listening');
  const cluster = new SmallCluster();
  cluster.put('KubeVirt', 'kubevirt', {});
  cluster.put('Deployment', 'virt-controller', { spec: { selector: { matchLabels: LABELS } } });
  cluster.put('Pod', 'virt-controller-a', {
    metadata: { labels: LABELS },
    status: { phase: 'Running', podIP: ADDRESS },
  });
  cluster.setCertificate(SECRET, fresh.certificatePem);
  const metrics = new OperatorMetrics({ role: 'worker', version: '1' });
  const ending = new AbortController();
  context.after(() => {
    ending.abort(new Error('over'));
    metrics.own.close();
    server.close();
  });
  const parts = { context: { config: config(true), log }, store: cluster, metrics };
  const served = openOperandCertificates({ ...parts, times: { limitMs: 0, againMs: 20 } });
  assert.ok(served !== undefined);
  let queued = Promise.withResolvers<[string, Cause]>();
  const add = (key: string, cause: Cause) => {
    queued.resolve([key, cause]);
    return Promise.resolve();
  };
  const gauge = async () =>
    /^virt_operator_outdated_certificate_pods\{(.*)\} (\d)$/m.exec(await metrics.own.registry.metrics())?.slice(1);
  assert.equal(await gauge(), undefined, 'nothing is said before anybody was asked');
  watchOperandCertificates(served, { ...parts, add, signal: ending.signal });
  const [key, { type, note }] = await queued.promise;
  assert.deepEqual([key, type], ['kubevirt/kubevirt', 'requested']);
  assert.match(note ?? '', /certificates/);
  assert.deepEqual(await gauge(), [`namespace="kubevirt",name="${SECRET}"`, '1']);
  assert.deepEqual(served.outdated(), [{ secret: SECRET, namespace: 'kubevirt', pod: 'virt-controller-a' }]);
  queued = Promise.withResolvers();
  server.setSecureContext({ cert: fresh.certificatePem, key: fresh.privateKeyPem });
  await queued.promise;
  assert.equal((await gauge())?.[1], '0');
});

test('B39: outside of a pod nobody is asked: addresses of pods lead elsewhere from there', () => {
  const metrics = new OperatorMetrics({ role: 'worker', version: '1' });
  const parts = { context: { config: config(false), log }, store: new SmallCluster(), metrics };
  assert.equal(openOperandCertificates(parts), undefined);
  metrics.own.close();
});
