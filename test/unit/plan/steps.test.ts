import assert from 'node:assert/strict';
import test from 'node:test';

import { Installation } from './drive.ts';

test('first install: everything passive, then virt-api, then the others; each object is written once', async () => {
  const installation = new Installation();
  const results = await installation.converge();
  const writes = results.flatMap((r) => r.writes);
  assert.equal(writes.length, new Set(writes).size);
  const second = await installation.pass();
  assert.deepEqual(second.writes, []);
});
