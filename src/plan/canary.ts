import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isWhatWasWanted } from './equality.ts';
import { hashSpec, isGenerationRecorded, readRecord } from './generations.ts';
import { buildPatch, describe, setOperation, type PatchAction } from './json-patch.ts';
import { hasTargetAnnotations, isMetadataCurrent } from './metadata.ts';
import {
  detachOldCertificate,
  hasMigrationArgument,
  hasOldCertificate,
  insertMigrationArgument,
  supportsMigrationCertificate,
} from './migration-certificate.ts';
import { isStatusCurrent, measureDaemonSet, type DaemonSetProgress } from './rollout.ts';
import type { Action, PassContext, PlannedEvent } from './types.ts';

/** Pods that may be down while the first updated one proves itself. */
const CANARY_UNAVAILABLE = 1;
/** Pods that may be down once one updated pod is ready. */
const ROLLOUT_UNAVAILABLE = '10%';

/** Where the rollout of a DaemonSet is, and what moves it on (spec/apply.md §5.6). */
export interface CanaryMove {
  state:
    | 'created'
    | 'finished'
    | 'started'
    /** A rollout that is put off. */
    | 'held'
    | 'canary'
    | 'failed'
    | 'increasing'
    | 'waiting'
    | 'inserting'
    | 'detaching'
    | 'successful';
  action?: Action;
  event?: PlannedEvent;
  /** Why the rollout cannot go on by itself. */
  problem?: string;
  /** True when the steps that wait for this DaemonSet may go on after the action. */
  isFinished: boolean;
}

/** What a canary decision looks at. */
export type CanaryContext = Pick<PassContext, 'world' | 'target' | 'generations' | 'kubeVirt' | 'rolloutHold'>;

/**
 * The next move of a DaemonSet's rollout: one pod of the new template first, then ten per cent at a time, then the default again.
 * `wanted` is what buildDaemonSet made; the migration-certificate switch is added here.
 */
export function decideCanary(wanted: KubernetesObject, context: CanaryContext): CanaryMove {
  const live = context.world.get('DaemonSet', wanted.metadata.name ?? '', wanted.metadata.namespace);
  if (live === undefined) return planCreation(wanted);
  if (live.metadata.deletionTimestamp !== undefined) return { state: 'waiting', isFinished: false };
  const adapted = adaptTo(wanted, live);
  if (!isSpecCurrent(adapted, live, context)) {
    if (context.rolloutHold !== undefined && renewsPods(adapted, live)) return { state: 'held', isFinished: false };
    return { state: 'started', action: planPatch(adapted, live, CANARY_UNAVAILABLE), isFinished: false };
  }
  const progress = measureDaemonSet(live, context.world, context.target);
  if (!isOngoing(live, context)) return { state: 'finished', isFinished: true };
  return decideOngoing(adapted, live, progress);
}

/** Whether the next move starts a rollout: what a `rolloutHold` would put off. */
export function startsRollout(wanted: KubernetesObject, context: CanaryContext): boolean {
  const live = context.world.get('DaemonSet', wanted.metadata.name ?? '', wanted.metadata.namespace);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
  const adapted = adaptTo(wanted, live);
  return !isSpecCurrent(adapted, live, context) && renewsPods(adapted, live);
}

/** A change of anything but the pod template restarts no pod. */
function renewsPods(wanted: KubernetesObject, live: KubernetesObject): boolean {
  return !isWhatWasWanted(wanted.spec?.template, live.spec?.template);
}

function planCreation(wanted: KubernetesObject): CanaryMove {
  const object =
    supportsMigrationCertificate(wanted) && !hasMigrationArgument(wanted)
      ? detachOldCertificate(insertMigrationArgument(wanted))
      : wanted;
  return {
    state: 'created',
    action: { verb: 'create', kind: 'DaemonSet', object, hash: hashDaemonSet(object) },
    isFinished: true,
  };
}

/**
 * The wanted object, as far along in the migration-certificate switch as the live one is. A release that does not know the switch is left as it is. The old
 * certificate goes after the argument has come: where both are missing somebody took the argument away, and nothing is to be waited for.
 */
function adaptTo(wanted: KubernetesObject, live: KubernetesObject): KubernetesObject {
  if (!supportsMigrationCertificate(wanted)) return wanted;
  if (!hasOldCertificate(live)) return detachOldCertificate(insertMigrationArgument(wanted));
  return hasMigrationArgument(live) ? insertMigrationArgument(wanted) : wanted;
}

/** The update strategy changes in the course of a rollout and is left out. */
function hashDaemonSet(daemonSet: KubernetesObject): string {
  return hashSpec(withoutUpdateStrategy(daemonSet.spec));
}

function withoutUpdateStrategy(spec: JsonObject = {}): JsonObject {
  return { ...spec, updateStrategy: undefined };
}

function isSpecCurrent(wanted: KubernetesObject, live: KubernetesObject, context: CanaryContext): boolean {
  if (!hasTargetAnnotations(live.metadata.annotations, context.target)) return false;
  if (!isMetadataCurrent(wanted.metadata, live.metadata)) return false;
  const record = readRecord(context.generations, 'DaemonSet', live, hashDaemonSet(wanted));
  if (record !== 'unknown') return record === 'unchanged';
  return isWhatWasWanted(withoutUpdateStrategy(wanted.spec), withoutUpdateStrategy(live.spec));
}

function maxUnavailableOf(daemonSet: KubernetesObject): unknown {
  const strategy = daemonSet.spec?.updateStrategy as JsonObject | undefined;
  const rolling = strategy?.rollingUpdate as JsonObject | undefined;
  // The server's default.
  return rolling?.maxUnavailable ?? CANARY_UNAVAILABLE;
}

/**
 * Whether a rollout is under way. Pods that are merely not ready do not make one. Upstream takes an unrecorded generation as the only sign between the
 * first patch and the second; the controller's own count is one that survives a lost status write.
 */
function isOngoing(live: KubernetesObject, context: CanaryContext): boolean {
  if (maxUnavailableOf(live) !== CANARY_UNAVAILABLE) return true;
  if (!isStatusCurrent(live)) return true;
  // Nodes that run a pod of any template: on a fresh DaemonSet, whose pods only just appear, none of them is outdated.
  const { updatedNumberScheduled = 0, currentNumberScheduled = 0 } = (live.status ?? {}) as Record<string, number>;
  if (updatedNumberScheduled < currentNumberScheduled) return true;
  if (!isUpdating(context)) return false;
  return isSwitchPending(live) || !isGenerationRecorded(context.generations, 'DaemonSet', live);
}

/** The deployment that was reached last is not the one that is wanted. */
function isUpdating({ kubeVirt, target }: CanaryContext): boolean {
  const observed = kubeVirt.status?.observedDeploymentID ?? '';
  return observed !== '' && observed !== target.id;
}

function isSwitchPending(live: KubernetesObject): boolean {
  return supportsMigrationCertificate(live) && (!hasMigrationArgument(live) || hasOldCertificate(live));
}

function decideOngoing(wanted: KubernetesObject, live: KubernetesObject, progress: DaemonSetProgress): CanaryMove {
  const { desired, updatedReady, isCrashing } = progress;
  // Until the controller has looked at the present spec its numbers mean nothing.
  if (!isStatusCurrent(live)) return { state: 'waiting', isFinished: false };
  if (updatedReady === desired) return decideComplete(wanted, live);
  if (updatedReady === 0) return isCrashing ? failed(live) : { state: 'canary', isFinished: false };
  if (maxUnavailableOf(live) !== CANARY_UNAVAILABLE) return { state: 'waiting', isFinished: false };
  return { state: 'increasing', action: planPatch(wanted, live, ROLLOUT_UNAVAILABLE), isFinished: false };
}

/** Every node has a ready pod of the present template: the next part of the certificate switch, or the end. */
function decideComplete(wanted: KubernetesObject, live: KubernetesObject): CanaryMove {
  if (supportsMigrationCertificate(live) && !hasMigrationArgument(live)) {
    const next = insertMigrationArgument(wanted);
    return { state: 'inserting', action: planPatch(next, live, CANARY_UNAVAILABLE), isFinished: false };
  }
  if (supportsMigrationCertificate(live) && hasOldCertificate(live)) {
    const next = detachOldCertificate(wanted);
    return { state: 'detaching', action: planPatch(next, live, CANARY_UNAVAILABLE), isFinished: false };
  }
  const action = planPatch(wanted, live, CANARY_UNAVAILABLE);
  return { state: 'successful', action, isFinished: true };
}

function failed(live: KubernetesObject): CanaryMove {
  const message = `${describe(live)} rollout failed: its first updated pod does not stay up`;
  const { name = '', namespace, uid } = live.metadata;
  return {
    state: 'failed',
    isFinished: false,
    problem: message,
    event: {
      type: 'Warning',
      reason: 'FailedUpdate',
      message,
      about: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
    },
  };
}

function planPatch(wanted: KubernetesObject, live: KubernetesObject, maxUnavailable: number | string): PatchAction {
  const spec = {
    ...wanted.spec,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } },
  };
  const patch = buildPatch('DaemonSet', { wanted: wanted.metadata, live, precondition: 'generation' }, [
    setOperation('/spec', spec),
  ]);
  return { ...patch, hash: hashDaemonSet(wanted) };
}
