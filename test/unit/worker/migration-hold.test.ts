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

const held = (migrations: number, until: number) => ({
  awaited: `${migrations} migrations of machines to new components`,
  until: at(until),
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
      assert.deepEqual(found, want === undefined ? undefined : held(want, 60));
    });
  }

  it('B28: lets go when the migrations have finished, or the time is over; the next edit waits anew', async () => {
    let migrations = [migration('Running')];
    const hold = new MigrationHold(
      connectionOf(() => migrations),
      60_000,
    );
    const find = (edit: string, seconds: number) => hold.find({ edit, now: at(seconds), signal });
    assert.deepEqual(await find('a', 0), held(1, 60));
    assert.deepEqual(await find('a', 59), held(1, 60));
    assert.equal(await find('a', 60), undefined);
    assert.equal(await find('a', 61), undefined, 'the time of this edit is over for good');
    assert.deepEqual(await find('b', 61), held(1, 121));
    migrations = [migration('Succeeded')];
    assert.equal(await find('b', 62), undefined);
    migrations = [migration('Running')];
    assert.deepEqual(await find('b', 63), held(1, 121), 'an edit has one deadline');
    assert.equal(await find('b', 121), undefined);
  });

  it('B28: an answer that is none puts an edit off until its deadline, and is told', async () => {
    let asked = 0;
    const request = () => {
      asked++;
      return Promise.reject(new ApiError('the server is broken', { status: 500, reason: 'InternalError' }));
    };
    const hold = new MigrationHold({ request }, 60_000);
    const found = await hold.find({ edit: 'a', now: at(0), signal });
    assert.match(found?.awaited ?? '', /migrations .*the server is broken/);
    assert.deepEqual(found?.until, at(60));
    assert.equal(await hold.find({ edit: 'a', now: at(60), signal }), undefined);
    assert.equal(asked, 1, 'after the deadline nobody is asked');
  });

  it('reads every page, and takes a cluster without the definition for one without migrations', async () => {
    const pages: JsonObject[] = [
      { items: [migration('Running')], metadata: { continue: 'more' } },
      { items: [migration('Running')], metadata: {} },
    ];
    const paged = new MigrationHold({ request: () => Promise.resolve(pages.shift() ?? {}) }, 1000);
    assert.deepEqual(await paged.find({ edit: 'a', now: at(0), signal }), held(2, 1));
    const missing = new ApiError('no such path', { status: 404, reason: 'NotFound' });
    const absent = new MigrationHold({ request: () => Promise.reject(missing) }, 1000);
    assert.equal(await absent.find({ edit: 'a', now: at(0), signal }), undefined);
  });
});
