import type { KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ApiClient } from '../apply/client.ts';
import { isStale } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Observed } from '../observe/gather.ts';
import type { FindMonitoring, Monitoring } from '../observe/monitor-namespace.ts';
import { customizeStrategy, type CustomizedStrategy } from '../customize/customize.ts';
import { buildDumpJob } from '../exchange/dump-job.ts';
import { buildStrategyConfigMap, parseStrategyConfigMap, strategyConfigMapsOf } from '../exchange/config-map.ts';
import { generateStrategy } from '../strategy/generate.ts';
import { decideStrategySource, type StrategySource } from '../exchange/strategy-source.ts';
import { monitorAccountOf, monitorNamespaceCandidates } from '../strategy/target-properties.ts';
import type { InstallStrategy, TargetDeployment } from '../strategy/types.ts';

/** What a strategy is loaded for. */
export interface StrategyRequest {
  kubeVirt: KubeVirt;
  target: TargetDeployment;
  observed: Observed;
  client: ApiClient;
  now: Date;
}

/** A strategy, customized, or what it waits for. */
export type LoadedStrategy =
  | ({ type: 'ready'; obsoleteJobs: readonly KubernetesObject[]; problems: readonly string[] } & CustomizedStrategy & {
        /** Writes the ConfigMap that upstream reads after a hand-back, when it is missing or outdated (design decision 6). */
        writeConfigMap: () => Promise<void>;
        /** What was found of monitoring; absent for a strategy that was not made here. */
        monitoring?: Monitoring;
      })
  | {
      type: 'pending';
      awaited: string;
      until?: Date;
      /** The Job that is under way. */
      job?: KubernetesObject;
      /** What has gone wrong so far, for the status. */
      failure?: string;
      obsoleteJobs: readonly KubernetesObject[];
    };

/** What a loader needs beside the requests. */
export interface StrategyLoaderOptions {
  operatorNamespace: string;
  runbookUrlTemplate: string;
  findMonitorNamespace: FindMonitoring;
  log: Log;
}

/** A value and what it was made from; one is enough, because there is one installation. */
interface Cached<T> {
  from: string;
  value: T;
}

/** A strategy as another release's image has stored it. */
interface Stored {
  id: string;
  strategy: InstallStrategy;
  configMap: KubernetesObject;
}

/**
 * Loads install strategies and keeps the last one: generated here when the release is the compiled-in one, else read from the ConfigMap that a Job of the
 * release's own image writes (spec/strategy.md §3, design decision 6). Strategies are frozen, so passes may share them.
 */
export class StrategyLoader {
  readonly #options: StrategyLoaderOptions;
  readonly #parsed = new WeakMap<KubernetesObject, InstallStrategy>();
  #generated: Cached<{ strategy: InstallStrategy; configMap?: KubernetesObject }> | undefined;
  #customized: (Cached<CustomizedStrategy> & { base: InstallStrategy }) | undefined;
  /** What was read last: whoever deletes or spoils the ConfigMap meanwhile takes nothing from the installation, and gets it back. */
  #stored: Stored | undefined;

  constructor(options: StrategyLoaderOptions) {
    this.#options = options;
  }

  /** Loads the strategy, or creates the Job that writes it. */
  async load(request: StrategyRequest): Promise<LoadedStrategy> {
    const { target, observed, now } = request;
    if (this.#stored?.id !== target.id) this.forget();
    const source = decideStrategySource({
      target,
      configMaps: observed.strategyConfigMaps,
      jobs: observed.strategyJobs,
      now,
      parse: (configMap) => this.#parse(configMap),
    });
    switch (source.type) {
      case 'native':
        return this.#generate(source, request);
      case 'configmap':
        this.#stored = { id: target.id, strategy: source.strategy, configMap: source.configMap };
        return {
          ...this.#ready(source.strategy, request),
          obsoleteJobs: source.obsoleteJobs,
          problems: source.problems,
          writeConfigMap: () => Promise.resolve(),
        };
      case 'create-job':
        return this.#recall(source, request) ?? this.#createJob(source, request);
      case 'wait':
        return this.#recall(source, request) ?? { ...source, type: 'pending', awaited: source.reason };
    }
  }

  /** To be called when an installation is removed: the next one asks the image anew, as does one that comes back to a release. */
  forget(): void {
    this.#stored = undefined;
  }

  /** The strategy that was read before, while its ConfigMap is missing or unreadable; undefined when none was. */
  #recall(
    { obsoleteJobs }: Pick<StrategySource, 'obsoleteJobs'>,
    request: StrategyRequest,
  ): LoadedStrategy | undefined {
    if (this.#stored === undefined) return undefined;
    const { strategy, configMap } = this.#stored;
    const { name = '', namespace, labels = {}, annotations = {} } = configMap.metadata;
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations };
    const wanted = { ...configMap, metadata };
    return {
      ...this.#ready(strategy, request),
      obsoleteJobs,
      problems: [],
      writeConfigMap: () => this.#writeConfigMap(wanted, request),
    };
  }

  async #generate(
    { obsoleteJobs }: StrategySource & { type: 'native' },
    request: StrategyRequest,
  ): Promise<LoadedStrategy> {
    const { target, observed } = request;
    const search = { candidates: monitorNamespaceCandidates(target), account: monitorAccountOf(target) };
    const monitoring = await this.#options.findMonitorNamespace(search, observed.features);
    const monitorNamespace = monitoring.namespace;
    const from = JSON.stringify([target.json, monitorNamespace]);
    if (this.#generated?.from !== from) {
      const { operatorNamespace, runbookUrlTemplate } = this.#options;
      const input = { target, operatorNamespace, monitorNamespace, runbookUrlTemplate };
      this.#generated = { from, value: { strategy: generateStrategy(input) } };
    }
    const { value } = this.#generated;
    return {
      ...this.#ready(value.strategy, request),
      obsoleteJobs,
      problems: [],
      monitoring,
      writeConfigMap: () => {
        value.configMap ??= buildStrategyConfigMap(target, value.strategy);
        const known = strategyConfigMapsOf(target, observed.strategyConfigMaps);
        // One that upstream wrote for this deployment is as good.
        const isOther =
          known.length > 0 && !known.some(({ metadata }) => metadata.name === value.configMap?.metadata.name);
        return isOther ? Promise.resolve() : this.#writeConfigMap(value.configMap, request);
      },
    };
  }

  /** Creates the ConfigMap, or replaces one of its name with other content. */
  async #writeConfigMap(wanted: KubernetesObject, { target, observed, client }: StrategyRequest): Promise<void> {
    const known = strategyConfigMapsOf(target, observed.strategyConfigMaps);
    const own = known.find(({ metadata }) => metadata.name === wanted.metadata.name);
    if (own !== undefined && JSON.stringify(own.data) === JSON.stringify(wanted.data)) return;
    try {
      if (own === undefined) await client.create('ConfigMap', wanted);
      else {
        const { resourceVersion = '' } = own.metadata;
        await client.replace('ConfigMap', { ...wanted, metadata: { ...wanted.metadata, resourceVersion } });
      }
    } catch (error) {
      // It is not what this pass has seen: the event of that brings the next one, which looks at its content.
      if (!isStale(error)) throw error;
    }
  }

  async #createJob(
    { attempt, reason, obsoleteJobs }: StrategySource & { type: 'create-job' },
    { target, kubeVirt, client }: StrategyRequest,
  ): Promise<LoadedStrategy> {
    const { operatorNamespace, log } = this.#options;
    const job = buildDumpJob({ target, operatorNamespace, spec: kubeVirt.spec, attempt });
    try {
      const { metadata } = await client.create('Job', job);
      log.info({ name: metadata.name, reason }, `a Job is to write the install strategy of ${target.kubeVirtVersion}`);
    } catch (error) {
      // A Job of this attempt exists: its own events go on from here.
      if (!isStale(error)) throw error;
    }
    return { type: 'pending', awaited: `the install strategy of ${target.kubeVirtVersion}`, obsoleteJobs };
  }

  #ready(base: InstallStrategy, { kubeVirt }: StrategyRequest): { type: 'ready' } & CustomizedStrategy {
    const { customizeComponents } = kubeVirt.spec;
    const from = JSON.stringify(customizeComponents ?? {});
    if (this.#customized?.from !== from || this.#customized.base !== base) {
      this.#customized = { from, base, value: customizeStrategy(base, customizeComponents) };
    }
    return { type: 'ready', ...this.#customized.value };
  }

  /** Objects of the cache are frozen and replaced as a whole, so the object itself says whether it was parsed before. */
  #parse(configMap: KubernetesObject): InstallStrategy {
    const known = this.#parsed.get(configMap);
    if (known !== undefined) return known;
    const strategy = parseStrategyConfigMap(configMap);
    this.#parsed.set(configMap, strategy);
    return strategy;
  }
}
