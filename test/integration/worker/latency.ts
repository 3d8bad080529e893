import type { TestContext } from 'node:test';
import { eventually } from '../fixtures/eventually.ts';
import { KEY, startWorker } from './harness.ts';

/** Milliseconds from the call that adds a key to the start of its pass. */
export interface StartLatency {
  samples: number;
  p50: number;
  p99: number;
  max: number;
}

/**
 * Measures what the queue adds between a change and the start of its pass: the worker is idle, each change comes after the pass before it has ended,
 * and each pass writes, so that spacing plays no part.
 */
export async function measureStartLatency(t: TestContext, url: string, samples: number): Promise<StartLatency> {
  const w = await startWorker(t, { url, pass: () => ({ type: 'done', wrote: 1 }) });
  const latencies: number[] = [];
  for (let i = 0; i < samples; i += 1) {
    await eventually(
      () => w.queue.queue.getActiveCount(),
      (active) => active === 0,
    );
    const asked = performance.now();
    await w.queue.add(KEY, { type: 'modified', kind: 'Pod', name: 'virt-api', resourceVersion: String(i + 1), at: i });
    await eventually(
      () => w.passes.length,
      (count) => count > i,
    );
    latencies.push((w.passes[i]?.began ?? Infinity) - asked);
  }
  const sorted = latencies.slice(1).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
