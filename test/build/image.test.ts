/** The image as the Dockerfile describes it, put together and run without a Docker engine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findFreePort } from '../../sandbox/ports.ts';
import { environment, kubeVirt } from '../unit/strategy/builders.ts';
import { decideTarget } from '../../src/strategy/target.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { IMAGE, NAMESPACE, startSite, type Site } from '../integration/install/harness.ts';
import { isListening, readPage } from '../chart/pages.ts';
import { openContainerHost, type Container } from './container.ts';
import { buildImage, removeImage, REPOSITORY } from './image.ts';

const image = await buildImage();
atEnd(() => removeImage(image));
const host = await openContainerHost(image);
const list = (pattern: string) => globSync(pattern, { cwd: join(image.root, image.workingDirectory) });

describe('the image', () => {
  test('is slim and runs as nobody in particular', () => {
    assert.match(image.base, /distroless.*:nonroot$/);
    assert.equal(image.user, '1001:1001');
    assert.deepEqual(image.entrypoint, ['/usr/bin/virt-operator']);
    assert.match(image.env['NODE_OPTIONS'] ?? '', /--max-semi-space-size=4/);
  });

  test('holds the packages of production and no others', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
      dependencies: object;
      devDependencies: object;
    };
    for (const name of Object.keys(dependencies)) assert.deepEqual(list(`node_modules/${name}`).length, 1, name);
    for (const name of Object.keys(devDependencies)) assert.deepEqual(list(`node_modules/${name}`), [], name);
  });

  test('holds nothing for one architecture, no types and no maps', () => {
    assert.ok(list('src/**/*.js').length > 100);
    assert.deepEqual(list('**/*.{node,ts,map,tsbuildinfo}'), []);
  });

  test('holds program, packages and manifest, and no prose, tests or tools', () => {
    assert.deepEqual(list('*').toSorted(), ['functions', 'node_modules', 'package.json', 'src']);
    assert.deepEqual(list('{src,functions}/**/*.test.*'), []);
    assert.deepEqual(list('**/*.{md,markdown,yml,yaml,sh,c,cc,h,gyp,zip,flow}'), []);
    assert.deepEqual(list('**/{test,tests,__tests__,fixtures,benchmark,benchmarks,example,examples,.github}/'), []);
    assert.deepEqual(list('node_modules/{.bin,.package-lock.json,@types}'), []);
  });

  test('holds all that its packages load', async () => {
    // Their tests and demonstrations were taken out; the whole client library is loaded for proxies and credential plugins alone.
    const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const names = ['reflect-metadata', ...Object.keys(dependencies)];
    const script = names.map((name) => `await import(${JSON.stringify(name)});`).join('\n');
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: join(image.root, image.workingDirectory),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  test('holds every file that stands among the sources', () => {
    const files = globSync('{src,functions}/**/*', { cwd: REPOSITORY }).filter(
      (path) => !path.endsWith('.ts') && !lstatSync(join(REPOSITORY, path)).isDirectory(),
    );
    assert.deepEqual(
      files.filter((path) => list(path).length === 0),
      [],
    );
  });
});

describe(`a container (${host.kind})`, () => {
  const commands: { args: string[]; code: number; want: RegExp }[] = [
    { args: ['--help'], code: 0, want: /--dump-install-strategy/ },
    { args: ['crd'], code: 0, want: /kubevirts\.kubevirt\.io/ },
    { args: ['render', '--help'], code: 0, want: /render/ },
    { args: ['nonsense'], code: 2, want: /^$/ },
  ];
  for (const { args, code, want } of commands) {
    test(args.join(' '), async () => {
      const ended = await host.start(args).exit;
      assert.equal(ended.code, code);
      assert.match(ended.output, want);
    });
  }
});

describe(`roles (${host.kind})`, () => {
  let site: Site;
  let kubeconfig: string;

  test('a cluster and a Redis', async () => {
    site = await startSite();
    kubeconfig = await host.mount(site.plane.kubeconfig, 'kubeconfig');
  });

  /** Starts a role on ports of its own. */
  async function startRole(role: string): Promise<Container & { port: number; dashboardPort: number }> {
    const [port, webhookPort, dashboardPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
    const access = role === 'dashboard' ? [] : [`--kubeconfig=${kubeconfig}`];
    const ports = [`--port=${port}`, `--webhook-port=${webhookPort}`, `--dashboard-port=${dashboardPort}`];
    const container = host.start([role, ...access, '--listen=127.0.0.1', ...ports], {
      REDIS_URL: site.redis.url,
      VIRT_OPERATOR_IMAGE: IMAGE,
    });
    site.atEnd(() => container.end());
    return { ...container, port, dashboardPort };
  }

  const whenReady = (port: number) =>
    eventually(
      () => readPage(port, '/readyz'),
      ({ status }) => status === 200,
    );

  const alone: { role: string; said?: string; ready: boolean }[] = [
    { role: 'gateway', said: 'gateway started', ready: true },
    { role: 'functions', said: 'functions are served', ready: true },
    { role: 'worker', said: 'this worker leads', ready: true },
    { role: 'dashboard', said: 'dashboard is open', ready: false },
    { role: 'all', said: 'this worker leads', ready: true },
  ];
  for (const { role, said = '', ready } of alone) {
    test(`${role} starts, serves and ends cleanly`, async () => {
      const container = await startRole(role);
      await container.said(said);
      if (ready) await whenReady(container.port);
      else await eventually(() => isListening(container.dashboardPort), Boolean);
      assert.equal(await container.end(), 0, container.lines.slice(-8).join('\n'));
      assert.deepEqual(
        container.lines.filter((line) => /EROFS|EACCES|MODULE_NOT_FOUND/.test(line)),
        [],
      );
    });
  }

  test('a Job writes the install strategy', async () => {
    const object = kubeVirt({});
    const target = decideTarget({ ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }, environment());
    const job = host.start(['--dump-install-strategy', `--kubeconfig=${kubeconfig}`], {
      VIRT_OPERATOR_IMAGE: IMAGE,
      TARGET_DEPLOYMENT_CONFIG: target.json,
    });
    assert.equal((await job.exit).code, 0, job.lines.join('\n'));
    const { items } = await site.plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps`);
    const names = (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    assert.ok(
      names.some((name) => name.startsWith('kubevirt-install-strategy-')),
      names.join(),
    );
  });
});
