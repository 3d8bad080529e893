import type { CommandIo } from '../../../src/cli/frame/io.ts';

/** The process of a command in memory: what it wrote, and files that it may read. */
export class MemoryIo implements CommandIo {
  env: Record<string, string | undefined> = {};
  isTerminal = false;
  signal = new AbortController().signal;
  outText = '';
  errText = '';
  readonly files: Record<string, string>;
  readonly #now: Date;

  constructor(files: Record<string, string> = {}, now = new Date('2026-03-01T12:00:00Z')) {
    this.files = files;
    this.#now = now;
  }

  read = (file: string): Promise<string> => {
    const text = this.files[file];
    return text === undefined ? Promise.reject(new Error(`no ${file}`)) : Promise.resolve(text);
  };

  out = (text: string): Promise<void> => {
    this.outText += text;
    return Promise.resolve();
  };

  err = (text: string): void => {
    this.errText += text;
  };

  now = (): Date => this.#now;
}
