import type { Cause } from '../../api/causes.ts';
import { objectKey, type KubernetesObject } from '../../api/objects.ts';
import type { PassRecord } from '../../queue/pass-log.ts';
import { describeDuration } from '../text/duration.ts';

/** Something that happened. Times are milliseconds since the epoch. */
export interface HistoryEntry {
  at: number;
  type: 'pass' | 'event';
  /** Outcome of a pass, or type and reason of an Event. */
  what: string;
  isBad: boolean;
  /** The object that it is about. */
  about: string;
  text: string;
  /** Of a pass alone. */
  pass?: PassRecord;
}

/** Component that says our Events, and upstream's (spec/observability.md §9). */
const COMPONENT = 'virt-operator';

/** An Event as the API server sends it. */
interface EventObject extends KubernetesObject {
  involvedObject?: { kind?: string; name?: string; namespace?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string };
  reportingComponent?: string;
}

/** Passes and the operator's Events, oldest first, the last `limit` of them. Pure. */
export function buildHistory(
  passes: readonly PassRecord[],
  events: readonly KubernetesObject[],
  limit: number,
): HistoryEntry[] {
  const ours = (events as EventObject[]).filter(isOurs).map(describeEvent);
  return [...passes.map(describePass), ...ours].sort((a, b) => a.at - b.at).slice(-limit);
}

function isOurs({ source, reportingComponent }: EventObject): boolean {
  return source?.component === COMPONENT || reportingComponent === COMPONENT;
}

function describeEvent(event: EventObject): HistoryEntry {
  const { involvedObject = {}, type = 'Normal', reason = '', message = '', count = 1 } = event;
  return {
    at: timeOf(event),
    type: 'event',
    what: `${type} ${reason}`,
    isBad: type === 'Warning',
    about: describeObject(involvedObject),
    text: count > 1 ? `${message} (${count} times)` : message,
  };
}

/** When it was said last; new Events bear one of three times. */
function timeOf({ lastTimestamp, eventTime, metadata }: EventObject): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '') || 0;
}

function describeObject({ kind = '', name = '', namespace }: NonNullable<EventObject['involvedObject']>): string {
  return `${kind} ${objectKey(name, namespace)}`.trim();
}

const OUTCOMES: Readonly<Record<PassRecord['outcome'], string>> = {
  done: 'pass',
  later: 'pass, to be continued',
  retry: 'pass failed',
  never: 'pass failed for good',
  aborted: 'pass ended early',
};

function describePass(pass: PassRecord): HistoryEntry {
  const { startedAt, durationMs, outcome, key, writes, causes, causesTotal, errors = [] } = pass;
  const [first] = causes;
  const others = causesTotal > 1 ? ` and ${causesTotal - 1} more` : '';
  const cause = first === undefined ? '' : `because of ${describeCause(first)}${others}`;
  const failures = errors.map(({ object, error }) => `${object}: ${error}`);
  return {
    at: startedAt,
    type: 'pass',
    what: OUTCOMES[outcome],
    isBad: outcome === 'retry' || outcome === 'never',
    about: `KubeVirt ${key}`,
    text: [`${writes} ${writes === 1 ? 'write' : 'writes'} in ${describeDuration(durationMs)}`, cause, ...failures]
      .filter((part) => part !== '')
      .join('; '),
    pass,
  };
}

function describeCause({ type, kind, name, namespace, note }: Cause): string {
  if (kind !== undefined)
    return `${describeObject({ kind, name: name ?? '', ...(namespace === undefined ? {} : { namespace }) })} ${type}`;
  return note === undefined ? type : `${type}: ${note}`;
}
