import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { ApiObject } from './api-object.ts';
import type { ControlPlane } from './control-plane.ts';
import { createFamily, readLogTail, type Family } from './processes.ts';
import type { WatchEvent } from './watch.ts';

/** What a dumper needs, and how it goes about its work. */
export interface DumperOptions {
  plane: Pick<ControlPlane, 'api' | 'directory' | 'writeServiceAccountKubeconfig'>;
  /** Folder with strategy ConfigMaps as other releases have written them, `VERSION.json`; without it, and for versions that it lacks, we dump ourselves. */
  recorded?: string;
  /** Why a pod has to fail, for tests; undefined lets it run. */
  refuse?: (pod: DumperPod) => string | undefined;
  log?: (sentence: string) => void;
}

/** The kubelet for pods that dump an install strategy. */
export interface Dumper {
  /** The pods that have been run, oldest first, as they were when they were taken up. */
  readonly pods: readonly DumperPod[];
  stop(): Promise<void>;
}

/** The fields of a pod that matter here. */
export interface DumperPod extends ApiObject {
  metadata: { name: string; namespace: string; uid: string; labels?: Record<string, string> };
  spec: {
    nodeName?: string;
    serviceAccountName: string;
    nodeSelector?: Record<string, string>;
    imagePullSecrets?: { name: string }[];
    containers: { name: string; image: string; env?: { name: string; value?: string }[] }[];
  };
  status?: { phase?: string };
}

const PODS = `/api/v1/pods?watch=true&labelSelector=${encodeURIComponent('kubevirt.io=virt-operator-strategy-dumper')}`;
/** Where strategies of other releases lie beside the repository; there need not be any. */
export const RECORDED_STRATEGIES = join(import.meta.dirname, '..', '..', 'shared', 'golden', 'configmaps');
const PROGRAM = join(import.meta.dirname, '..', 'src', 'main.ts');
/** Pause before a watch is opened again. */
const REOPEN_MS = 200;

/**
 * Starts what stands in for kubelets on pods that dump an install strategy, which kwok leaves alone: as soon as such a pod is scheduled, a recorded ConfigMap
 * is put in place, or this repository's own `--dump-install-strategy` runs with the pod's environment and the rights of its account. The pod then ends
 * as the run did, and with it its Job.
 */
export function startDumper(options: DumperOptions): Dumper {
  const ending = new AbortController();
  const family = createFamily(options.plane.directory);
  const kubelet = new Kubelet(options, family);
  const watching = watchPods(options, kubelet, ending.signal);
  return {
    pods: kubelet.pods,
    stop: async () => {
      ending.abort();
      await Promise.all([watching, family.end()]);
      await kubelet.settled();
    },
  };
}

async function watchPods({ plane, log }: DumperOptions, kubelet: Kubelet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await takeAll(plane.api.watch(PODS, signal), kubelet);
    } catch (error) {
      log?.(`the pods of dump Jobs cannot be watched: ${String(error)}`);
    }
    await delay(REOPEN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function takeAll(events: AsyncIterable<WatchEvent>, kubelet: Kubelet): Promise<void> {
  for await (const { type, object } of events) {
    if (type === 'ADDED' || type === 'MODIFIED') kubelet.take(object as DumperPod);
  }
}

class Kubelet {
  readonly pods: DumperPod[] = [];
  readonly #options: DumperOptions;
  readonly #family: Family;
  readonly #taken = new Set<string>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: DumperOptions, family: Family) {
    this.#options = options;
    this.#family = family;
  }

  /** Runs a pod once, when it is scheduled. */
  take(pod: DumperPod): void {
    const { uid } = pod.metadata;
    const isDue = pod.spec.nodeName !== undefined && (pod.status?.phase ?? 'Pending') === 'Pending';
    if (!isDue || this.#taken.has(uid)) return;
    this.#taken.add(uid);
    this.pods.push(pod);
    const running = this.#run(pod).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(pod: DumperPod): Promise<void> {
    const { log } = this.#options;
    const startedAt = new Date().toISOString();
    const problem = await this.#dump(pod).catch((error: unknown) => String(error));
    log?.(`pod ${pod.metadata.name} ${problem === undefined ? 'has written its strategy' : `has failed: ${problem}`}`);
    await this.#end(pod, startedAt, problem).catch((error: unknown) => {
      log?.(`the end of pod ${pod.metadata.name} could not be told: ${String(error)}`);
    });
  }

  /** What went wrong, if anything did. */
  async #dump(pod: DumperPod): Promise<string | undefined> {
    const refusal = this.#options.refuse?.(pod);
    if (refusal !== undefined) return refusal;
    const target = readTarget(pod);
    const recorded = await this.#findRecorded(target.kubeVirtVersion);
    if (recorded === undefined) return this.#dumpOurselves(pod);
    const configMap = retarget(recorded, target);
    await this.#options.plane.api.expect('POST', `/api/v1/namespaces/${target.namespace}/configmaps`, configMap);
    return undefined;
  }

  async #findRecorded(version: string): Promise<ApiObject | undefined> {
    const { recorded } = this.#options;
    if (recorded === undefined) return undefined;
    try {
      return JSON.parse(await readFile(join(recorded, `${version}.json`), 'utf8')) as ApiObject;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #dumpOurselves({ metadata, spec }: DumperPod): Promise<string | undefined> {
    const { plane } = this.#options;
    const kubeconfig = await plane.writeServiceAccountKubeconfig(metadata.namespace, spec.serviceAccountName);
    const variables = (spec.containers[0]?.env ?? []).map(({ name, value = '' }) => [name, value] as const);
    const run = await this.#family.start({
      name: metadata.name,
      file: process.execPath,
      args: [PROGRAM, '--dump-install-strategy', `--kubeconfig=${kubeconfig}`],
      env: {
        ...pick(process.env, ['PATH', 'HOME', 'NODE_COMPILE_CACHE']),
        ...Object.fromEntries(variables),
      },
    });
    const { code, signal } = await run.exited;
    return code === 0 ? undefined : `${signal ?? `exit code ${code}`}: ${await readLogTail(run, 3)}`;
  }

  async #end({ metadata, spec }: DumperPod, startedAt: string, problem: string | undefined): Promise<void> {
    const finishedAt = new Date().toISOString();
    const isDone = problem === undefined;
    const terminated = isDone
      ? { exitCode: 0, reason: 'Completed', startedAt, finishedAt }
      : { exitCode: 1, reason: 'Error', message: problem.slice(0, 1000), startedAt, finishedAt };
    const status = {
      phase: isDone ? 'Succeeded' : 'Failed',
      containerStatuses: spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated },
      })),
    };
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
    const answer = await this.#options.plane.api.call('PATCH', path, { status }, 'application/merge-patch+json');
    // Whoever asked for the Job may have removed it as soon as its ConfigMap was there.
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`${answer.status}: ${answer.text}`);
  }
}

/** The fields of a deployment config that matter here. */
interface Target {
  id: string;
  namespace: string;
  registry: string;
  kubeVirtVersion: string;
}

function readTarget({ spec }: DumperPod): Target {
  const config = spec.containers[0]?.env?.find(({ name }) => name === 'TARGET_DEPLOYMENT_CONFIG')?.value;
  if (config === undefined) throw new Error('the pod has no TARGET_DEPLOYMENT_CONFIG');
  return JSON.parse(config) as Target;
}

/** A recorded ConfigMap under the identity that is asked for. */
function retarget(recorded: ApiObject, target: Target): ApiObject {
  const annotations = {
    ...(recorded.metadata as { annotations?: Record<string, string> } | undefined)?.annotations,
    'kubevirt.io/install-strategy-version': target.kubeVirtVersion,
    'kubevirt.io/install-strategy-registry': target.registry,
    'kubevirt.io/install-strategy-identifier': target.id,
  };
  const metadata = { ...recorded.metadata, namespace: target.namespace, annotations };
  return { ...recorded, apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
