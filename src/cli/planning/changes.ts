import type { KindName } from '../../api/kinds.ts';
import { objectKey, type JsonObject, type KubernetesObject } from '../../api/objects.ts';
import { isWhatWasWanted } from '../../plan/equality.ts';
import type { RehearsedWrite, WriteVerb } from '../rehearsal/dry-api.ts';
import type { RehearsedStep } from '../rehearsal/rehearse.ts';
import { diffFields, type FieldChange } from './field-diff.ts';

/** Names one object. */
export interface ObjectRef {
  kind: KindName;
  namespace?: string;
  name: string;
}

/** An object that is there before and after. */
export interface ObjectChange extends ObjectRef {
  fields: FieldChange[];
}

/** Pods of a workload that are replaced by others. */
export interface Restart extends ObjectRef {
  pods: number;
}

/** One step in the order in which the operator goes. */
export interface PlannedStep {
  name: string;
  writes: (ObjectRef & { verb: WriteVerb; subresource?: string })[];
  /** What is waited for after the writes. */
  awaits?: string;
}

/** Everything that a rehearsal has changed, by object and in order. */
export interface Changes {
  create: ObjectRef[];
  change: ObjectChange[];
  delete: ObjectRef[];
  /** Objects that exist for a while only. */
  temporary: ObjectRef[];
  restart: Restart[];
  steps: PlannedStep[];
}

/** Sums the writes of a rehearsal up. Pure. */
export function sumUp(steps: readonly RehearsedStep[]): Changes {
  const spans = [...joinByObject(steps.flatMap(({ writes }) => writes)).values()];
  const changed = spans.flatMap(({ ref, before, after }) =>
    before === undefined || after === undefined ? [] : [{ ref, before, after }],
  );
  return {
    create: spans.filter(({ before, after }) => before === undefined && after !== undefined).map(({ ref }) => ref),
    change: changed.map(({ ref, before, after }) => ({ ...ref, fields: diffFields(before, after) })),
    delete: spans.filter(({ before, after }) => before !== undefined && after === undefined).map(({ ref }) => ref),
    temporary: spans.filter(({ before, after }) => before === undefined && after === undefined).map(({ ref }) => ref),
    restart: changed.flatMap(({ ref, before, after }) => findRestart(ref, before, after)),
    steps: steps.map(({ name, writes, awaited }) => ({
      name,
      writes: writes.map(describeWrite),
      ...(awaited === undefined ? {} : { awaits: awaited }),
    })),
  };
}

/** `Kind namespace/name`. */
export function describeRef({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${objectKey(name, namespace)}`;
}

/** An object before the first and after the last write. */
interface Span {
  ref: ObjectRef;
  before: KubernetesObject | undefined;
  after: KubernetesObject | undefined;
}

function joinByObject(writes: readonly RehearsedWrite[]): Map<string, Span> {
  const spans = new Map<string, Span>();
  for (const { kind, name, namespace, before, after } of writes) {
    const ref = { kind, ...(namespace === undefined ? {} : { namespace }), name };
    const known = spans.get(describeRef(ref));
    spans.set(describeRef(ref), { ref, before: known === undefined ? before : known.before, after });
  }
  return spans;
}

function describeWrite({ verb, kind, name, namespace, subresource }: RehearsedWrite): PlannedStep['writes'][number] {
  return {
    verb,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function findRestart(ref: ObjectRef, before: KubernetesObject, after: KubernetesObject): Restart[] {
  if (ref.kind !== 'Deployment' && ref.kind !== 'DaemonSet') return [];
  if (isWhatWasWanted(after.spec?.['template'], before.spec?.['template'])) return [];
  return [{ ...ref, pods: countPods(before) }];
}

function countPods({ kind, spec = {}, status = {} }: KubernetesObject): number {
  const number = (fields: JsonObject, name: string) => (typeof fields[name] === 'number' ? fields[name] : 0);
  return kind === 'DaemonSet'
    ? number(status, 'currentNumberScheduled')
    : number(status, 'replicas') || number(spec, 'replicas');
}
