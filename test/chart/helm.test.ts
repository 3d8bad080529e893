/** The chart as a user has it: helm against a cluster whose pods of the operator run, with their hooks, over the life of an installation. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { ControlPlane } from '../../sandbox/control-plane.ts';
import { startDumper } from '../../sandbox/dumper.ts';
import { startPodRunner } from '../../sandbox/pods/runner.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { startRedis } from '../integration/fixtures/redis.ts';
import { CHART, HELM, noHelm } from './render.ts';

const KUBEVIRT = resourcePath('KubeVirt', 'kubevirt', 'kubevirt');
const CRD = resourcePath('CustomResourceDefinition', undefined, 'kubevirts.kubevirt.io');

let plane: ControlPlane;
const sentences: string[] = [];

/** Runs helm in a process beside this one, whose pods have to go on meanwhile. Rejects with what it and the pods said. */
async function helm(...args: string[]): Promise<string> {
  const where = ['--kubeconfig', plane.kubeconfig, '--namespace', 'kubevirt'];
  const child = spawn(HELM ?? 'helm', [...args, ...where], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${text}\n${sentences.slice(-12).join('\n')}`);
  return text;
}

const read = async () => (await plane.api.expect('GET', KUBEVIRT)) as unknown as KubeVirt;

describe('helm', { skip: noHelm }, () => {
  before(async () => {
    const [started, redis] = await Promise.all([startOwnControlPlane(), startRedis({ own: true })]);
    plane = started;
    const log = (sentence: string): void => void sentences.push(sentence);
    const runner = startPodRunner({
      plane,
      redis: () => Promise.resolve(redis.url),
      onWebhookPorts: (ports) => {
        plane.setWebhookPorts(ports);
      },
      log,
    });
    const dumper = startDumper({ plane, log });
    atEnd(() => redis.stop());
    atEnd(() => dumper.stop());
    atEnd(() => runner.stop());
  });

  test('B03: one install brings definition, operator and KubeVirt object on the first try', async () => {
    assert.equal((await plane.api.call('GET', CRD)).status, 404, 'a fresh cluster');
    await helm('install', 'virt-operator', CHART, '--create-namespace', '--set', 'kubevirt.enabled=true');
    assert.equal((await plane.api.call('GET', CRD)).status, 200);
    const { metadata } = await plane.api.expect('GET', '/api/v1/namespaces/kubevirt');
    const labels = metadata?.labels ?? {};
    assert.equal(labels['pod-security.kubernetes.io/enforce'], 'privileged', 'B72: --create-namespace sets no label');
    assert.equal(labels['kubevirt.io'], '');
  });

  test('`helm test` waits until it is Deployed and tells how it stands', async () => {
    const told = await helm('test', 'virt-operator', '--timeout', '4m');
    assert.match(told, /Phase:\s+Succeeded/);
    assert.equal((await read()).status?.phase, 'Deployed');
  });

  test('an upgrade of the chart brings the definition up to date before the roles start', async () => {
    // As an older release of the operator would have left it.
    const change = { spec: { names: { shortNames: ['kv'] } } };
    await plane.api.expect('PATCH', CRD, change, 'application/merge-patch+json');
    const old = await listOperatorPods();
    await helm('upgrade', 'virt-operator', CHART, '--reuse-values', '--set', 'dashboard.enabled=false', '--wait');
    const crd = await plane.api.expect('GET', CRD);
    assert.deepEqual((crd['spec'] as { names: { shortNames: string[] } }).names.shortNames, ['kv', 'kvs']);
    const now = await listOperatorPods();
    assert.ok(now.length === 2 && now.every((name) => !old.includes(name)), `${old.join()} → ${now.join()}`);
    assert.equal((await read()).status?.phase, 'Deployed');
  });

  test('another KubeVirt release comes with a value, and goes with `helm rollback`', async () => {
    await helm('upgrade', 'virt-operator', CHART, '--reuse-values', '--set', 'kubevirt.version=v1.9.1', '--wait');
    await whenAt('v1.9.1');
    await helm('rollback', 'virt-operator', '--wait');
    await whenAt('v1.9.0');
  });

  test('uninstall removes KubeVirt first, and leaves definition and namespace', async () => {
    await helm('uninstall', 'virt-operator', '--timeout', '4m');
    assert.equal((await plane.api.call('GET', KUBEVIRT)).status, 404);
    for (const path of [
      resourcePath('Deployment', 'kubevirt', 'virt-operator'),
      resourcePath('Deployment', 'kubevirt', 'virt-api'),
      resourcePath('ClusterRole', undefined, 'kubevirt-operator'),
    ]) {
      assert.equal((await plane.api.call('GET', path)).status, 404, path);
    }
    assert.equal((await plane.api.call('GET', CRD)).status, 200);
    assert.equal((await plane.api.call('GET', '/api/v1/namespaces/kubevirt')).status, 200);
  });

  test('no right was missing on the way', () => {
    assert.deepEqual(
      sentences.filter((sentence) => /forbidden/i.test(sentence)),
      [],
    );
  });
});

async function listOperatorPods(): Promise<string[]> {
  const selector = encodeURIComponent('kubevirt.io=virt-operator');
  const { items } = await plane.api.expect('GET', `/api/v1/namespaces/kubevirt/pods?labelSelector=${selector}`);
  return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name).toSorted();
}

async function whenAt(version: string): Promise<void> {
  await eventually(
    async () => (await read()).status,
    (status) => status?.phase === 'Deployed' && status.observedKubeVirtVersion === version,
    60_000,
  ).catch((cause: unknown) => {
    throw new Error(`not at ${version}:\n${readLogs()}`, { cause });
  });
}

/** The ends of the logs of all pods. */
function readLogs(): string {
  const folder = join(plane.directory, 'log');
  return globSync('virt-operator-*.log', { cwd: folder })
    .map((file) => `--- ${file}\n${readFileSync(join(folder, file), 'utf8').slice(-3000)}`)
    .join('\n');
}
