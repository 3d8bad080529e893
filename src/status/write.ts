import { isDeepStrictEqual } from 'node:util';

import { asKubeVirt, type KubeVirt, type KubeVirtStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ApiClient, Target } from '../apply/client.ts';
import { isStale } from '../errors.ts';
import type { JsonPatchOperation } from '../plan/types.ts';

/** How often a write is tried again on an object that changed meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Writes the status of a KubeVirt: one PUT on `/status` with its resourceVersion, nothing when nothing changed (spec/reconcile.md §2). When the object changed
 * meanwhile, it is read again and what differs between `seen.status` and `status` is put onto it, so that fields of other writers stay theirs.
 * Returns the object as it then is; rejects with the API server's last answer.
 */
export async function writeStatus(client: ApiClient, seen: KubeVirt, status: KubeVirtStatus): Promise<KubeVirt> {
  if (isSameStatus(seen.status, status)) return seen;
  return retryStale(client, seen, (current) => {
    const merged = current === seen ? status : mergeStatus(current.status, seen.status, status);
    return client.replace('KubeVirt', { ...current, status: merged } as KubernetesObject, 'status');
  });
}

/**
 * Brings the finalizers of a KubeVirt to `decide(those it has)` with a JSON Patch that holds only if nobody else changed them (spec/reconcile.md §2.1).
 * Sends nothing when they are as wanted.
 */
export async function writeFinalizers(
  client: ApiClient,
  seen: KubeVirt,
  decide: (finalizers: readonly string[]) => string[],
): Promise<KubeVirt> {
  return retryStale(client, seen, (current) => {
    const { finalizers } = current.metadata;
    const wanted = decide(finalizers ?? []);
    if (isDeepStrictEqual(wanted, finalizers ?? [])) return Promise.resolve(current as KubernetesObject);
    return client.patch(targetOf(seen), buildFinalizerPatch(current, wanted));
  });
}

/**
 * Sets annotations of a KubeVirt and touches no others. The UID is the precondition: setting the same keys twice does no harm, setting them on an object
 * that was created anew does. Sends nothing when they are there.
 */
export async function writeAnnotations(
  client: ApiClient,
  seen: KubeVirt,
  annotations: Readonly<Record<string, string>>,
): Promise<KubeVirt> {
  const { uid, annotations: current = {} } = seen.metadata;
  if (Object.entries(annotations).every(([key, value]) => current[key] === value)) return seen;
  return asKubeVirt(await client.merge(targetOf(seen), { metadata: { uid, annotations: { ...annotations } } }));
}

/** Equal for this purpose: a missing field and an empty list or text mean the same (spec/reconcile.md §2, step 8). */
function isSameStatus(a: KubeVirtStatus | undefined, b: KubeVirtStatus | undefined): boolean {
  return isDeepStrictEqual(withoutEmpty(a), withoutEmpty(b));
}

async function retryStale(
  client: ApiClient,
  seen: KubeVirt,
  write: (current: KubeVirt) => Promise<KubernetesObject>,
): Promise<KubeVirt> {
  let current = seen;
  for (let attempt = 1; ; attempt++) {
    try {
      return asKubeVirt(await write(current));
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isStale(error)) throw error;
      current = asKubeVirt(await client.get(targetOf(seen)));
      if (current.metadata.uid !== seen.metadata.uid) throw error;
    }
  }
}

function mergeStatus(
  current: KubeVirtStatus | undefined,
  seen: KubeVirtStatus | undefined,
  status: KubeVirtStatus,
): KubeVirtStatus {
  const merged: KubeVirtStatus = { ...current };
  for (const field of new Set([...Object.keys(seen ?? {}), ...Object.keys(status)])) {
    if (!isDeepStrictEqual(seen?.[field], status[field])) merged[field] = status[field];
  }
  return merged;
}

function buildFinalizerPatch(current: KubeVirt, wanted: string[]): JsonPatchOperation[] {
  const { finalizers, resourceVersion = '' } = current.metadata;
  // A test cannot name a field that is absent; then the version guards the whole object.
  const guard: JsonPatchOperation =
    finalizers === undefined
      ? { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
      : { op: 'test', path: '/metadata/finalizers', value: finalizers };
  return [guard, { op: 'add', path: '/metadata/finalizers', value: wanted }];
}

function targetOf({ metadata }: KubeVirt): Target {
  return { kind: 'KubeVirt', name: metadata.name ?? '', namespace: metadata.namespace };
}

function withoutEmpty(status: KubeVirtStatus | undefined): object {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => !isEmpty(value)));
}
