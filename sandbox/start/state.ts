import { rename, rm, writeFile } from 'node:fs/promises';

import type { SandboxState } from '../../src/cli/background/state-file.ts';

/** Writes the file at once and whole: whoever sees it can use it. Returns the way to remove it. */
export async function writeState(file: string, state: SandboxState): Promise<() => Promise<void>> {
  const part = `${file}.${state.pid}`;
  await writeFile(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(part, file);
  return () => rm(file, { force: true });
}
