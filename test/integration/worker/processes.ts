import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from '../fixtures/eventually.ts';
import { freshUid } from '../fixtures/redis.ts';
import type { ChildOptions, Line } from './child.ts';

/** A worker process. */
export interface WorkerProcess {
  name: string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or with the signal that ended it. */
  exit: Promise<number | NodeJS.Signals>;
}

/** Worker processes that share a prefix and a file of lines. */
export interface Crew {
  uid: string;
  start(name: string, more?: Partial<ChildOptions>): WorkerProcess;
  lines(): Promise<Line[]>;
  /** Waits until the lines are as wanted, and returns them. */
  see(want: (lines: Line[]) => boolean): Promise<Line[]>;
}

/** Prepares worker processes; those that are left are killed after the test. */
export async function openCrew(t: TestContext, url: string, shared: Partial<ChildOptions> = {}): Promise<Crew> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-worker-'));
  const file = join(directory, 'lines');
  const uid = freshUid();
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  const lines = async (): Promise<Line[]> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  };
  return {
    uid,
    lines,
    see: (want) => eventually(lines, want),
    start: (name, more) => {
      const options: ChildOptions = { url, uid, name, file, ...shared, ...more };
      const script = join(import.meta.dirname, 'child.ts');
      const child = spawn(process.execPath, [script, JSON.stringify(options)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.push(child);
      const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
      return { name, kill: (signal) => child.kill(signal), exit };
    },
  };
}

/** A pass from its first line to its last. */
export interface Run {
  worker: string;
  pass: string;
  began: number;
  /** Absent while it runs, and when its process was killed. */
  ended?: number;
  event?: 'end' | 'abort';
}

/** The passes of all workers, in order of their beginning. A worker runs one at a time, so that its next line after a start is the end. */
export function listRuns(lines: readonly Line[]): Run[] {
  return lines.flatMap((line, index) => {
    if (line.event !== 'start') return [];
    const next = lines.slice(index + 1).find(({ worker }) => worker === line.worker);
    const run: Run = { worker: line.worker, pass: line.pass, began: line.at };
    return [next === undefined || next.event === 'start' ? run : { ...run, ended: next.at, event: next.event }];
  });
}

/** Passes that began while another one ran. A pass without an end ended when its process was killed, at `killedAt`. */
export function findOverlaps(lines: readonly Line[], killedAt: ReadonlyMap<string, number> = new Map()): string[] {
  const runs = listRuns(lines)
    .map(({ worker, pass, began, ended = killedAt.get(worker) ?? Infinity }) => ({
      name: `${worker}/${pass}`,
      began,
      ended,
    }))
    .toSorted((a, b) => a.began - b.began);
  return runs.slice(1).flatMap((next, index) => {
    const run = runs[index];
    return run !== undefined && run.ended > next.began ? [`${run.name} and ${next.name}`] : [];
  });
}
