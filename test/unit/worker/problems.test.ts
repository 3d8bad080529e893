import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeVirtStatus } from '../../../src/api/kubevirt.ts';
import { asKubeVirt } from '../../../src/api/kubevirt.ts';
import { findNewProblems, withProblems } from '../../../src/worker/problems.ts';

const kubeVirt = (selfSigned?: object) =>
  asKubeVirt({
    apiVersion: 'kubevirt.io/v1',
    metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'u' },
    spec: selfSigned === undefined ? {} : { certificateRotateStrategy: { selfSigned } },
  });
const condition = (status: KubeVirtStatus, wanted: string) => status.conditions?.find(({ type }) => type === wanted);
const SHORT = { ca: { duration: '12h' } };
const available: KubeVirtStatus = { conditions: [{ type: 'Available', status: 'True', reason: 'AllComponentsReady' }] };

test('B48: lifetimes that do not fit are a condition that names both fields, and an Event once', () => {
  const object = kubeVirt(SHORT);
  const status = withProblems(available, object);
  const found = condition(status, 'CertificateSettingsInvalid');
  assert.equal(found?.status, 'True');
  assert.match(found.message ?? '', /server\.duration is longer than .*ca\.duration/);
  const events = findNewProblems(object, {}, status);
  assert.deepEqual(
    events.map(({ type, reason, about }) => [type, reason, about.kind, about.name, about.uid]),
    [['Warning', 'InconsistentLifetimes', 'KubeVirt', 'kubevirt', 'u']],
  );
  assert.equal(events[0]?.message, found.message);
  assert.deepEqual(findNewProblems(object, status, withProblems(status, object)), []);
});

test('B48: the condition goes with its cause, and a status without problems is not touched', () => {
  const status = withProblems(available, kubeVirt(SHORT));
  assert.deepEqual(withProblems(status, kubeVirt()), available);
  assert.equal(withProblems(available, kubeVirt()), available);
  assert.equal(withProblems(available, kubeVirt({ ca: { duration: '48h' } }), { outdated: [] }), available);
});

test('B48: old fields beside new ones, and a text that is not a duration, are told as well', () => {
  const status = withProblems({}, kubeVirt({ caRotateInterval: 'soon', ca: {} }));
  const { message = '' } = condition(status, 'CertificateSettingsInvalid') ?? {};
  assert.match(message, /caRotateInterval are deprecated and conflict.*"soon" is not a duration/);
});

test('B39: operands with an old certificate are a condition that names pods and Secrets, in part when there are many', () => {
  const pods = Array.from({ length: 5000 }, (_, i) => ({
    secret: 's',
    namespace: 'kubevirt',
    pod: `virt-handler-${i}`,
  }));
  const status = withProblems(available, kubeVirt(), { outdated: pods });
  const { reason, message = '' } = condition(status, 'CertificatesOutdated') ?? {};
  assert.equal(reason, 'OutdatedCertificateServed');
  assert.match(message, /^pod kubevirt\/virt-handler-0 does not serve the certificate of Secret s; .*and 4990 more$/);
  assert.ok(Buffer.byteLength(message) <= 1024);
  assert.deepEqual(
    findNewProblems(kubeVirt(), available, status).map((event) => event.reason),
    ['OutdatedCertificateServed'],
  );
  assert.equal(withProblems(status, kubeVirt()), status, 'as long as nobody knows, it stays');
  assert.deepEqual(withProblems(status, kubeVirt(), { outdated: [] }), available);
});

test('L09: a Redis that cannot be used is a condition and an Event, and goes when it can be used again', () => {
  const status = withProblems(available, kubeVirt(), { isWithoutRedis: true });
  assert.match(condition(status, 'RedisUnusable')?.message ?? '', /Lease virt-operator/);
  assert.deepEqual(
    findNewProblems(kubeVirt(), available, status).map(({ reason }) => reason),
    ['QueueInMemory'],
  );
  assert.deepEqual(withProblems(status, kubeVirt()), available);
});
