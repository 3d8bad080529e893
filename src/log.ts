import { pino, type Logger } from 'pino';
import { errorText } from './errors.ts';

/** The logger of a process; child loggers carry fields such as key, pass, step, kind and name. */
export type Log = Logger;

/** pino's levels by upstream's numeric verbosity: V(2) and less is info, V(3) debug, V(4) and more trace (spec/startup.md §1). */
export function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity <= 2) return 'info';
  return verbosity === 3 ? 'debug' : 'trace';
}

/** Errors stand under upstream's key `reason` as text, whatever the caller has called them; the stack goes beside it. */
function renameErrors({ err, error, ...fields }: Record<string, unknown>): Record<string, unknown> {
  const failure = err ?? error;
  if (failure === undefined) return fields;
  const stack = failure instanceof Error ? { stack: failure.stack } : {};
  return { reason: errorText(failure), ...stack, ...fields };
}

/**
 * Creates the logger of a process: JSON lines on standard error with upstream's keys `component`, `level`, `msg`, `timestamp` and `reason` (spec/startup.md
 * §1). Setting its level sets the level of all its children. Values under keys that name secrets never appear.
 */
export function createLog(options: { role: string; verbosity: number; destination?: NodeJS.WritableStream }): Log {
  return pino(
    {
      level: levelOf(options.verbosity),
      base: { component: 'virt-operator', role: options.role },
      timestamp: () => `,"timestamp":"${new Date().toISOString().slice(0, -1)}000Z"`,
      formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }), log: renameErrors },
      redact: {
        paths: [
          'token',
          'password',
          'authorization',
          '*.token',
          '*.password',
          '*.authorization',
          'headers.authorization',
        ],
        censor: '[redacted]',
      },
    },
    options.destination ?? process.stderr,
  );
}
