import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ApiClient } from '../../sandbox/api-client.ts';
import { findFreePort } from '../../sandbox/ports.ts';
import type { ControlPlane } from '../../sandbox/control-plane.ts';
import { KINDS, resourcePath, type KindName } from '../../src/api/kinds.ts';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { startRedis } from '../integration/fixtures/redis.ts';
import { find, noHelm, podOf, render, type Values } from './render.ts';
import { isListening, readPage, startPod, type PodProcess, type Stand } from './pods.ts';

const KUBEVIRT = resourcePath('KubeVirt', 'kubevirt', 'kubevirt');

/** Creates what helm would create, but for workloads: no node here runs images, the test starts them itself. */
async function install(api: ApiClient, objects: readonly KubernetesObject[]): Promise<void> {
  const collections: Record<string, string> = {
    PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
    NetworkPolicy: '/apis/networking.k8s.io/v1/namespaces/kubevirt/networkpolicies',
  };
  const order = ['Namespace', 'PriorityClass', 'ServiceAccount'];
  const rank = ({ kind }: KubernetesObject): number => order.indexOf(kind) + 1 || order.length + 1;
  for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) {
    if (['Deployment', 'Job'].includes(object.kind)) continue;
    const kind = object.kind as KindName;
    const collection = kind in KINDS ? resourcePath(kind, object.metadata.namespace) : collections[object.kind];
    assert.ok(collection, `no collection for ${object.kind}`);
    await api.expect('POST', collection, object);
  }
}

const isDeployed = ({ status }: KubeVirt): boolean =>
  status?.phase === 'Deployed' &&
  (status.conditions ?? []).some(({ type, status: value }) => type === 'Available' && value === 'True');

interface Ports {
  port: number;
  webhookPort: number;
  dashboardPort: number;
}

/** The stand of a pod: the token of its account, free ports. */
async function standFor(plane: ControlPlane, object: KubernetesObject, redisUrl: string): Promise<Stand & Ports> {
  const { serviceAccountName: account = 'default', automountServiceAccountToken: hasToken = true } = podOf(object);
  const [kubeconfig, port, webhookPort, dashboardPort] = await Promise.all([
    hasToken ? plane.writeServiceAccountKubeconfig('kubevirt', account) : undefined,
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  const flags = [
    '--listen=127.0.0.1',
    `--port=${port}`,
    `--webhook-port=${webhookPort}`,
    '--dashboard-listen=127.0.0.1',
    `--dashboard-port=${dashboardPort}`,
  ];
  return { ...(kubeconfig && { kubeconfig }), redisUrl, port, webhookPort, dashboardPort, flags };
}

/** Resolves when the pod's readiness probe is content. */
async function whenReady(object: KubernetesObject, { port, dashboardPort }: Ports): Promise<void> {
  const [{ readinessProbe }] = podOf(object).containers;
  const path = readinessProbe?.httpGet?.path;
  if (path === undefined) {
    await eventually(() => isListening(dashboardPort), Boolean);
    return;
  }
  await eventually(
    () => readPage(port, path),
    ({ status }) => status === 200,
    60_000,
  );
  // Alerts count the pods that say so (design decision 12).
  await eventually(
    () => readPage(port, '/metrics'),
    ({ text }) => /^kubevirt_virt_operator_ready_status 1$/m.test(text),
    60_000,
  );
}

const modes: { mode: string; values: Values; deployments: string[] }[] = [
  { mode: 'all', values: {}, deployments: ['virt-operator'] },
  {
    mode: 'split',
    values: { mode: 'split' },
    deployments: ['virt-operator-worker', 'virt-operator-gateway', 'virt-operator', 'kubevirt-dashboard'],
  },
];

/**
 * The proof that the rights of the chart are enough: every pod runs as a process with the command, the environment and the token of its pod template,
 * and nothing else.
 */
for (const { mode, values, deployments } of modes) {
  describe(`mode ${mode}, with the rights of the chart alone`, { skip: noHelm }, () => {
    test('a KubeVirt object is applied, becomes Deployed, and is removed', { timeout: 240_000 }, async () => {
      const [plane, redis] = await Promise.all([startOwnControlPlane(), startRedis({ own: true })]);
      atEnd(() => redis.stop());
      const objects = render({ ...values, 'kubevirt.enabled': true });
      await install(plane.api, objects);
      const pods: PodProcess[] = [];
      for (const name of deployments) {
        const deployment = find(objects, 'Deployment', name);
        const stand = await standFor(plane, deployment, redis.url);
        pods.push(await startPod(podOf(deployment), stand));
        if (name === 'virt-operator') plane.setWebhookPorts([stand.webhookPort]);
        await whenReady(deployment, stand).catch((cause: unknown) => {
          throw new Error(`${name} does not become ready:\n${pods.at(-1)?.text() ?? ''}`, { cause });
        });
      }

      const apply = find(objects, 'Job', 'virt-operator-apply-kubevirt');
      const directory = await mkdtemp(join(tmpdir(), 'chart-'));
      atEnd(() => rm(directory, { recursive: true }));
      const file = join(directory, 'kubevirt.yaml');
      await writeFile(file, find(objects, 'ConfigMap', 'virt-operator-kubevirt').data?.['kubevirt.yaml'] ?? '');
      const hook = { ...(await standFor(plane, apply, redis.url)), flags: [] };
      const applied = await startPod(podOf(apply), { ...hook, files: { '/etc/kubevirt/kubevirt.yaml': file } });
      assert.equal(await applied.exit, 0, applied.text());

      await eventually(
        async () => (await plane.api.expect('GET', KUBEVIRT)) as unknown as KubeVirt,
        isDeployed,
        120_000,
      ).catch((cause: unknown) => {
        throw new Error(pods.map((pod) => pod.text().slice(-2000)).join('\n---\n'), { cause });
      });

      const removed = await startPod(podOf(find(objects, 'Job', 'virt-operator-remove-kubevirt')), hook);
      assert.equal(await removed.exit, 0, removed.text());
      assert.equal((await plane.api.call('GET', KUBEVIRT)).status, 404);
      for (const pod of pods) {
        assert.ok(!pod.ended(), pod.text());
        assert.doesNotMatch(pod.text(), /forbidden/i);
      }
      await Promise.all(pods.map((pod) => pod.stop()));
    });
  });
}
