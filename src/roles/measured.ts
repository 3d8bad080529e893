import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { ObjectStore } from '../api/store.ts';
import { errorText } from '../errors.ts';
import type { PassRecord } from '../queue/pass-log.ts';
import type { Trace } from '../trace/trace.ts';
import type { Pass, PassWork } from '../worker/run-job.ts';

/** Parts of a worker that tell the metrics what they do; what they return and throw is not touched. */

/** Tells how long the key has waited for its pass, and how long the pass takes. */
export function measurePass(pass: Pass, { queue }: OperatorMetrics): Pass {
  return async (key, work) => {
    const since = Math.min(...work.causes.map(({ at }) => at));
    queue.passStarted(Number.isFinite(since) ? Math.max(0, Date.now() - since) / 1000 : 0);
    try {
      return await pass(key, work);
    } finally {
      queue.passEnded();
    }
  };
}

/** Gets a span for each pass. */
export function tracePass(pass: Pass, trace: Trace): Pass {
  return (key, work) =>
    trace.span({ name: 'pass', attributes: { key, pass: work.pass, causes: describeCauses(work) } }, async (span) => {
      const outcome = await pass(key, work);
      span.set({ outcome: outcome.type, writes: outcome.wrote ?? 0 });
      if ('error' in outcome) span.fail(errorText(outcome.error));
      return outcome;
    });
}

/** A span tells at most this many causes. */
const MAX_CAUSES = 10;

function describeCauses({ causes }: PassWork): string {
  const texts = causes.slice(0, MAX_CAUSES).map(({ type, kind, name }) => [type, kind, name].filter(Boolean).join(' '));
  const rest = causes.length - texts.length;
  return [...new Set(texts), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** Tells how far the caches were behind what a pass must have seen. */
export function measureStore(store: ObjectStore, { own }: OperatorMetrics): ObjectStore {
  return {
    ...store,
    reach: async (versions, signal) => {
      const begun = performance.now();
      await store.reach(versions, signal);
      own.observeCacheLag((performance.now() - begun) / 1000);
    },
  };
}

/** Tells of every finished pass. */
export function measureHistory(
  history: { append(record: PassRecord): Promise<void> },
  { own }: OperatorMetrics,
): { append(record: PassRecord): Promise<void> } {
  return {
    append: (record) => {
      own.observePass(record);
      return history.append(record);
    },
  };
}
