import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { compareBinding, compareRole } from './compare-rbac.ts';
import { compareService } from './compare-service.ts';
import { isSemanticallyEqual, isWhatWasWanted } from './equality.ts';
import { hashSpec, readRecord } from './generations.ts';
import { buildPatch, setOperation } from './json-patch.ts';
import { isMetadataCurrent, matchesTarget, mergeMetadata } from './metadata.ts';
import type { Action, PassContext } from './types.ts';

/** What a comparison looks at besides the two objects. */
export type CompareContext = Pick<PassContext, 'world' | 'generations' | 'target'>;

/** Decides what turns a live object into the wanted one; undefined when it is as wanted. */
type Compare = (wanted: KubernetesObject, live: KubernetesObject, context: CompareContext) => Action | undefined;

/** Kinds of which the API server counts generations that we record, and the field that holds their content (spec/apply.md §3). */
const RECORDED_FIELD: Partial<Record<KindName, 'spec' | 'webhooks'>> = {
  Deployment: 'spec',
  PodDisruptionBudget: 'spec',
  ValidatingWebhookConfiguration: 'webhooks',
  MutatingWebhookConfiguration: 'webhooks',
};

/** How each kind is compared (spec/apply.md §5). CRDs, DaemonSets, Secrets and ConfigMaps have plans of their own. */
const COMPARE: Partial<Record<KindName, Compare>> = {
  ServiceAccount: compareMetadata,
  ClusterRole: compareRole,
  Role: compareRole,
  ClusterRoleBinding: compareBinding,
  RoleBinding: compareBinding,
  Service: compareService,
  Deployment: compareRecorded,
  PodDisruptionBudget: compareRecorded,
  ValidatingWebhookConfiguration: compareRecorded,
  MutatingWebhookConfiguration: compareRecorded,
  APIService: compareSpec,
  Route: compareRoute,
  ServiceMonitor: compareSpec,
  PrometheusRule: compareSpec,
  ValidatingAdmissionPolicy: compareSpec,
  ValidatingAdmissionPolicyBinding: compareSpec,
  SecurityContextConstraints: compareByTarget,
  VirtualMachineClusterInstancetype: compareWhole,
  VirtualMachineClusterPreference: compareWhole,
};

/** The write that brings one wanted object about: none when it is there and as wanted, and none while one of its name is still being deleted. */
export function planObject(wanted: KubernetesObject, context: CompareContext): Action[] {
  const kind = wanted.kind as KindName;
  const live = context.world.get(kind, wanted.metadata.name ?? '', wanted.metadata.namespace);
  if (live === undefined) return [planCreate(kind, wanted)];
  if (live.metadata.deletionTimestamp !== undefined) return [];
  const compare = COMPARE[kind];
  if (compare === undefined) throw new Error(`objects of kind ${kind} are not compared here`);
  const action = compare(wanted, live, context);
  return action === undefined ? [] : [action];
}

function planCreate(kind: KindName, object: KubernetesObject): Action {
  const field = RECORDED_FIELD[kind];
  return { verb: 'create', kind, object, ...(field === undefined ? {} : { hash: hashSpec(object[field]) }) };
}

/** For kinds of which only the metadata is ours. */
function compareMetadata(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  if (isMetadataCurrent(wanted.metadata, live.metadata)) return undefined;
  return buildPatch(wanted.kind as KindName, { wanted: wanted.metadata, live, precondition: 'resourceVersion' }, []);
}

/** For kinds with a recorded generation: only when the record does not speak for the live object are the specs compared. */
function compareRecorded(
  wanted: KubernetesObject,
  live: KubernetesObject,
  context: CompareContext,
): Action | undefined {
  const kind = wanted.kind as KindName;
  const field = RECORDED_FIELD[kind] ?? 'spec';
  const hash = hashSpec(wanted[field]);
  const record = readRecord(context.generations, kind, live, hash);
  const isSame = record === 'unknown' ? isWhatWasWanted(wanted[field], live[field]) : record === 'unchanged';
  if (isSame && isMetadataCurrent(wanted.metadata, live.metadata)) return undefined;
  const patch = buildPatch(kind, { wanted: wanted.metadata, live, precondition: 'generation' }, [
    setOperation(`/${field}`, wanted[field]),
  ]);
  return { ...patch, hash };
}

/** For kinds whose spec is compared with what the server made of it; upstream compares some of these literally and so patches them on every pass. */
function compareSpec(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  const isSame = isWhatWasWanted(wanted.spec, live.spec);
  if (isSame && isMetadataCurrent(wanted.metadata, live.metadata)) return undefined;
  return buildPatch(
    wanted.kind as KindName,
    { wanted: wanted.metadata, live, precondition: 'resourceVersion' },
    isSame ? [] : [setOperation('/spec', wanted.spec)],
  );
}

/** A Route keeps the host that the router gave it. */
function compareRoute(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  return compareSpec({ ...wanted, spec: { ...live.spec, ...wanted.spec } }, live);
}

/** For SecurityContextConstraints: content is looked at only when it was written for another target (spec/apply.md §5.14). */
function compareByTarget(
  wanted: KubernetesObject,
  live: KubernetesObject,
  { target }: CompareContext,
): Action | undefined {
  const isCurrent = matchesTarget(live, target) && isMetadataCurrent(wanted.metadata, live.metadata);
  return isCurrent ? undefined : replace(wanted, live);
}

/** For instance types and preferences, which the server stores as they are sent. */
function compareWhole(wanted: KubernetesObject, live: KubernetesObject): Action | undefined {
  const isSame = isSemanticallyEqual(wanted.spec, live.spec) && isMetadataCurrent(wanted.metadata, live.metadata);
  return isSame ? undefined : replace(wanted, live);
}

/** A PUT that keeps what others have put into the metadata, with the resourceVersion it was decided from. */
function replace(wanted: KubernetesObject, live: KubernetesObject): Action {
  const metadata = { ...live.metadata, ...mergeMetadata(wanted.metadata, live.metadata) };
  return { verb: 'replace', kind: wanted.kind as KindName, object: { ...wanted, metadata } };
}
