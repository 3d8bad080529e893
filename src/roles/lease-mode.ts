import { randomUUID } from 'node:crypto';

import type { ApiConnection } from '../api/connection.ts';
import { createClient } from '../apply/client.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { MemoryQueue } from '../queue/memory-queue.ts';
import { MemoryWakeUps } from '../queue/memory-wake-ups.ts';
import { watchOutage } from '../queue/outage.ts';
import type { ReconcileQueue } from '../queue/reconcile-queue.ts';
import type { Lock, Term } from '../queue/types.ts';
import { startGateway } from '../watch/gateway.ts';
import type { Watches } from '../watch/watches.ts';
import { LeaseLock } from '../worker/lease-lock.ts';
import { runWorker, type WorkerOptions } from '../worker/worker.ts';
import type { Closers, RoleContext } from './role.ts';

/** An answer that does not come must not cost the Lease: several tries fit into the time in which it has to be renewed. */
const LEASE_CALL_MS = 3000;

/** What a worker needs to go on without Redis. */
export interface LeaseModeParts {
  context: RoleContext;
  connection: ApiConnection;
  watches: Watches;
  redis: RedisConnections;
  /** For what this process has written: both queues know it. */
  queue: ReconcileQueue;
  closers: Closers;
  /** Shared with the worker that leads by Redis. */
  worker: Pick<WorkerOptions, 'pass' | 'history' | 'onStuck'>;
  /** Tells of each tenure. */
  announce: (lock: Lock, memory: MemoryQueue) => Lock;
}

/**
 * Starts the second way to lead (design decision 3): when Redis is unusable for longer than the configured patience, this process takes the Lease
 * `virt-operator`, is its own gateway, and runs passes from a queue in memory. When Redis can be used again it gives the Lease back; the gateway then adds every
 * key to the queue in Redis, and nothing has to be carried over.
 */
export function startLeaseMode(parts: LeaseModeParts): void {
  const { context, redis, queue, closers, worker } = parts;
  const { config, log } = context;
  const ending = new AbortController();
  closers.add('watch over outages of Redis', () => {
    ending.abort(new Error('the process ends'));
  });
  const outage = watchOutage({ redis, log, signal: ending.signal });
  const memory = new MemoryQueue(queue.own);
  const wakeUps = new MemoryWakeUps({ add: (key, cause) => memory.add(key, cause) });
  const lease = new LeaseLock({
    client: createClient(parts.connection, { lane: 'reserved', timeoutMs: LEASE_CALL_MS }),
    namespace: config.operatorNamespace,
    // Like upstream's, but unlike every other process of the same name.
    holder: `${config.hostname}_${randomUUID()}`,
    log,
    isWanted: () => outage.durationMs() > config.redisPatienceMs,
  });
  const withGateway: Lock = {
    run: ({ signal, onLead }) =>
      lease.run({ signal, onLead: (term) => leadWithGateway(term, onLead, { ...parts, memory, wakeUps }) }),
  };
  const running = runWorker({
    ...worker,
    pass: (key, work) => worker.pass(key, { ...work, isWithoutRedis: true }),
    lock: parts.announce(withGateway, memory),
    queue: memory,
    wakeUps,
    log,
    name: config.hostname,
  });
  closers.add('worker without Redis', () => running.stop());
}

/** One tenure: events of this process's own watches fill the queue, and nothing of it outlives the tenure. */
async function leadWithGateway(
  term: Term,
  onLead: (term: Term) => Promise<void>,
  parts: Pick<LeaseModeParts, 'context' | 'watches'> & { memory: MemoryQueue; wakeUps: MemoryWakeUps },
): Promise<void> {
  const { context, watches, memory, wakeUps } = parts;
  startGateway({
    watches,
    enqueue: (key, cause) => memory.add(key, cause),
    log: context.log,
    signal: term.signal,
  });
  try {
    await onLead(term);
  } finally {
    memory.clear();
    wakeUps.clear();
  }
}
