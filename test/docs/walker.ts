import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApiClient, type ApiClient } from '../../sandbox/api-client.ts';
import type { ApiObject } from '../../sandbox/api-object.ts';
import { parseKubeconfig } from '../../sandbox/kubeconfig.ts';
import { defaultStateFile, type SandboxState } from '../../src/cli/background/state-file.ts';
import { resourcePath } from '../../src/api/kinds.ts';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { requireBinaries } from '../integration/fixtures/control-plane.ts';
import { openShell, type Shell } from './shell.ts';

const KUBEVIRT = resourcePath('KubeVirt', 'kubevirt', 'kubevirt');

/** A user's shell with a folder of its own for temporary files, and what tests look at beside it. */
export class Walker {
  readonly folder = mkdtempSync(join(tmpdir(), 'readme-'));
  readonly shell: Shell;
  #api: ApiClient | undefined;

  constructor() {
    this.shell = openShell(this.env);
    atEnd(async () => {
      if (existsSync(this.stateFile)) await this.shell.run('virt-operator sandbox down');
      await this.shell.end();
      this.#api?.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Nobody's Redis but its own, whatever this test was given. */
  get env(): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: this.folder, KUBEBUILDER_ASSETS: requireBinaries() };
    delete env['REDIS_URL'];
    return env;
  }

  /** Where `sandbox up` says what it has started. */
  get stateFile(): string {
    return join(this.folder, defaultStateFile().slice(dirname(defaultStateFile()).length));
  }

  /** Opens a client of the cluster of a kubeconfig file. */
  use(kubeconfig: string): void {
    const { server, identity } = parseKubeconfig(readFileSync(kubeconfig, 'utf8'));
    this.#api = createApiClient(server, identity);
  }

  get api(): ApiClient {
    assert.ok(this.#api !== undefined, 'no cluster yet');
    return this.#api;
  }

  readState(): SandboxState {
    return JSON.parse(readFileSync(this.stateFile, 'utf8')) as SandboxState;
  }

  async statusOf(path: string): Promise<number> {
    return (await this.api.call('GET', path)).status;
  }

  async readKubeVirt(): Promise<KubeVirt> {
    return (await this.api.expect('GET', KUBEVIRT)) as unknown as KubeVirt;
  }

  async expectVersion(version: string): Promise<void> {
    const { status } = await this.readKubeVirt();
    assert.deepEqual([status?.phase, status?.observedKubeVirtVersion], ['Deployed', version]);
  }

  async listPods(selector = ''): Promise<ApiObject[]> {
    const query = selector === '' ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
    return (await this.api.expect('GET', `/api/v1/namespaces/kubevirt/pods${query}`))['items'] as ApiObject[];
  }

  /** What is left in the folder for temporary files, but for what Node and npm keep there. */
  listLeftovers(): string[] {
    return readdirSync(this.folder).filter((name) => !/^(node-compile-cache|\.npm|npm-)/.test(name));
  }

  /** The ends of all logs of the sandbox. */
  readLogs(): string {
    return globSync('**/*.log', { cwd: this.folder })
      .filter((file) => /state|sandbox-\d|virt-operator-/.test(file))
      .map((file) => `--- ${file}\n${readFileSync(join(this.folder, file), 'utf8').slice(-1500)}`)
      .join('\n');
  }
}
