import { readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Where everything of a sandbox is, as it writes it down itself (sandbox/start/state.ts). */
export interface SandboxState {
  /** The process to end with SIGTERM. */
  pid: number;
  kubeconfig: string;
  /** Folder of kubectl; absent when it is not the sandbox's. */
  binaries?: string;
  /** Addresses of the operator; absent without one. */
  metrics?: string;
  dashboard?: string;
  redis?: string;
}

/** Where the state lies unless the user says otherwise: one sandbox for each user. */
export function defaultStateFile(): string {
  return join(tmpdir(), `virt-operator-sandbox-${userInfo().uid}.json`);
}

/** The state of a sandbox that is up; undefined when there is none. What a killed one has left behind is removed. */
export async function readState(file: string): Promise<SandboxState | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const state = parseState(text, file);
  if (isAlive(state.pid)) return state;
  await rm(file, { force: true });
  return undefined;
}

function parseState(text: string, file: string): SandboxState {
  try {
    const state = JSON.parse(text) as Partial<SandboxState>;
    if (Number.isInteger(state.pid) && typeof state.kubeconfig === 'string') return state as SandboxState;
  } catch {
    // Told below in the same words.
  }
  throw new Error(`${file} is not the state file of a sandbox: remove it, or name another with --state`);
}

/** Whether a process of this user exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process, or somebody else's, and so not the sandbox.
    return false;
  }
}
