import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

/** A network namespace that a user may change, and nobody else sees. */
const NAMESPACE = { command: 'unshare', args: ['--user', '--map-root-user', '--net'] };

function findObstacle(): string | false {
  const { status } = spawnSync(NAMESPACE.command, [...NAMESPACE.args, 'ip', 'link', 'set', 'lo', 'up']);
  return status === 0 ? false : 'no network namespaces for this user: unshare and ip are needed';
}

test(
  'L17: a path that drops the packets of an idle connection without a reset is noticed within 90 seconds, and what happened meanwhile is known',
  { skip: findObstacle(), timeout: 180_000 },
  () => {
    const args = [...NAMESPACE.args, process.execPath, join(import.meta.dirname, 'black-hole.ts')];
    const { status, stdout, stderr } = spawnSync(NAMESPACE.command, args, { encoding: 'utf8', timeout: 170_000 });
    assert.equal(status, 0, stderr);
    const { noticedMs, knownMs } = JSON.parse(stdout) as { noticedMs: number; knownMs: number };
    assert.ok(noticedMs < 90_000, `${noticedMs} ms`);
    assert.ok(knownMs < 120_000, `${knownMs} ms`);
    // It was the kernel that noticed, and not the limit of silence, which is borne longer where a kind has no bookmarks.
    assert.ok(noticedMs < 60_000, `${noticedMs} ms`);
  },
);
