import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject } from '../../../src/api/objects.ts';
import { ApiError } from '../../../src/errors.ts';
import { MigrationHold } from '../../../src/worker/migration-hold.ts';

const { signal } = new AbortController();
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

/** A migration; of a workload update unless said otherwise. */
const migration = (phase?: string, annotations: JsonObject = { 'kubevirt.io/workloadUpdateMigration': '' }) => ({
  metadata: { annotations },
  ...(phase === undefined ? {} : { status: { phase } }),
});

function connectionOf(list: () => JsonObject[]) {
  return { request: () => Promise.resolve({ items: list(), metadata: {} } as unknown as JsonObject) };
}

const ROWS: { name: string; migrations: JsonObject[]; want: number | undefined }[] = [
  { name: 'none', migrations: [], want: undefined },
  { name: 'ended ones', migrations: [migration('Succeeded'), migration('Failed')], want: undefined },
  { name: 'one of an administrator', migrations: [migration('Running', {})], want: undefined },
  { name: 'one that has not begun', migrations: [migration()], want: 1 },
  {
    name: 'two at work, one ended',
    migrations: ['Running', 'Scheduling', 'Failed'].map((each) => migration(each)),
    want: 2,
  },
];

describe('MigrationHold', () => {
  for (const { name, migrations, want } of ROWS) {
    it(`B28: ${name}`, async () => {
      const hold = new MigrationHold(
        connectionOf(() => migrations),
        60_000,
      );
      const found = await hold.find({ edit: 'a', now: at(0), signal });
      assert.deepEqual(found, want === undefined ? undefined : { migrations: want, until: at(60) });
    });
  }

  it('B28: lets go when the migrations have finished, or the time is over; the next edit waits anew', async () => {
    let migrations = [migration('Running')];
    const hold = new MigrationHold(
      connectionOf(() => migrations),
      60_000,
    );
    const find = (edit: string, seconds: number) => hold.find({ edit, now: at(seconds), signal });
    assert.deepEqual(await find('a', 0), { migrations: 1, until: at(60) });
    assert.deepEqual(await find('a', 59), { migrations: 1, until: at(60) });
    assert.equal(await find('a', 60), undefined);
    assert.equal(await find('a', 61), undefined, 'the time of this edit is over for good');
    assert.deepEqual(await find('b', 61), { migrations: 1, until: at(121) });
    migrations = [migration('Succeeded')];
    assert.equal(await find('b', 62), undefined);
  });

  it('reads every page, and takes a cluster without the definition for one without migrations', async () => {
    const pages: JsonObject[] = [
      { items: [migration('Running')], metadata: { continue: 'more' } },
      { items: [migration('Running')], metadata: {} },
    ];
    const paged = new MigrationHold({ request: () => Promise.resolve(pages.shift() ?? {}) }, 1000);
    assert.equal((await paged.find({ edit: 'a', now: at(0), signal }))?.migrations, 2);
    const missing = new ApiError('no such path', { status: 404, reason: 'NotFound' });
    const absent = new MigrationHold({ request: () => Promise.reject(missing) }, 1000);
    assert.equal(await absent.find({ edit: 'a', now: at(0), signal }), undefined);
    const broken = new MigrationHold({ request: () => Promise.reject(new Error('500')) }, 1000);
    await assert.rejects(broken.find({ edit: 'a', now: at(0), signal }), /500/);
  });
});
