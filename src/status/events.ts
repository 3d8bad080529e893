import { createHash } from 'node:crypto';

import type { KubernetesObject } from '../api/objects.ts';
import type { ApiClient } from '../apply/client.ts';
import { ApiError, errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PlannedEvent } from '../plan/types.ts';

/** Who says it, in every Event (spec/observability.md §9). */
const COMPONENT = 'virt-operator';
/** An Event that is said again within this time is counted but not sent: a minute less than an hour, so that what is said hourly is sent hourly. */
const REPEAT_MS = 59 * 60_000;
/** Different Events remembered at once; the oldest are forgotten first. */
const MAX_REMEMBERED = 500;
/** Events on their way at once; more are dropped with a log line, so that a storm costs the API server nothing. */
const MAX_PENDING = 25;

/** Records Kubernetes Events. */
export interface EventRecorder {
  /** Sends the Event in the background; never throws. The same Event again only counts, and is sent at most hourly. */
  record(event: PlannedEvent): void;
  /** Resolves when nothing is on its way. */
  flush(): Promise<void>;
}

/** What is known of one Event that was sent. */
interface Sent {
  event: KubernetesObject;
  count: number;
  sentAt: number;
}

/**
 * A recorder for one process. `client` should use the reserved lane. `now` in milliseconds since the epoch.
 */
export function createEventRecorder(options: {
  client: ApiClient;
  hostname: string;
  log: Log;
  now?: () => number;
}): EventRecorder {
  const { client, hostname, log, now = Date.now } = options;
  const sent = new Map<string, Sent>();
  const pending = new Set<Promise<void>>();

  const send = async (event: PlannedEvent, known: Sent | undefined): Promise<void> => {
    const key = keyOf(event);
    const isFirst = known === undefined;
    const object = isFirst ? buildEvent(event, hostname, now()) : { ...known.event, ...progressOf(known.count, now()) };
    remember(sent, key, { event: object, count: known?.count ?? 1, sentAt: now() });
    try {
      if (isFirst) await client.create('Event', object);
      else await client.merge(targetOf(object), progressOf(known.count, now()));
    } catch (error) {
      // Another process, or this one before it started anew, has told it.
      if (event.once === true && error instanceof ApiError && error.reason === 'AlreadyExists') return;
      // An Event that cannot be told again (expired meanwhile) starts anew with the next one.
      sent.delete(key);
      log.warn({ reason: errorText(error) }, `could not record the Event ${event.reason}`);
    }
  };

  return {
    record: (event) => {
      const known = sent.get(keyOf(event));
      if (known !== undefined && event.once === true) return;
      if (known !== undefined) known.count++;
      if (known !== undefined && now() - known.sentAt < REPEAT_MS) return;
      if (pending.size >= MAX_PENDING) {
        log.warn(`too many Events at once: ${event.reason} about ${event.about.kind} ${event.about.name} is left out`);
        return;
      }
      if (event.once === true) log.warn({ reason: event.reason, object: event.about.name }, event.message);
      const sending = send(event, known).finally(() => pending.delete(sending));
      pending.add(sending);
    },
    flush: async () => {
      await Promise.all(pending);
    },
  };
}

function keyOf(event: PlannedEvent): string {
  const { about, type, reason, message } = event;
  return JSON.stringify([about.kind, about.namespace, about.name, about.uid, type, reason, message]);
}

function buildEvent(event: PlannedEvent, hostname: string, now: number): KubernetesObject {
  const { about, type, reason, message } = event;
  const namespace = about.namespace ?? 'default';
  // Names of Events are the object's name and something that no other Event has; what is told once has the same name whoever tells it.
  const suffix = createHash('sha256')
    .update(event.once === true ? keyOf(event) : `${keyOf(event)}${now}${hostname}`)
    .digest('hex')
    .slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${about.name}.${suffix}`, namespace },
    involvedObject: about,
    type,
    reason,
    message,
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: hostname,
    firstTimestamp: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...progressOf(1, now),
  };
}

function progressOf(count: number, now: number): { count: number; lastTimestamp: string } {
  return { count, lastTimestamp: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z') };
}

function targetOf({ metadata }: KubernetesObject) {
  return { kind: 'Event' as const, name: metadata.name ?? '', namespace: metadata.namespace };
}

function remember(sent: Map<string, Sent>, key: string, value: Sent): void {
  sent.delete(key);
  sent.set(key, value);
  const oldest = sent.keys().next();
  if (sent.size > MAX_REMEMBERED && oldest.done !== true) sent.delete(oldest.value);
}
