import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonObject } from '../../../../src/api/objects.ts';
import { rules } from '../../../../src/strategy/rbac/notation.ts';

describe('rules', () => {
  const rows: { name: string; table: string; want: JsonObject[] }[] = [
    {
      name: 'the core group and a list of verbs',
      table: 'core | pods | get list',
      want: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    },
    {
      name: 'a named list of verbs',
      table: 'a.io | x y | read',
      want: [{ apiGroups: ['a.io'], resources: ['x', 'y'], verbs: ['get', 'list', 'watch'] }],
    },
    {
      name: 'resource names',
      table: 'core | configmaps | get | a b',
      want: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['a', 'b'] }],
    },
    {
      name: 'braces',
      table: 'g | vm{,/status} v/{start,a/b} | *',
      want: [{ apiGroups: ['g'], resources: ['vm', 'vm/status', 'v/start', 'v/a/b'], verbs: ['*'] }],
    },
    {
      name: 'empty lines are none',
      table: '\n  g | r | get  \n\n g | s | list\n',
      want: [
        { apiGroups: ['g'], resources: ['r'], verbs: ['get'] },
        { apiGroups: ['g'], resources: ['s'], verbs: ['list'] },
      ],
    },
  ];
  for (const { name, table, want } of rows) {
    test(name, () => {
      assert.deepEqual(rules(table), want);
    });
  }
});
