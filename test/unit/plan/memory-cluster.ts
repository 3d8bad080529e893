import { createRequire } from 'node:module';
import type * as FastJsonPatch from 'fast-json-patch';

import type { KindName } from '../../../src/api/kinds.ts';
import { objectKey, type JsonObject, type KubernetesObject } from '../../../src/api/objects.ts';
import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import type { Action, World } from '../../../src/plan/types.ts';

// The library is CommonJS and its named exports are not seen from here.
const { applyPatch } = createRequire(import.meta.url)('fast-json-patch') as typeof FastJsonPatch;

const CLEAN_UP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** A write as a test looks at it: `create Secret kubevirt-ca`. */
export type Write = string;

/** An API server of objects in memory: counts generations and versions, defaults nothing. Controllers run when `settle` is called. */
export class MemoryCluster implements World {
  readonly writes: Write[] = [];
  /** Whether custom resources keep their terminating definitions from being done. */
  areInstancesLeft = false;
  /** Whether the API server fails to delete custom resources, and tries again only when their definition changes. */
  isCleanUpForgotten = false;
  readonly #objects = new Map<string, KubernetesObject>();
  readonly nodes: readonly string[];
  #version = 0;

  constructor(options: { nodes?: number; objects?: readonly KubernetesObject[] } = {}) {
    this.nodes = Array.from({ length: options.nodes ?? 3 }, (_, index) => `node-${index}`);
    this.#store({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } });
    for (const object of options.objects ?? []) this.#store(structuredClone(object));
  }

  get(kind: KindName, name: string, namespace?: string): KubernetesObject | undefined {
    return this.#objects.get(`${kind} ${objectKey(name, namespace)}`);
  }

  list(kind: KindName): KubernetesObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  all(): KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Changes an object as somebody else would: by a copy that `edit` may change. */
  edit(kind: KindName, name: string, edit: (object: KubernetesObject) => void, namespace = 'kubevirt'): void {
    const live = this.get(kind, name, namespace) ?? this.get(kind, name);
    if (live === undefined) throw new Error(`no ${kind} ${name}`);
    const changed = structuredClone(live);
    edit(changed);
    this.#store(changed);
  }

  /** An object as somebody else would create it. */
  add(object: KubernetesObject): void {
    this.#store(object);
  }

  remove(kind: KindName, name: string, namespace?: string): void {
    if (!this.#objects.delete(`${kind} ${objectKey(name, namespace)}`)) throw new Error(`no ${kind} ${name}`);
  }

  /** Performs a write; throws when a precondition does not hold. */
  async perform(action: Action): Promise<KubernetesObject | undefined> {
    const name = 'object' in action ? (action.object.metadata.name ?? '') : action.name;
    const namespace = 'object' in action ? action.object.metadata.namespace : action.namespace;
    this.writes.push(`${action.verb} ${action.kind} ${name}`);
    const live = this.get(action.kind, name, namespace);
    if (action.verb === 'create') return this.#create(action, live);
    if (live === undefined) throw new Error(`${action.verb} of ${action.kind} ${name}: not found`);
    return this.#change(action, live);
  }

  async #create(action: Action & { verb: 'create' }, live: KubernetesObject | undefined): Promise<KubernetesObject> {
    if (live !== undefined) throw new Error(`${action.kind} ${action.object.metadata.name ?? ''} already exists`);
    const data = await secretData(action);
    return this.#store({ ...structuredClone(action.object), ...(data === undefined ? {} : { data }) });
  }

  async #change(
    action: Exclude<Action, { verb: 'create' }>,
    live: KubernetesObject,
  ): Promise<KubernetesObject | undefined> {
    switch (action.verb) {
      case 'delete':
        return this.#delete(action, live);
      case 'replace':
        if (action.object.metadata.resourceVersion !== live.metadata.resourceVersion) throw new Error('conflict');
        return this.#store(structuredClone(action.object));
      case 'merge': {
        const { labels } = (action.patch as { metadata: { labels: Record<string, string> } }).metadata;
        return this.#store({
          ...live,
          metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...labels } },
        });
      }
      case 'patch':
        return this.#patch(action, live);
    }
  }

  #delete(action: Action & { verb: 'delete' }, live: KubernetesObject): KubernetesObject | undefined {
    if (action.uid !== undefined && action.uid !== live.metadata.uid) throw new Error('precondition failed: uid');
    if ((live.metadata.finalizers ?? []).length > 0) {
      const isForgotten = this.isCleanUpForgotten && action.kind === 'CustomResourceDefinition';
      const finalizers = [...(live.metadata.finalizers ?? []), ...(isForgotten ? [CLEAN_UP_FINALIZER] : [])];
      const metadata = { ...live.metadata, finalizers, deletionTimestamp: '2026-01-01T00:00:00Z' };
      return this.#store({ ...live, metadata });
    }
    this.remove(action.kind, action.name, action.namespace);
    return undefined;
  }

  async #patch(action: Action & { verb: 'patch' }, live: KubernetesObject): Promise<KubernetesObject | undefined> {
    if (action.subresource === undefined && isStuck(live)) throw new Error(`${action.name}: status.storedVersions`);
    const operations = structuredClone(action.operations) as FastJsonPatch.Operation[];
    const patched = applyPatch(structuredClone(live), operations, true).newDocument;
    const data = await secretData(action);
    // Any change of it makes the API server clean up what it has forgotten.
    const finalizers = patched.metadata.finalizers?.filter((finalizer) => finalizer !== CLEAN_UP_FINALIZER);
    const metadata = { ...patched.metadata, ...(finalizers === undefined ? {} : { finalizers }) };
    const result = this.#store({ ...patched, metadata, ...(data === undefined ? {} : { data }) });
    if (!isReleased(result)) return result;
    this.remove(action.kind, action.name, action.namespace);
    return undefined;
  }

  #store(object: KubernetesObject): KubernetesObject {
    const { name = '', namespace } = object.metadata;
    const key = `${object.kind} ${objectKey(name, namespace)}`;
    const before = this.#objects.get(key);
    this.#version++;
    const isChanged =
      before === undefined ||
      JSON.stringify([before.spec, before.webhooks]) !== JSON.stringify([object.spec, object.webhooks]);
    const generation = (before ?? object).metadata.generation ?? 0;
    const metadata = {
      ...object.metadata,
      uid: before?.metadata.uid ?? `uid-${this.#version}`,
      resourceVersion: String(this.#version),
      generation: isChanged ? generation + 1 : generation,
    };
    const stored = { ...withConditions(object, this.areInstancesLeft), metadata };
    deepFreeze(stored);
    this.#objects.set(key, stored);
    return stored;
  }

  /** What the controllers of Deployments and DaemonSets do: a ready pod of the present template for every replica and node that `isUp` allows. */
  settle(isUp: (workload: string, index: number) => boolean = () => true): void {
    for (const deployment of this.list('Deployment')) {
      const replicas = Number(deployment.spec?.replicas ?? 1);
      const ready = this.#runPods(deployment, replicas, isUp);
      this.#setStatus(deployment, { replicas, updatedReplicas: replicas, readyReplicas: ready });
    }
    for (const daemonSet of this.list('DaemonSet')) {
      const desired = this.nodes.length;
      const ready = this.#runPods(daemonSet, desired, isUp);
      this.#setStatus(daemonSet, {
        desiredNumberScheduled: desired,
        currentNumberScheduled: desired,
        updatedNumberScheduled: desired,
        numberReady: ready,
      });
    }
  }

  /** A DaemonSet half way: the first `updated` nodes run a pod of the present template, the others the one that they had. */
  rollDaemonSet(name: string, updated: number, options: { crashing?: boolean } = {}): void {
    const daemonSet = this.get('DaemonSet', name, 'kubevirt');
    if (daemonSet === undefined) throw new Error(`no DaemonSet ${name}`);
    const { metadata } = daemonSet.spec?.template as unknown as { metadata: KubernetesObject['metadata'] };
    const isReady = options.crashing !== true;
    for (let index = 0; index < updated; index++) {
      this.edit('Pod', `${name}-${index}`, (pod) => {
        pod.metadata = { ...pod.metadata, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
        pod.status = {
          phase: 'Running',
          containerStatuses: [{ name, ready: isReady, restartCount: isReady ? 0 : 1 }],
        };
      });
    }
    const desired = this.nodes.length;
    this.#setStatus(daemonSet, {
      desiredNumberScheduled: desired,
      currentNumberScheduled: desired,
      updatedNumberScheduled: updated,
      numberReady: isReady ? desired : desired - updated,
    });
  }

  #runPods(workload: KubernetesObject, count: number, isUp: (workload: string, index: number) => boolean): number {
    const { name = '', namespace = '' } = workload.metadata;
    for (const pod of this.list('Pod')) {
      if (pod.metadata.name?.startsWith(`${name}-`) === true) this.remove('Pod', pod.metadata.name, namespace);
    }
    const template = workload.spec?.template as { metadata: JsonObject };
    const up = Array.from({ length: count }, (_, index) => isUp(name, index));
    up.forEach((ready, index) => {
      this.#store({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...(template.metadata as KubernetesObject['metadata']),
          name: `${name}-${index}`,
          namespace,
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: workload.kind, name, uid: workload.metadata.uid ?? '', controller: true },
          ],
        },
        status: { phase: 'Running', containerStatuses: [{ name, ready, restartCount: 0 }] },
      });
    });
    return up.filter(Boolean).length;
  }

  #setStatus(workload: KubernetesObject, status: JsonObject): void {
    const observedGeneration = workload.metadata.generation;
    this.#store({
      ...workload,
      status: { ...status, ...(observedGeneration === undefined ? {} : { observedGeneration }) },
    });
  }
}

async function secretData(action: Action): Promise<Record<string, string> | undefined> {
  const request = 'certificate' in action ? action.certificate : undefined;
  if (request === undefined) return undefined;
  const { certificatePem, privateKeyPem } = await issueCertificate(request);
  return {
    'tls.crt': Buffer.from(certificatePem).toString('base64'),
    'tls.key': Buffer.from(privateKeyPem).toString('base64'),
  };
}

function withConditions(object: KubernetesObject, areInstancesLeft: boolean): KubernetesObject {
  if (object.kind !== 'CustomResourceDefinition') return object;
  const conditions = [{ type: 'Established', status: 'True' }, ...terminating(object, areInstancesLeft)];
  return { ...object, status: { ...object.status, conditions } };
}

function terminating({ metadata }: KubernetesObject, areInstancesLeft: boolean): JsonObject[] {
  if (metadata.deletionTimestamp === undefined) return [];
  const type = 'Terminating';
  if (areInstancesLeft) return [{ type, status: 'True', reason: 'InstanceDeletionInProgress' }];
  return metadata.finalizers?.includes(CLEAN_UP_FINALIZER) === true
    ? [{ type, status: 'True', reason: 'InstanceDeletionFailed' }]
    : [{ type, status: 'False', reason: 'InstanceDeletionCompleted' }];
}

/** A CRD that stores a version which it does not have: the API server takes no change but one of its status. */
function isStuck({ kind, spec, status }: KubernetesObject): boolean {
  if (kind !== 'CustomResourceDefinition') return false;
  const stored = (status?.storedVersions ?? []) as string[];
  const versions = (spec?.versions ?? []) as unknown as { name: string }[];
  return stored.some((version) => !versions.some(({ name }) => name === version));
}

/** A terminating object whose last finalizer is gone. */
function isReleased({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.values(Object.freeze(value)).forEach(deepFreeze);
}
