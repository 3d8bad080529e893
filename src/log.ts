import { pino, type Logger } from 'pino';

/** The logger of a process; child loggers carry fields such as key, pass, step, kind and name. */
export type Log = Logger;

/** pino's levels by upstream's numeric verbosity: V(2) and less is info, V(3) debug, V(4) and more trace (spec/startup.md §1). */
export function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity <= 2) return 'info';
  return verbosity === 3 ? 'debug' : 'trace';
}

/**
 * Creates the logger of a process: JSON lines on standard error with upstream's keys `component`, `level`, `msg` and `timestamp` (spec/startup.md §1).
 * Values under keys that name secrets never appear.
 */
export function createLog(options: { role: string; verbosity: number; destination?: NodeJS.WritableStream }): Log {
  return pino(
    {
      level: levelOf(options.verbosity),
      base: { component: 'virt-operator', role: options.role },
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) },
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
