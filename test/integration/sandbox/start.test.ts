import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createApiClient } from '../../../sandbox/api-client.ts';
import { parseKubeconfig } from '../../../sandbox/kubeconfig.ts';
import { findFreePort } from '../../../sandbox/ports.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { requireBinaries, startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis } from '../fixtures/redis.ts';
import { listProcesses } from '../fixtures/processes.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const LIMIT_MS = 180_000;

/** A start in a process group of its own, as a shell would make it, whose files all lie below `folder`. */
interface Start {
  child: ChildProcess;
  ports: { port: number; dashboardPort: number };
  /** Standard output and error so far. */
  output: () => string;
  exited: Promise<number | null>;
  /** What is left of it: files and processes. */
  leftovers: () => Promise<string[]>;
}

async function startSandbox(env: NodeJS.ProcessEnv = {}, ...args: string[]): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'start-test-'));
  const ports = { port: await findFreePort(), dashboardPort: await findFreePort() };
  const flags = [`--port=${ports.port}`, `--dashboard-port=${ports.dashboardPort}`, ...args];
  const child = spawn(process.execPath, [join(ROOT, 'sandbox', 'start.ts'), ...flags], {
    env: { ...process.env, TMPDIR: folder, KUBEBUILDER_ASSETS: requireBinaries(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    child,
    ports,
    output: () => text,
    exited,
    leftovers: async () => [...readdirSync(folder), ...(await listProcesses(folder))],
  };
}

/** Signals the whole group twice, as an impatient Ctrl-C does. */
function interrupt({ child }: Start): void {
  assert.ok(child.pid !== undefined);
  process.kill(-child.pid, 'SIGINT');
  process.kill(-child.pid, 'SIGINT');
}

async function waitForWord(start: Start): Promise<string> {
  await eventually(
    () => start.output(),
    (text) => text.includes('Ctrl-C ends everything') || start.child.exitCode !== null,
    LIMIT_MS,
  );
  return start.output();
}

describe('npm start', () => {
  it('brings KubeVirt up, tells the way, serves, and leaves nothing behind after Ctrl-C', async () => {
    const start = await startSandbox({}, '--openshift', '--monitoring');
    const output = await waitForWord(start);

    assert.equal(output.match(/Deployed/g)?.length, 1, output);
    const [way = '', rest = ''] = output.split('Deployed');
    assert.match(way, /Deploying · .+ · objects \d+ of 2\d\d · workloads ready \d of \d/);
    assert.match(rest, new RegExp(`https://127\\.0\\.0\\.1:${start.ports.port}/metrics`));
    assert.match(rest, /Redis +redis:\/\/127\.0\.0\.1:\d+\n/);

    const dashboard = await fetch(`http://127.0.0.1:${start.ports.dashboardPort}/`);
    assert.equal(dashboard.status, 200);
    assert.match(await dashboard.text(), /<html/i);
    const metrics = createApiClient(`https://127.0.0.1:${start.ports.port}`, { ca: undefined, insecure: true });
    assert.match((await metrics.call('GET', '/metrics')).text, /kubevirt_virt_operator_leading_status 1/);
    metrics.close();

    const file = /export KUBECONFIG=(\S+)/.exec(rest)?.[1] ?? '';
    const { server, identity } = parseKubeconfig(readFileSync(file, 'utf8'));
    const api = createApiClient(server, identity);
    for (const path of [
      '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/kubevirt',
      '/apis/route.openshift.io/v1/namespaces/kubevirt/routes/virt-exportproxy',
      '/apis/security.openshift.io/v1/securitycontextconstraints/kubevirt-handler',
      '/apis/monitoring.coreos.com/v1/namespaces/monitoring/servicemonitors/prometheus-kubevirt-rules',
    ]) {
      assert.equal((await api.call('GET', path)).status, 200, path);
    }
    api.close();

    interrupt(start);
    assert.equal(await start.exited, 0);
    assert.deepEqual(await start.leftovers(), []);
  });

  it('uses the Redis of REDIS_URL and leaves no key there', async () => {
    const server = await startRedis({ own: true });
    atEnd(() => server.stop());
    const redis = new Redis(server.url);
    atEnd(() => {
      redis.disconnect();
    });
    await redis.set('somebody else', 'stays');
    const start = await startSandbox({ REDIS_URL: server.url });
    const output = await waitForWord(start);
    assert.match(output, /Deployed[^]*Redis +that of REDIS_URL\n/);
    assert.doesNotMatch(output, /redis:\/\//, 'the address may hold a password');
    assert.ok((await redis.dbsize()) > 5, 'the operator works with it');
    interrupt(start);
    assert.equal(await start.exited, 0);
    assert.deepEqual(await redis.keys('*'), ['somebody else']);
    assert.deepEqual(await start.leftovers(), []);
  });

  it('leaves nothing behind when it is interrupted on the way', async () => {
    const start = await startSandbox();
    await eventually(
      () => start.output(),
      (text) => text.includes('starting the controllers'),
      LIMIT_MS,
    );
    interrupt(start);
    assert.equal(await start.exited, 130);
    assert.doesNotMatch(start.output(), /Deployed/);
    assert.deepEqual(await start.leftovers(), []);
  });

  it('leaves nothing behind when it is killed', async () => {
    const start = await startSandbox();
    await eventually(
      () => start.output(),
      (text) => text.includes('starting the operator'),
      LIMIT_MS,
    );
    start.child.kill('SIGKILL');
    await start.exited;
    await eventually(start.leftovers, (found) => found.length === 0);
  });

  it('uses the cluster of a kubeconfig, leads its webhook Service to this machine and leaves the cluster alone at the end', async () => {
    const plane = await startOwnControlPlane();
    const start = await startSandbox({}, '--kubeconfig', plane.kubeconfig);
    const slice = '/apis/discovery.k8s.io/v1/namespaces/kubevirt/endpointslices/kubevirt-operator-webhook-start';
    const { body } = await eventually(
      () => plane.api.call('GET', slice),
      ({ status }) => status === 200 || start.child.exitCode !== null,
      LIMIT_MS,
    );
    plane.setWebhookPorts((body['ports'] as { port: number }[]).map(({ port }) => port));
    const output = await waitForWord(start);
    assert.match(output, /Deployed/, output);
    interrupt(start);
    assert.equal(await start.exited, 0);
    assert.deepEqual(await start.leftovers(), []);
    const path = '/apis/apps/v1/namespaces/kubevirt/deployments/virt-controller';
    assert.equal((await plane.api.call('GET', path)).status, 200);
  });

  it('says which port is in use and how to choose another', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    atEnd(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const start = await startSandbox({}, '--dashboard-port', String(port));
    assert.equal(await start.exited, 1);
    assert.match(start.output(), new RegExp(`Port ${port} is in use: .*--dashboard-port PORT`));
    assert.deepEqual(await start.leftovers(), []);
  });

  const refused = [
    { name: 'an unknown flag', args: ['--quick'], code: 2, want: /--quick[^]*npm start -- \[options\]/ },
    {
      name: 'a Redis that is away',
      args: [],
      env: { REDIS_URL: 'redis://:secret@127.0.0.1:1' },
      code: 1,
      want: /^(?![^]*secret)[^]*\nThe Redis of REDIS_URL cannot be used; [^\n]*: connect ECONNREFUSED 127\.0\.0\.1:1\n/,
    },
    {
      name: 'an address of no Redis',
      args: [],
      env: { REDIS_URL: 'http://redis' },
      code: 1,
      want: /its address is not of the form redis:/,
    },
    {
      name: 'a kubeconfig that is not there',
      args: ['--kubeconfig', '/nowhere'],
      code: 1,
      want: /kubeconfig \/nowhere cannot be used/,
    },
  ];
  for (const { name, args, env = {}, code, want } of refused) {
    it(`refuses ${name} with a sentence`, async () => {
      const start = await startSandbox(env, ...args);
      assert.equal(await start.exited, code);
      assert.match(start.output(), want);
      assert.doesNotMatch(start.output(), /\n\s+at /, 'no stack');
      assert.deepEqual(await start.leftovers(), []);
    });
  }
});
