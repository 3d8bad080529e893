import { objectKey } from '../api/objects.ts';
import type { Failure, RunReport } from '../apply/execute.ts';
import { errorText } from '../errors.ts';
import type { WakeUp } from '../plan/types.ts';
import type { PassReport } from '../queue/pass-log.ts';
import type { Outcome } from './outcome.ts';
import { countWrites, type PassState } from './pass.ts';

/** All failures of a pass as one error; each names its object and what was answered. */
export function joinFailures(failures: readonly Pick<Failure, 'error'>[]): Error {
  const texts = [...new Set(failures.map(({ error }) => errorText(error)))];
  return new AggregateError(
    failures.map(({ error }) => error),
    texts.join('; '),
  );
}

/** What people are shown of a run of steps: the steps, the objects that were written, and what failed. */
export function reportOf({ steps, written, failures }: Pick<RunReport, 'steps' | 'written' | 'failures'>): PassReport {
  return {
    steps: steps.map(({ name, writes, milliseconds }) => ({ name, actions: writes, durationMs: milliseconds })),
    written: written.map(({ verb, kind, name, namespace }) => ({
      verb,
      object: `${kind} ${objectKey(name, namespace)}`,
    })),
    errors: failures.map(({ step, object, error }) => ({ object: object ?? step, error: errorText(error) })),
  };
}

/** The outcome of a pass that did what it could: again at `wakeUp`, or when an event comes. */
export function done(pass: PassState, details: { wakeUp?: WakeUp | undefined; report?: PassReport } = {}): Outcome {
  const { wakeUp, report } = details;
  return {
    type: 'done',
    wrote: countWrites(pass),
    ...(wakeUp === undefined ? {} : { wakeUp }),
    ...(report === undefined ? {} : { report }),
  };
}

/** The outcome of a pass in which something failed. */
export function failed(pass: PassState, error: Error, report?: PassReport): Outcome {
  return { type: 'retry', wrote: countWrites(pass), error, ...(report === undefined ? {} : { report }) };
}
