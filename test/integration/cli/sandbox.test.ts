import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { isAlive, type SandboxState } from '../../../src/cli/background/state-file.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { requireBinaries } from '../fixtures/control-plane.ts';
import { listProcesses } from '../fixtures/processes.ts';
import { runCommand } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
const stateFile = join(folder, 'state.json');
const nowhere = { kubeconfig: join(folder, 'none') };

describe('sandbox', () => {
  process.env['KUBEBUILDER_ASSETS'] = requireBinaries();
  atEnd(() => {
    rmSync(folder, { recursive: true });
  });

  test('up in the background, used by commands, and down without a trace', async () => {
    const up = await runCommand('sandbox', ['up', '--nodes', '1', '--state', stateFile, '-o', 'json'], nowhere);
    assert.equal(up.code, 0, up.err);
    const state = JSON.parse(up.out) as SandboxState;
    atEnd(() => isAlive(state.pid) && process.kill(state.pid, 'SIGTERM'));
    assert.deepEqual(JSON.parse(readFileSync(stateFile, 'utf8')), state);
    assert.equal(state.dashboard, undefined, 'the control plane alone');

    const preflight = await runCommand('preflight', [], { kubeconfig: state.kubeconfig });
    assert.match(preflight.out, /✓ nodes: 1 nodes/);
    assert.match(preflight.out, /✗ priority class/);
    assert.equal(preflight.code, 3);
    const status = await runCommand('status', [], { kubeconfig: state.kubeconfig });
    assert.match(status.err, /no CustomResourceDefinition kubevirts\.kubevirt\.io/);

    const again = await runCommand('sandbox', ['up', '--state', stateFile], nowhere);
    assert.match(again.err, /up already/);
    assert.match(again.out, new RegExp(`export KUBECONFIG=${state.kubeconfig}\n$`));

    const down = await runCommand('sandbox', ['down', '--state', stateFile], nowhere);
    assert.deepEqual([down.code, down.out], [0, 'the sandbox is gone\n'], down.err);
    assert.equal(isAlive(state.pid), false);
    assert.equal(existsSync(state.kubeconfig), false);
    assert.deepEqual(readdirSync(folder), []);
    assert.deepEqual(await listProcesses(state.kubeconfig.replace(/kubeconfig$/, '')), []);
  });

  test('an argument that npm start refuses is told with its words', async () => {
    const { code, err } = await runCommand('sandbox', ['up', '--nodes', '0', '--state', stateFile], nowhere);
    assert.equal(code, 2);
    assert.match(err, /--nodes must be a number from 1 to 1000, not "0"/);
  });

  test('a start that takes too long is ended', async () => {
    const { code, err } = await runCommand('sandbox', ['up', '--timeout', '1', '--state', stateFile], nowhere);
    assert.equal(code, 1);
    assert.match(err, /gave up after 1 seconds/);
    assert.equal(existsSync(stateFile), false);
    assert.deepEqual(await listProcesses(stateFile), []);
  });
});
