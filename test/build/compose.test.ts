/** docker-compose.yml: as Compose itself reads it, and as our roles read what it tells them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { REPOSITORY } from './image.ts';
import { listUnread, readTold, roleOf } from './settings.ts';

const FILE = join(REPOSITORY, 'docker-compose.yml');

interface Service {
  image: string;
  command: string[];
  environment?: Record<string, string>;
  networks?: { default: { ipv4_address: string } };
  read_only?: boolean;
}

/** The file without Compose: anchors are merged, variables have their defaults. */
function readServices(): Record<string, Service> {
  const text = readFileSync(FILE, 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
}

const services = readServices();
const roles = Object.entries(services).filter(([, { command }]) => roleOf(command) !== undefined);

const go = spawnSync('go', ['version'], { encoding: 'utf8' });
const noGo = go.status === 0 ? false : "no Go, which builds the reader of Compose's own library";

describe('docker-compose.yml', () => {
  test('is understood by Compose', { skip: noGo }, () => {
    const { status, stdout, stderr } = spawnSync('go', ['run', '.', FILE], {
      cwd: join(import.meta.dirname, 'compose'),
      encoding: 'utf8',
      env: { ...process.env, GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' },
    });
    assert.equal(status, 0, stderr);
    const project = JSON.parse(stdout) as { services: Record<string, Service> };
    assert.deepEqual(Object.keys(project.services).toSorted(), Object.keys(services).toSorted());
    for (const [name, { command, environment = {} }] of roles) {
      const resolved = project.services[name];
      assert.deepEqual([resolved?.command, resolved?.environment], [command, environment]);
    }
  });

  test('has every role once, read-only', () => {
    assert.deepEqual(roles.map(([name]) => name).toSorted(), ['dashboard', 'functions', 'gateway', 'worker']);
    for (const [name, service] of roles) {
      assert.equal(roleOf(service.command), name);
      assert.equal(service.read_only, true);
    }
  });

  for (const [name, { command, environment: env = {} }] of roles) {
    const [, ...args] = command;
    const role = roleOf(command);
    if (role === undefined) continue;
    test(`${name} reads all that it is told`, () => {
      assert.deepEqual(listUnread({ role, args, env }), []);
      const { config } = readTold({ role, args, env });
      assert.deepEqual(config.warnings, []);
      assert.equal(config.redisUrl, 'redis://redis:6379');
      assert.equal(config.master, role === 'dashboard' ? undefined : 'https://k3s:6443');
    });
  }

  test('the dashboard asks for a token where it is bound to more than loopback', () => {
    const { command = [], environment: env = {} } = services['dashboard'] ?? {};
    const { dashboardListen, dashboardTokens } = readTold({ role: 'dashboard', args: command.slice(1), env }).config;
    assert.equal(dashboardListen, '0.0.0.0');
    assert.ok(dashboardTokens.read);
  });

  test('the API server finds admission', () => {
    const { configs } = parse(readFileSync(FILE, 'utf8'), { merge: true }) as {
      configs: { cluster: { content: string } };
    };
    const slice = parseAllDocuments(configs.cluster.content)
      .map(
        (document) =>
          document.toJS() as { kind: string; endpoints: { addresses: string[] }[]; ports: { port: number }[] },
      )
      .find(({ kind }) => kind === 'EndpointSlice');
    const { command = [], environment: env = {}, networks } = services['functions'] ?? {};
    const { webhookPort } = readTold({ role: 'functions', args: command.slice(1), env }).config;
    assert.deepEqual(slice?.endpoints[0]?.addresses, [networks?.default.ipv4_address]);
    assert.equal(slice.ports[0]?.port, webhookPort);
  });
});
