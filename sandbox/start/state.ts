import { rename, rm, writeFile } from 'node:fs/promises';

/** Where everything is; what programs read that use a sandbox in the background. */
export interface SandboxState {
  /** The process to end with SIGTERM. */
  pid: number;
  kubeconfig: string;
  /** Folder of kubectl; absent when it is not ours. */
  binaries?: string;
  /** Addresses of the operator; absent without one. */
  metrics?: string;
  dashboard?: string;
  redis?: string;
}

/** Writes the file at once and whole: whoever sees it can use it. Returns the way to remove it. */
export async function writeState(file: string, state: SandboxState): Promise<() => Promise<void>> {
  const part = `${file}.${state.pid}`;
  await writeFile(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(part, file);
  return () => rm(file, { force: true });
}
