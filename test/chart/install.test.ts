/**
 * The proof that the rights of mode split are enough: helm installs it, every pod runs as a process with the command, the environment and the token of its
 * pod template, and nothing else. Mode all is tried the same way by test/docs/readme-chart.test.ts.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { ControlPlane } from '../../sandbox/control-plane.ts';
import { startPodRunner } from '../../sandbox/pods/runner.ts';
import { KINDS, resourcePath } from '../../src/api/kinds.ts';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { startRedis } from '../integration/fixtures/redis.ts';
import { readPage } from './pages.ts';
import { CHART, HELM, noHelm } from './render.ts';

const KUBEVIRT = resourcePath('KubeVirt', 'kubevirt', 'kubevirt');
const ROLES = ['virt-operator', 'virt-operator-gateway', 'virt-operator-worker', 'kubevirt-dashboard'];

let plane: ControlPlane;
const sentences: string[] = [];

/** The ends of the logs of all pods. */
function readLogs(): string {
  const folder = join(plane.directory, 'log');
  const files = globSync('{virt-operator,kubevirt}-*.log', { cwd: folder });
  return files.map((file) => `--- ${file}\n${readFileSync(join(folder, file), 'utf8').slice(-2000)}`).join('\n');
}

/** Runs helm beside this process, which runs the pods meanwhile. Rejects with what it and the pods said. */
async function helm(...args: string[]): Promise<string> {
  const where = ['--kubeconfig', plane.kubeconfig, '--namespace', 'kubevirt', '--timeout', '3m'];
  const child = spawn(HELM ?? 'helm', [...args, ...where], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${text}\n${readLogs()}`);
  return text;
}

/** A port of the first pod that a Deployment's pods name in what the runner says about them. */
function portOf(deployment: string, page: 'metrics' | 'dashboard'): number {
  const line = sentences.find((sentence) =>
    new RegExp(`^pod ${deployment}-[a-z0-9]+-[a-z0-9]+ is ready`).test(sentence),
  );
  const [, port] = new RegExp(`${page} \\w+://127\\.0\\.0\\.1:(\\d+)`).exec(line ?? '') ?? [];
  assert.ok(port !== undefined, `no pod of ${deployment} is ready:\n${sentences.join('\n')}`);
  return Number(port);
}

describe('mode split, with the rights of the chart alone', { skip: noHelm }, () => {
  before(async () => {
    const [started, redis] = await Promise.all([startOwnControlPlane(), startRedis({ own: true })]);
    plane = started;
    const runner = startPodRunner({
      plane,
      redis: () => Promise.resolve(redis.url),
      onWebhookPorts: (ports) => {
        plane.setWebhookPorts(ports);
      },
      log: (sentence) => sentences.push(sentence),
    });
    atEnd(() => redis.stop());
    atEnd(() => runner.stop());
  });

  test('every role becomes ready, and KubeVirt Deployed', async () => {
    const values = ['--set', 'mode=split', '--set', 'kubevirt.enabled=true'];
    await helm('install', 'virt-operator', CHART, '--create-namespace', '--wait', ...values);
    assert.match(await helm('test', 'virt-operator'), /Phase:\s+Succeeded/);
    const { status } = (await plane.api.expect('GET', KUBEVIRT)) as unknown as KubeVirt;
    assert.equal(status?.phase, 'Deployed');
    for (const name of ROLES) {
      const { status: found } = (await plane.api.expect('GET', resourcePath('Deployment', 'kubevirt', name))) as {
        status?: { readyReplicas?: number; replicas?: number };
      };
      assert.ok((found?.readyReplicas ?? 0) > 0 && found?.readyReplicas === found?.replicas, name);
    }
  });

  test('whoever is ready says so in its metrics, which alerts count (design decision 12)', async () => {
    for (const name of ROLES.filter((role) => role.startsWith('virt-operator'))) {
      const { text } = await readPage(portOf(name, 'metrics'), '/metrics');
      assert.match(text, /^kubevirt_virt_operator_ready_status 1$/m, name);
    }
  });

  test('the dashboard lets in who has the token of its Secret, and nobody else', async () => {
    const url = `http://127.0.0.1:${portOf('kubevirt-dashboard', 'dashboard')}/`;
    assert.equal((await fetch(url)).status, 401);
    const secret = await plane.api.expect('GET', resourcePath('Secret', 'kubevirt', 'kubevirt-dashboard'));
    const token = Buffer.from((secret['data'] as { token: string }).token, 'base64').toString();
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  });

  test('it goes again, KubeVirt first, and no right was missing on the way', async () => {
    await helm('uninstall', 'virt-operator');
    for (const path of [KUBEVIRT, ...ROLES.map((name) => resourcePath('Deployment', 'kubevirt', name))]) {
      assert.equal((await plane.api.call('GET', path)).status, 404, path);
    }
    const definition = resourcePath('CustomResourceDefinition', undefined, `${KINDS.KubeVirt.plural}.kubevirt.io`);
    assert.equal((await plane.api.call('GET', definition)).status, 200);
    assert.doesNotMatch(readLogs() + sentences.join('\n'), /forbidden/i);
  });
});
