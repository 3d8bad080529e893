import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane.ts';
import { errorText } from '../../src/errors.ts';
import { createApiClient } from '../api-client.ts';
import { readLogTail, type Family, type Member } from '../processes.ts';
import { isPortFree } from '../ports.ts';
import { mountFiles, resolveEnvironment, type Surroundings } from './environment.ts';
import { buildStatus, portFlags, type Container, type Pod, type PodPorts, type PodState } from './pod.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const COMPILE_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compile');

/** Pause before a container that has ended is started again; a kubelet begins with ten seconds. */
const RESTART_MS = 1000;
const PROBE_MS = 300;

/** What a pod needs to be run. */
export interface PodSite extends Surroundings {
  plane: Pick<ControlPlane, 'api' | 'directory' | 'writeServiceAccountKubeconfig'>;
  family: Family;
  log: (sentence: string) => void;
}

/**
 * One pod of our own image, run as processes of this machine: init containers one after the other, then its container, each with command, environment and
 * token of the template. Readiness is what its probe says; its status is written as a kubelet would.
 */
export class PodProcess {
  readonly pod: Pod;
  readonly ports: PodPorts;
  readonly #site: PodSite;
  readonly #ending = new AbortController();
  readonly #state: PodState;
  #running: Member | undefined;
  #written = '';

  constructor(pod: Pod, site: PodSite, given: { ports: PodPorts; ip: string }) {
    this.pod = pod;
    this.ports = given.ports;
    this.#site = site;
    this.#state = {
      phase: 'Pending',
      ready: false,
      prepared: 0,
      restarts: 0,
      startedAt: new Date().toISOString(),
      ip: given.ip,
    };
  }

  get isReady(): boolean {
    return this.#state.ready;
  }

  /** Runs the pod until it has ended or is stopped. Never rejects: what goes wrong is told, and stands in the pod's status. */
  async run(): Promise<void> {
    const { name } = this.pod.metadata;
    try {
      await this.#runAll();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#site.log(`pod ${name} cannot be run: ${String(error)}`);
    }
  }

  /** Ends the pod's process as a kubelet does: SIGTERM first. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('the pod is gone'));
    this.#state.ready = false;
    await this.#running?.stop('SIGTERM');
  }

  async #runAll(): Promise<void> {
    const { initContainers = [], containers, restartPolicy = 'Always' } = this.pod.spec;
    for (const container of initContainers) {
      while (!(await this.#runOnce(container))) await this.#pause(RESTART_MS);
      this.#state.prepared++;
      await this.#tell({});
    }
    const [main] = containers;
    for (;;) {
      const probing = this.#probe(main);
      await this.#tell({ phase: 'Running' });
      const isGood = await this.#runOnce(main).finally(() => probing.stop());
      if (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && isGood)) {
        await this.#tell({ phase: isGood ? 'Succeeded' : 'Failed', ready: false });
        return;
      }
      this.#state.restarts++;
      await this.#tell({ ready: false });
      await this.#pause(RESTART_MS);
    }
  }

  /** Starts a container and waits for its end; true when it ended with 0. What keeps it from starting counts as its failure. */
  async #runOnce(container: Container): Promise<boolean> {
    const { signal } = this.#ending;
    const problem = await this.#start(container).then(
      async (running) => {
        this.#running = running;
        const { code } = await running.exited;
        return code === 0 ? undefined : `ended with ${code ?? 'a signal'}: ${await readLogTail(running, 3)}`;
      },
      (error: unknown) => errorText(error),
    );
    signal.throwIfAborted();
    if (problem === undefined) return true;
    if (problem !== this.#state.message) {
      this.#site.log(`container ${container.name} of pod ${this.pod.metadata.name}: ${problem}`);
    }
    await this.#tell({ message: problem.slice(-1000) });
    return false;
  }

  async #start(container: Container): Promise<Member> {
    const { plane, family } = this.#site;
    const { metadata, spec } = this.pod;
    const { command = [], name } = container;
    if (command.join() !== 'virt-operator') throw new Error(`it runs "${command.join(' ')}", not our program`);
    const folder = join(plane.directory, 'pods', metadata.uid);
    const args = await mountFiles(this.pod, container, { api: plane.api, folder });
    const env = await resolveEnvironment(container, metadata.namespace, this.#site);
    const { automountServiceAccountToken: hasToken = true, serviceAccountName: account = 'default' } = spec;
    const access = hasToken
      ? [`--kubeconfig=${await plane.writeServiceAccountKubeconfig(metadata.namespace, account)}`]
      : [];
    this.#ending.signal.throwIfAborted();
    return family.start({
      name: `${metadata.name}-${name}`,
      file: process.execPath,
      args: [PROGRAM, ...args, ...access, ...portFlags(container, this.ports)],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    });
  }

  /** Asks the readiness probe again and again; the answer goes into the status. */
  #probe(container: Container): { stop: () => Promise<void> } {
    const ending = new AbortController();
    const asking = this.#keepAsking(container, AbortSignal.any([ending.signal, this.#ending.signal]));
    return {
      stop: async () => {
        ending.abort();
        await asking;
      },
    };
  }

  async #keepAsking(container: Container, signal: AbortSignal): Promise<void> {
    if (container.ports === undefined) return;
    const { log } = this.#site;
    while (!signal.aborted) {
      const ready = await this.#isReady(container);
      if (ready && !this.#state.ready) log(`pod ${this.pod.metadata.name} is ready: ${this.#describePorts()}`);
      await this.#tell({ ready });
      await delay(PROBE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #isReady({ readinessProbe }: Container): Promise<boolean> {
    const path = readinessProbe?.httpGet?.path;
    if (path === undefined) return !(await isPortFree(this.ports.dashboard));
    const client = createApiClient(`https://127.0.0.1:${this.ports.metrics}`, { ca: undefined, insecure: true }, 2000);
    try {
      return (await client.call('GET', path)).status === 200;
    } catch {
      // Nobody listens yet.
      return false;
    } finally {
      client.close();
    }
  }

  #describePorts(): string {
    return `metrics https://127.0.0.1:${this.ports.metrics}/metrics, dashboard http://127.0.0.1:${this.ports.dashboard}`;
  }

  /** Writes the status when it has changed; a pod that is gone needs none. */
  async #tell(change: Partial<PodState>): Promise<void> {
    Object.assign(this.#state, change);
    const status = buildStatus(this.pod, this.#state);
    const text = JSON.stringify(status);
    if (text === this.#written || this.#ending.signal.aborted) return;
    const { namespace, name } = this.pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const answer = await this.#site.plane.api.call('PATCH', path, { status }, 'application/merge-patch+json');
    if (answer.status === 200) this.#written = text;
    else if (answer.status !== 404) this.#site.log(`the status of pod ${name} could not be told: ${answer.text}`);
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#ending.signal });
  }
}
