import type { GenerationStatus, KubeVirt } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { recordGeneration } from '../../../src/apply/generations.ts';
import { decideSteps } from '../../../src/plan/steps.ts';
import type { Action, ClusterFeatures, PassContext, PlannedEvent, Step } from '../../../src/plan/types.ts';
import { customizeStrategy } from '../../../src/customize/customize.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import type { ReleaseEnvironment } from '../../../src/strategy/types.ts';
import { MemoryCluster } from './memory-cluster.ts';

export const ENVIRONMENT: ReleaseEnvironment = {
  operatorImage: 'quay.io/kubevirt/virt-operator:v1.9.0',
  kubeVirtVersion: 'v1.9.0',
  images: {
    virtApiImage: '',
    virtControllerImage: '',
    virtHandlerImage: '',
    virtLauncherImage: '',
    virtExportProxyImage: '',
    virtExportServerImage: '',
    virtSynchronizationControllerImage: '',
    virtTemplateApiserverImage: '',
    virtTemplateControllerImage: '',
    GsImage: '',
    PrHelperImage: '',
    SidecarShimImage: '',
  },
  passthroughEnv: {},
  runbookUrlTemplate: 'https://kubevirt.io/monitoring/runbooks/%s',
};

export const PLAIN_FEATURES: ClusterFeatures = {
  openshift: false,
  serviceMonitor: false,
  prometheusRule: false,
  validatingAdmissionPolicy: true,
  validatingAdmissionPolicyBinding: true,
};

/** The KubeVirt object of golden/cluster/default.yaml, with what a spec adds. */
export function buildKubeVirt(spec: KubeVirt['spec'] = {}): KubeVirt {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'uid-of-kubevirt', generation: 2 },
    spec: { imagePullPolicy: 'IfNotPresent', certificateRotateStrategy: {}, customizeComponents: {}, ...spec },
  };
}

/** How a pass ended. */
export interface PassResult {
  writes: string[];
  stopped?: string;
  problems: string[];
  events: PlannedEvent[];
  isComplete: boolean;
}

export const START = new Date('2026-03-01T12:00:00Z');

/** An installation in memory: a KubeVirt object, a cluster, and passes over both. */
export class Installation {
  kubeVirt: KubeVirt;
  features: ClusterFeatures = PLAIN_FEATURES;
  now = START;
  leftAlone: NonNullable<PassContext['leftAlone']> = [];
  rolloutHold: PassContext['rolloutHold'];
  readonly cluster: MemoryCluster;
  generations: readonly GenerationStatus[] = [];
  readonly #strategies = new Map<string, PassContext['strategy']>();

  constructor(kubeVirt = buildKubeVirt(), cluster = new MemoryCluster()) {
    this.kubeVirt = kubeVirt;
    this.cluster = cluster;
  }

  context(): PassContext {
    const target = decideTarget(this.kubeVirt, ENVIRONMENT);
    return {
      kubeVirt: this.kubeVirt,
      target,
      strategy: this.#strategy(),
      leftAlone: this.leftAlone,
      ...(this.rolloutHold === undefined ? {} : { rolloutHold: this.rolloutHold }),
      operatorNamespace: 'kubevirt',
      features: this.features,
      schedulableNodes: this.cluster.nodes.length,
      world: this.cluster,
      generations: this.generations,
      now: this.now,
    };
  }

  #strategy(): PassContext['strategy'] {
    const target = decideTarget(this.kubeVirt, ENVIRONMENT);
    const key = JSON.stringify([target.id, this.features, this.kubeVirt.spec.customizeComponents]);
    const known = this.#strategies.get(key);
    if (known !== undefined) return known;
    const generated = generateStrategy({
      target,
      operatorNamespace: 'kubevirt',
      monitorNamespace: this.features.serviceMonitor ? 'monitoring' : '',
      runbookUrlTemplate: ENVIRONMENT.runbookUrlTemplate,
    });
    const { strategy } = customizeStrategy(generated, this.kubeVirt.spec.customizeComponents);
    this.#strategies.set(key, strategy);
    return strategy;
  }

  /** One pass over the given steps, by default those that the situation asks for. */
  async pass(steps: readonly Step[] = decideSteps(this.context())): Promise<PassResult> {
    const before = this.cluster.writes.length;
    const result: PassResult = { writes: [], problems: [], events: [], isComplete: false };
    for (const step of steps) {
      const awaited = await this.#run(step, result);
      if (awaited === undefined) continue;
      result.stopped = `${step.name}: ${awaited}`;
      break;
    }
    result.writes = this.cluster.writes.slice(before);
    result.isComplete = result.stopped === undefined && result.problems.length === 0;
    return result;
  }

  async #run(step: Step, result: PassResult): Promise<string | undefined> {
    const { actions, events = [], problems = [], stop, until } = step.plan(this.context());
    result.events.push(...events);
    result.problems.push(...problems);
    for (const action of actions) this.#record(action, await this.cluster.perform(action));
    if (stop !== undefined) return stop;
    if (until === undefined || until.isOptional === true) return undefined;
    return until.isTrue(this.cluster) ? undefined : until.awaited;
  }

  #record(action: Action, answer: KubernetesObject | undefined): void {
    if (answer === undefined || (action.verb !== 'create' && action.verb !== 'patch')) return;
    if (action.verb === 'patch' && action.unrecorded === true) return;
    this.generations = recordGeneration(this.generations, action.kind, answer, action.hash);
  }

  /** Passes with the controllers at work in between, until one is complete. */
  async converge(limit = 12): Promise<PassResult[]> {
    const results: PassResult[] = [];
    for (let i = 0; i < limit; i++) {
      const result = await this.pass();
      results.push(result);
      if (result.isComplete) {
        this.observe();
        return results;
      }
      this.cluster.settle();
    }
    throw new Error(`not complete after ${limit} passes; the last one waits for ${results.at(-1)?.stopped ?? '?'}`);
  }

  /** What the status says once everything is ready. */
  observe(): void {
    const target = decideTarget(this.kubeVirt, ENVIRONMENT);
    this.kubeVirt = {
      ...this.kubeVirt,
      status: {
        ...this.kubeVirt.status,
        observedDeploymentID: target.id,
        observedKubeVirtVersion: target.kubeVirtVersion,
        observedKubeVirtRegistry: target.registry,
      },
    };
  }

  /** An edit of the spec by the administrator. */
  edit(spec: KubeVirt['spec']): void {
    const { metadata } = this.kubeVirt;
    this.kubeVirt = {
      ...this.kubeVirt,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...this.kubeVirt.spec, ...spec },
    };
  }
}
