import type { JsonObject, KubernetesObject, ObjectMeta } from '../../api/objects.ts';
import type { KindName } from '../../api/kinds.ts';
import { isManaged } from '../../plan/managed.ts';
import type { ObjectTable } from './object-table.ts';

/** The part of a workload that its pods are made from. */
interface Template {
  metadata?: ObjectMeta;
  spec?: { containers?: JsonObject[]; nodeSelector?: Record<string, string> };
}

type Numbers = Record<string, number>;

/** By which the API server keeps a CRD that is being deleted until it has deleted its instances. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
/** Reason by which it says that it could not: somebody else holds an instance. */
const CLEANUP_HELD = 'InstanceDeletionCheck';

/**
 * What the controllers of a cluster would do about what the operator has written, if everything goes well: CRDs are established or, when they are being
 * deleted, cleaned up; pods of a new template become ready, pods of removed workloads go. A DaemonSet renews the pod of one node first and then all
 * others, so that the operator sees both.
 */
export class Controllers {
  readonly #table: ObjectTable;
  /** Labels of all nodes of the cluster. */
  readonly #nodes: readonly Readonly<Record<string, string>>[];
  /** Template of which every pod of a workload is, by kind and name; nothing for one that is being rolled out. */
  readonly #rolled = new Map<string, string>();

  constructor(table: ObjectTable, nodes: readonly Readonly<Record<string, string>>[]) {
    this.#table = table;
    this.#nodes = nodes;
    for (const workload of this.#workloads()) {
      if (isRolled(workload)) this.#rolled.set(keyOf(workload), templateText(workload));
    }
  }

  /** Takes everything one notch further; false when there was nothing left to do. */
  settle(): boolean {
    const moves = [
      ...this.#table.all('CustomResourceDefinition').map((definition) => this.#settleDefinition(definition)),
      ...this.#workloads().map((workload) => this.#settleWorkload(workload)),
      this.#collectPods(),
    ];
    return moves.includes(true);
  }

  #workloads(): KubernetesObject[] {
    return [...this.#table.all('Deployment'), ...this.#table.all('DaemonSet')].filter(isManaged);
  }

  #settleDefinition(definition: KubernetesObject): boolean {
    if (definition.metadata.deletionTimestamp !== undefined) return this.#cleanUp(definition);
    if (hasCondition(definition, 'Established', 'True')) return false;
    const established = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' };
    this.#table.put('CustomResourceDefinition', withCondition(definition, established));
    return true;
  }

  /** Ends the deletion of a CRD, as far as it is the API server's to end. */
  #cleanUp(definition: KubernetesObject): boolean {
    const { name = '', finalizers = [] } = definition.metadata;
    if (hasCondition(definition, 'Terminating', 'False') && !finalizers.includes(CLEANUP_FINALIZER)) return false;
    if (conditionsOf(definition).some(({ reason }) => reason === CLEANUP_HELD)) return false;
    const held = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (held.length === 0) {
      this.#table.remove('CustomResourceDefinition', name);
      return true;
    }
    const cleaned = { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted' };
    const metadata = { ...definition.metadata, finalizers: held };
    this.#table.put('CustomResourceDefinition', withCondition({ ...definition, metadata }, cleaned));
    return true;
  }

  #settleWorkload(workload: KubernetesObject): boolean {
    const wanted = this.#countWanted(workload);
    const isTemplateRolled = this.#rolled.get(keyOf(workload)) === templateText(workload);
    if (isTemplateRolled && isSettled(workload, wanted)) return false;
    const updated = isTemplateRolled ? wanted : this.#roll(workload, wanted);
    this.#table.put(workload.kind as KindName, { ...workload, status: buildStatus(workload, wanted, updated) });
    return true;
  }

  #countWanted(workload: KubernetesObject): number {
    if (workload.kind === 'Deployment') return (workload.spec?.replicas as number | undefined) ?? 1;
    const known = numbersOf(workload).desiredNumberScheduled ?? 0;
    const { nodeSelector = {} } = templateOf(workload).spec ?? {};
    const matches = (labels: Readonly<Record<string, string>>) =>
      Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
    return known > 0 ? known : this.#nodes.filter(matches).length;
  }

  /** Renews pods; returns how many of the workload's are of its present template then. */
  #roll(workload: KubernetesObject, wanted: number): number {
    const pods = this.#podsOf(workload);
    const begun = `${templateText(workload)} begun`;
    const isCanary =
      workload.kind === 'DaemonSet' && pods.length > 0 && wanted > 1 && this.#rolled.get(keyOf(workload)) !== begun;
    this.#rolled.set(keyOf(workload), isCanary ? begun : templateText(workload));
    const updated = isCanary ? 1 : wanted;
    for (const { metadata } of isCanary ? pods.slice(0, 1) : pods) {
      this.#table.remove('Pod', metadata.name ?? '', metadata.namespace);
    }
    for (let index = 0; index < updated; index++) this.#table.put('Pod', buildPod(workload, index));
    return updated;
  }

  /** As the operator finds them (src/plan/rollout.ts). */
  #podsOf({ metadata }: KubernetesObject): KubernetesObject[] {
    return this.#table
      .all('Pod')
      .filter(
        (pod) =>
          pod.metadata.namespace === metadata.namespace && pod.metadata.name?.startsWith(`${metadata.name ?? ''}-`),
      );
  }

  /** Pods whose workload is gone go with it. */
  #collectPods(): boolean {
    const workloads = this.#workloads();
    const orphans = this.#table.all('Pod').filter((pod) => {
      return isManaged(pod) && isOfWorkload(pod) && !workloads.some((workload) => isPodOf(pod, workload));
    });
    for (const { metadata } of orphans) this.#table.remove('Pod', metadata.name ?? '', metadata.namespace);
    return orphans.length > 0;
  }
}

function conditionsOf({ status }: KubernetesObject): JsonObject[] {
  return (status?.conditions ?? []) as JsonObject[];
}

function hasCondition(definition: KubernetesObject, type: string, status: string): boolean {
  return conditionsOf(definition).some((each) => each.type === type && each.status === status);
}

function withCondition(definition: KubernetesObject, condition: JsonObject & { type: string }): KubernetesObject {
  const others = conditionsOf(definition).filter(({ type }) => type !== condition.type);
  return { ...definition, status: { ...definition.status, conditions: [...others, condition] } };
}

function isPodOf(pod: KubernetesObject, { metadata }: KubernetesObject): boolean {
  return (
    pod.metadata.namespace === metadata.namespace && pod.metadata.name?.startsWith(`${metadata.name ?? ''}-`) === true
  );
}

const OWNERS: readonly string[] = ['ReplicaSet', 'DaemonSet'];

function isOfWorkload({ metadata }: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, controller }) => controller === true && OWNERS.includes(kind));
}

function templateOf({ spec }: KubernetesObject): Template {
  return (spec?.template ?? {}) as Template;
}

function templateText(workload: KubernetesObject): string {
  return JSON.stringify(templateOf(workload));
}

function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function numbersOf({ status }: KubernetesObject): Partial<Numbers> {
  return (status ?? {}) as Partial<Numbers>;
}

/** Whether every pod is of the present template, as the real controller says. */
function isRolled(workload: KubernetesObject): boolean {
  const { observedGeneration, replicas, updatedReplicas, desiredNumberScheduled, updatedNumberScheduled } =
    numbersOf(workload);
  const [wanted = 0, updated = 0] =
    workload.kind === 'DaemonSet' ? [desiredNumberScheduled, updatedNumberScheduled] : [replicas, updatedReplicas];
  return observedGeneration === workload.metadata.generation && updated >= wanted && wanted > 0;
}

/** Whether the status says that all pods are there and ready. */
function isSettled(workload: KubernetesObject, wanted: number): boolean {
  const { observedGeneration, replicas, readyReplicas, numberReady } = numbersOf(workload);
  if (observedGeneration !== workload.metadata.generation) return false;
  return workload.kind === 'DaemonSet' ? numberReady === wanted : replicas === wanted && readyReplicas === wanted;
}

function buildStatus(workload: KubernetesObject, wanted: number, updated: number): JsonObject {
  const { generation } = workload.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  if (workload.kind === 'Deployment') {
    return {
      ...observed,
      replicas: wanted,
      updatedReplicas: updated,
      readyReplicas: wanted,
      availableReplicas: wanted,
    };
  }
  return {
    ...observed,
    desiredNumberScheduled: wanted,
    currentNumberScheduled: wanted,
    updatedNumberScheduled: updated,
    numberReady: wanted,
    numberAvailable: wanted,
  };
}

/** A ready pod of a workload's present template. */
function buildPod(workload: KubernetesObject, index: number): KubernetesObject {
  const { name = '', namespace, uid = '' } = workload.metadata;
  const { metadata = {}, spec } = templateOf(workload);
  const owner = {
    apiVersion: 'apps/v1',
    kind: workload.kind === 'DaemonSet' ? 'DaemonSet' : 'ReplicaSet',
    name,
    uid,
    controller: true,
  };
  const containerStatuses = (spec?.containers ?? []).map((container) => ({
    name: container.name ?? '',
    ready: true,
    restartCount: 0,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `${name}-rehearsed-${index}`,
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [owner],
    },
    status: { phase: 'Running', containerStatuses },
  };
}
