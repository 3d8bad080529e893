/** `npm start`, and the commands that the README gives for a second terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { before, describe, test } from 'node:test';
import { findFreePort } from '../../sandbox/ports.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { noHelm } from '../chart/render.ts';
import { Walker } from './walker.ts';
import { ROOT } from './documents.ts';
import { commandsOf, walk, type Step } from './walk.ts';

const walker = new Walker();
const patch = (tag: string) =>
  `kubectl --namespace kubevirt patch kubevirt kubevirt --type merge --patch '{"spec":{"imageTag":${tag}}}'`;
const waitFor = (version: string) =>
  `kubectl --namespace kubevirt wait kubevirt kubevirt --for jsonpath='{.status.observedKubeVirtVersion}'=${version} --timeout 5m`;

let start: ReturnType<typeof spawn>;
let output = '';
let dashboard = 0;

const steps: Record<string, Step> = {
  'eval "$(npm run --silent tools)"': {},
  'virt-operator status': {
    after: (text) => {
      assert.match(text, /kubevirt\/kubevirt: Deployed, v1\.9\.0/);
    },
  },
  'virt-operator plan --to v1.9.1 --run-job': {
    proves: 'the plan says what an upgrade changes, and changes nothing',
    after: async (text) => {
      assert.match(text, /virt-handler/);
      assert.match(text, /virt-api/);
      await walker.expectVersion('v1.9.0');
    },
  },
  [patch('"v1.9.1"')]: {},
  [waitFor('v1.9.1')]: { after: () => walker.expectVersion('v1.9.1') },
  'virt-operator plan --to v1.9.0': {
    after: (text) => {
      assert.match(text, /virt-handler/);
    },
  },
  [patch('null')]: {},
  [waitFor('v1.9.0')]: { after: () => walker.expectVersion('v1.9.0') },
  'kubectl --namespace kubevirt delete kubevirt kubevirt': {
    after: async () => {
      for (const path of [
        resourcePath('KubeVirt', 'kubevirt', 'kubevirt'),
        resourcePath('DaemonSet', 'kubevirt', 'virt-handler'),
      ]) {
        assert.equal(await walker.statusOf(path), 404, path);
      }
    },
  },
};

describe('README, "Try it"', { skip: noHelm, timeout: 480_000 }, () => {
  const [first, ...commands] = commandsOf('Try it');

  before(async () => {
    dashboard = await findFreePort();
    // The ports of the README may be taken on a machine that runs tests.
    const flags = [`--port=${await findFreePort()}`, `--dashboard-port=${dashboard}`];
    start = spawn('npm', ['start', '--', ...flags], {
      cwd: ROOT,
      env: walker.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [start.stdout, start.stderr]) {
      stream?.on('data', (part: Buffer) => {
        output += part.toString();
      });
    }
    atEnd(() => start.exitCode === null && start.kill('SIGTERM'));
    await eventually(
      () => output,
      (text) => text.includes('Ctrl-C ends everything') || start.exitCode !== null,
      240_000,
    );
    const [, kubeconfig = ''] = /export KUBECONFIG=(\S+)/.exec(output) ?? [];
    assert.notEqual(kubeconfig, '', output);
    walker.use(kubeconfig);
    await walker.shell.run(`export KUBECONFIG=${kubeconfig}`);
  });

  test('npm start', async () => {
    assert.equal(first, 'npm start');
    assert.match(output, /Deployed, [\d.]+ s after/);
    const page = await fetch(`http://127.0.0.1:${dashboard}/`);
    assert.equal(page.status, 200);
  });

  walk(commands, steps, { shell: () => walker.shell, describeFailure: () => output.slice(-2000) });

  test('Ctrl-C leaves nothing behind', async () => {
    assert.ok(start.pid !== undefined);
    const exited = once(start, 'exit');
    process.kill(-start.pid, 'SIGINT');
    await exited;
    assert.doesNotMatch(output, /could not|cannot|rror/, 'nothing frightens on the way');
    assert.deepEqual(walker.listLeftovers(), []);
  });
});
