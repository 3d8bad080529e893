import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A fresh folder that is removed after the test or suite in which this is called. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-unit-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
