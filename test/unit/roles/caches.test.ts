import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCaches } from '../../../src/roles/functions.ts';

const rows: { name: string; isSynced: boolean; interruptedMs: number; want: RegExp | undefined }[] = [
  { name: 'complete and watched', isSynced: true, interruptedMs: 0, want: undefined },
  { name: 'not complete', isSynced: false, interruptedMs: 0, want: /not complete yet/ },
  { name: 'lost for as long as an API server restarts', isSynced: true, interruptedMs: 60_000, want: undefined },
  { name: 'lost for longer', isSynced: true, interruptedMs: 60_001, want: /out of reach/ },
];
for (const { name, isSynced, interruptedMs, want } of rows) {
  test(`B65: readiness with caches that are ${name}`, () => {
    const said = describeCaches({ isSynced: () => isSynced, interruptedMs: () => interruptedMs });
    if (want === undefined) assert.equal(said, undefined);
    else assert.match(said ?? '', want);
  });
}
