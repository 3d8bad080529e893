import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Collection, type CollectionEvent } from '../../../src/watch/collection.ts';
import { buildObject } from './build-object.ts';

const tell = (events: readonly CollectionEvent[]): string[] =>
  events.map(
    ({ type, object, version, initial }) =>
      `${type} ${object.metadata.name ?? ''}@${version}${initial ? ' initial' : ''}`,
  );

/** A collection after a list of objects a and b at version 10. */
function listed(): Collection {
  const collection = new Collection();
  collection.replace([buildObject('a', 5), buildObject('b', 9)], '10');
  return collection;
}

const rows: {
  name: string;
  act: (collection: Collection) => CollectionEvent[];
  want: string[];
  version: string;
}[] = [
  {
    name: 'a changed object',
    act: (c) => c.upsert(buildObject('a', 11), '11'),
    want: ['modified a@11'],
    version: '11',
  },
  {
    name: 'a new object; versions are numbers, not texts',
    act: (c) => [...c.upsert(buildObject('c', 100), '100'), ...c.upsert(buildObject('c', 99), '99')],
    want: ['added c@100'],
    version: '100',
  },
  {
    name: 'an event at or below the version of the list is stale',
    act: (c) => [...c.upsert(buildObject('a', 10), '10'), ...c.upsert(buildObject('c', 7), '7')],
    want: [],
    version: '10',
  },
  {
    name: 'a deletion',
    act: (c) => [...c.remove(buildObject('a', 12), '12'), ...c.remove(buildObject('a', 12), '12')],
    want: ['deleted a@12'],
    version: '12',
  },
  {
    name: 'a late deletion of the very object is still true',
    act: (c) => c.remove(buildObject('a', 8), '8'),
    want: ['deleted a@8'],
    version: '10',
  },
  {
    name: 'a late deletion of an earlier object of that name is not',
    act: (c) => c.remove(buildObject('a', 8, { uid: 'earlier' }), '8'),
    want: [],
    version: '10',
  },
  {
    name: 'an object that took the place of another between two looks',
    act: (c) => c.replace([buildObject('a', 11, { uid: 'new' }), buildObject('b', 9)], '12'),
    want: ['deleted a@11', 'added a@11'],
    version: '12',
  },
  {
    name: 'an object that took the place of another, whose deletion was not seen',
    act: (c) => c.upsert(buildObject('a', 11, { uid: 'new' }), '11'),
    want: ['deleted a@11', 'added a@11'],
    version: '11',
  },
  {
    name: 'a list finds what was missed',
    act: (c) => c.replace([buildObject('b', 15), buildObject('c', 16)], '20'),
    want: ['modified b@15', 'added c@16', 'deleted a@20'],
    version: '20',
  },
  {
    name: 'a list that shows what is known',
    act: (c) => c.replace([buildObject('a', 5), buildObject('b', 9)], '30'),
    want: [],
    version: '30',
  },
  {
    name: 'a bookmark',
    act: (c) => {
      c.observe('40');
      c.observe('39');
      return [];
    },
    want: [],
    version: '40',
  },
];

for (const { name, act, want, version } of rows) {
  test(`collection: ${name}`, () => {
    const collection = listed();
    assert.deepEqual(tell(act(collection)), want);
    assert.equal(collection.version, version);
  });
}

test('collection: the first list is marked as such', () => {
  const collection = new Collection();
  assert.equal(collection.hasReached('1'), false);
  assert.deepEqual(tell(collection.replace([buildObject('a', 5)], '10')), ['added a@5 initial']);
  assert.equal(collection.hasReached('10'), true);
  assert.equal(collection.hasReached('11'), false);
  assert.equal(collection.hasUid('uid-a'), true);
  assert.equal(collection.hasUid('uid-b'), false);
});

test('collection: whatever the mixture of watch events and lists, it ends as the server is', () => {
  const change = fc.record({ name: fc.constantFrom('a', 'b', 'c'), exists: fc.boolean(), list: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const server = new Map<string, ReturnType<typeof buildObject>>();
      const collection = new Collection();
      collection.replace([], '1');
      let version = 1;
      const seen = new Map<string, string>();
      const note = (events: readonly CollectionEvent[]): void => {
        for (const event of events) {
          const name = event.object.metadata.name ?? '';
          if (event.type === 'deleted') seen.delete(name);
          else seen.set(name, event.object.metadata.resourceVersion ?? '');
        }
      };
      for (const { name, exists, list } of changes) {
        version += 1;
        const known = server.get(name);
        if (exists) server.set(name, buildObject(name, version, { uid: known?.metadata.uid ?? `uid-${version}` }));
        else server.delete(name);
        if (list) note(collection.replace([...server.values()], String(version)));
        else if (exists) note(collection.upsert(server.get(name)!, String(version)));
        else if (known !== undefined) note(collection.remove({ ...known }, String(version)));
      }
      const state = (objects: Iterable<ReturnType<typeof buildObject>>): string[] =>
        [...objects].map(({ metadata }) => `${metadata.name ?? ''}@${metadata.resourceVersion ?? ''}`).sort();
      assert.deepEqual(state(collection.list()), state(server.values()));
      assert.deepEqual(
        [...seen].map(([name, at]) => `${name}@${at}`).sort(),
        state(server.values()),
        'events tell the same story',
      );
    }),
  );
});
