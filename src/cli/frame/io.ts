import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { writeOutput } from '../output.ts';

/** What a command meets of the process that it runs in; tests put their own. */
export interface CommandIo {
  env: Readonly<Record<string, string | undefined>>;
  /** Whether the result goes to a terminal, so that colours are of use. */
  isTerminal: boolean;
  /** Reads a file, or standard input for `-`. */
  read: (file: string) => Promise<string>;
  /** Hands a part of the result over. */
  out: (text: string) => Promise<void>;
  /** Takes a sentence that is not the result. */
  err: (text: string) => void;
  now: () => Date;
  /** Aborts when whoever runs the command wants it to end. */
  signal: AbortSignal;
}

/** The process itself. Ctrl-C aborts the signal; a second one ends the process. */
export function processIo(): CommandIo {
  const ending = new AbortController();
  process.once('SIGINT', () => {
    ending.abort(new Error('interrupted'));
  });
  return {
    env: process.env,
    isTerminal: process.stdout.isTTY,
    read: (file) => (file === '-' ? text(process.stdin) : readFile(file, 'utf8')),
    out: (part) => writeOutput(part),
    err: (part) => void process.stderr.write(part),
    now: () => new Date(),
    signal: ending.signal,
  };
}
