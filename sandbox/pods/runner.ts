import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane.ts';
import { findFreePort, isPortFree } from '../ports.ts';
import { createFamily } from '../processes.ts';
import { PodProcess, type PodSite } from './pod-process.ts';
import { OWN_PODS, servesWebhooks, type Pod, type PodPorts } from './pod.ts';

/** What a runner needs. */
export interface PodRunnerOptions {
  plane: Pick<ControlPlane, 'api' | 'directory' | 'writeServiceAccountKubeconfig'>;
  /** Address of a Redis in place of the chart's; asked for when the first pod wants it. */
  redis: () => Promise<string>;
  /** Told the ports of admission of all pods that are ready, whenever they change. */
  onWebhookPorts: (ports: readonly number[]) => void;
  /** Ports of metrics and dashboard that a pod gets when they are free. */
  ports?: Pick<PodPorts, 'metrics' | 'dashboard'>;
  log?: (sentence: string) => void;
}

/** The kubelet for pods of our own image. */
export interface PodRunner {
  /** Ends all pods' processes. */
  stop(): Promise<void>;
}

const PODS = `/api/v1/pods?labelSelector=${encodeURIComponent(OWN_PODS)}`;
/** Pause before a watch is opened again. */
const REOPEN_MS = 200;

/**
 * Runs the pods that the chart brings, as soon as they are scheduled, as processes of this repository's sources: what `helm install` puts into the sandbox
 * works there, with the rights of the chart alone. All other pods are played (stages/stages.yaml).
 */
export function startPodRunner(options: PodRunnerOptions): PodRunner {
  const ending = new AbortController();
  const family = createFamily(options.plane.directory);
  const { plane, redis, log = () => undefined } = options;
  const pods = new Pods({ plane, api: plane.api, redis, family, log }, options);
  const watching = pods.follow(ending.signal);
  return {
    stop: async () => {
      ending.abort();
      await watching;
      await pods.stop();
      await family.end();
    },
  };
}

class Pods {
  readonly #site: PodSite;
  readonly #options: PodRunnerOptions;
  readonly #running = new Map<string, { process: PodProcess; ended: Promise<void> }>();
  #count = 0;
  #told = '';

  constructor(site: PodSite, options: PodRunnerOptions) {
    this.#site = site;
    this.#options = options;
  }

  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal);
      } catch (error) {
        this.#site.log(`the pods of the operator cannot be watched: ${String(error)}`);
      }
      await delay(REOPEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A list first: a pod that went between two watches is noticed too. */
  async #followOnce(signal: AbortSignal): Promise<void> {
    const { api } = this.#site.plane;
    const list = await api.expect('GET', PODS);
    const found = list['items'] as Pod[];
    const alive = new Set(found.map(({ metadata }) => metadata.uid));
    for (const uid of this.#running.keys()) if (!alive.has(uid)) this.#end(uid);
    for (const pod of found) await this.#take(pod);
    const version = list.metadata?.resourceVersion ?? '';
    for await (const { type, object } of api.watch(`${PODS}&watch=true&resourceVersion=${version}`, signal)) {
      const pod = object as Pod;
      if (type === 'DELETED') this.#end(pod.metadata.uid);
      else if (type === 'ADDED' || type === 'MODIFIED') await this.#take(pod);
      this.#tellPorts();
    }
  }

  async #take(pod: Pod): Promise<void> {
    const { uid, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      this.#end(uid);
      return;
    }
    const isDue = pod.spec.nodeName !== undefined && (pod.status?.phase ?? 'Pending') === 'Pending';
    if (!isDue || this.#running.has(uid)) return;
    const ip = `10.99.${(this.#count >> 8) & 255}.${this.#count++ & 255}`;
    const process = new PodProcess(pod, this.#site, { ports: await this.#choosePorts(), ip });
    this.#running.set(uid, { process, ended: process.run() });
  }

  /** The wished ports for whoever comes first; a pod gives them back with its end. */
  async #choosePorts(): Promise<PodPorts> {
    const taken = [...this.#running.values()].flatMap(({ process }) => Object.values(process.ports) as number[]);
    const choose = async (wish: number | undefined): Promise<number> =>
      wish !== undefined && !taken.includes(wish) && (await isPortFree(wish)) ? wish : findFreePort();
    const { ports } = this.#options;
    return {
      metrics: await choose(ports?.metrics),
      webhooks: await choose(undefined),
      dashboard: await choose(ports?.dashboard),
    };
  }

  #end(uid: string): void {
    const found = this.#running.get(uid);
    if (found === undefined) return;
    // Until its process has ended it keeps its place, and with it its ports.
    found.ended = Promise.all([found.process.stop(), found.ended]).then(() => {
      this.#running.delete(uid);
    });
  }

  #tellPorts(): void {
    const ready = [...this.#running.values()].filter(({ process }) => process.isReady && servesWebhooks(process.pod));
    const ports = ready.map(({ process }) => process.ports.webhooks);
    if (ports.join() === this.#told) return;
    this.#told = ports.join();
    this.#options.onWebhookPorts(ports);
  }

  async stop(): Promise<void> {
    for (const uid of this.#running.keys()) this.#end(uid);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}
