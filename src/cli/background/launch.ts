import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { UsageError } from '../frame/exit.ts';
import { isAlive, readState, type SandboxState } from './state-file.ts';

/** How often the state of a process that starts or ends is looked at. */
const POLL_MS = 100;
/** Lines of the log that an error repeats. */
const LOG_LINES = 12;

/** The root of the repository, seen from here. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What to start. */
export interface Launch {
  /** Flags of `npm start`. */
  flags: readonly string[];
  stateFile: string;
  /** Where its output goes. */
  logFile: string;
  signal: AbortSignal;
}

/**
 * Starts what `npm start` starts in the background and waits until it has written its state. Rejects with the end of its log when it ends before, and ends
 * it when the signal aborts.
 */
export async function launchSandbox({ flags, stateFile, logFile, signal }: Launch): Promise<SandboxState> {
  const script = join(ROOT, 'sandbox', 'start.ts');
  await access(script).catch((cause: unknown) => {
    throw new Error('the sandbox comes with the sources alone: clone the repository and run this command there', {
      cause,
    });
  });
  await build();
  const child = await start([script, ...flags, `--state=${stateFile}`], logFile);
  try {
    for (;;) {
      const state = await readState(stateFile);
      if (state !== undefined) return state;
      if (hasEnded(child)) throw await describeEnd(child, logFile);
      await pause(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    await end(child);
    throw signal.aborted ? signal.reason : error;
  } finally {
    child.unref();
  }
}

/** The programs of the control plane, which are built once; that may take minutes, and tells so itself. */
async function build(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'bootstrap.cjs'), 'redis', 'control-plane', 'helm'], {
    cwd: ROOT,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error('the programs of the sandbox could not be prepared; the reason stands above');
}

async function start(args: readonly string[], logFile: string): Promise<ChildProcess> {
  const log = await open(logFile, 'w', 0o600).catch((cause: unknown) => {
    throw new UsageError('the folder of the state file cannot be written to: name another file with --state', {
      cause,
    });
  });
  try {
    // A session of its own: it outlives this process and the terminal.
    return spawn(process.execPath, [...args], { cwd: ROOT, stdio: ['ignore', log.fd, log.fd], detached: true });
  } finally {
    await log.close();
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** It removes what it has started, which takes a moment. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Code of a process that does not understand its flags. */
const USAGE_CODE = 2;

async function describeEnd({ exitCode }: ChildProcess, logFile: string): Promise<Error> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  // What is wrong stands first, the flags that there are below.
  if (exitCode === USAGE_CODE) return new UsageError(lines[0] ?? '');
  return new Error(`the sandbox has ended; the end of its log ${logFile}:\n${lines.slice(-LOG_LINES).join('\n')}`);
}

/** Asks a sandbox to end, and waits until it has. Rejects with the signal's reason. */
export async function endSandbox({ pid }: SandboxState, signal: AbortSignal): Promise<void> {
  process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await pause(POLL_MS, undefined, { signal });
}
