import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isSemanticallyEqual, isWhatWasWanted } from '../../../src/plan/equality.ts';

describe('isWhatWasWanted', () => {
  const rows: { name: string; wanted: unknown; live: unknown; want: boolean }[] = [
    { name: 'the same', wanted: { a: [1, { b: 'x' }] }, live: { a: [1, { b: 'x' }] }, want: true },
    {
      name: 'a default added',
      wanted: { ports: [{ port: 1 }] },
      live: { ports: [{ port: 1, protocol: 'TCP' }] },
      want: true,
    },
    {
      name: 'a default with another value',
      wanted: { ports: [{ port: 1 }] },
      live: { ports: [{ port: 1, protocol: 'UDP' }] },
      want: false,
    },
    {
      name: 'something added that is no default',
      wanted: { selector: {} },
      live: { selector: { a: 'b' } },
      want: false,
    },
    {
      name: 'a label selector taken back',
      wanted: { nodeSelector: { os: 'linux' } },
      live: { nodeSelector: { os: 'linux', zone: 'a' } },
      want: false,
    },
    { name: 'something lost', wanted: { a: 1, b: 2 }, live: { a: 1 }, want: false },
    { name: 'empty and absent', wanted: { a: {}, b: null, c: [] }, live: {}, want: true },
    { name: 'absent and empty', wanted: {}, live: { namespaceSelector: {}, objectSelector: {} }, want: true },
    { name: 'an item more', wanted: { args: ['a'] }, live: { args: ['a', 'b'] }, want: false },
    { name: 'items in another order', wanted: { args: ['a', 'b'] }, live: { args: ['b', 'a'] }, want: false },
    {
      name: 'a defaulted object',
      wanted: { strategy: {} },
      live: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
      want: true,
    },
    {
      name: 'a changed defaulted object',
      wanted: { strategy: {} },
      live: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
      want: false,
    },
    {
      name: 'a default of something else, in a probe',
      wanted: { readinessProbe: { httpGet: { port: 8443 } } },
      live: { readinessProbe: { httpGet: { port: 8443, scheme: 'HTTP' }, timeoutSeconds: 10 } },
      want: false,
    },
    {
      name: 'the default of a probe',
      wanted: { readinessProbe: { httpGet: { port: 8443 } } },
      live: { readinessProbe: { httpGet: { port: 8443, scheme: 'HTTP' }, timeoutSeconds: 1 } },
      want: true,
    },
    {
      name: 'the time-out of a webhook',
      wanted: [{ name: 'w' }],
      live: [{ name: 'w', timeoutSeconds: 10 }],
      want: true,
    },
    {
      name: 'the width of a rollout of something else',
      wanted: { strategy: {} },
      live: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
      want: false,
    },
    { name: 'false is not absent', wanted: { hostNetwork: false }, live: {}, want: false },
    { name: 'another type', wanted: { a: '1' }, live: { a: 1 }, want: false },
    {
      name: 'an address that the server chose',
      wanted: {},
      live: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
      want: true,
    },
  ];
  for (const { name, wanted, live, want } of rows) {
    it(`${name}: ${want}`, () => {
      assert.equal(isWhatWasWanted(wanted, live), want);
    });
  }
});

describe('isSemanticallyEqual', () => {
  const rows: { name: string; a: unknown; b: unknown; want: boolean }[] = [
    { name: 'keys in another order', a: { a: 1, b: 2 }, b: { b: 2, a: 1 }, want: true },
    { name: 'null and absent', a: { a: null }, b: {}, want: true },
    { name: 'a default on one side', a: {}, b: { protocol: 'TCP' }, want: false },
    { name: 'lists of other length', a: [1], b: [1, 2], want: false },
  ];
  for (const { name, a, b, want } of rows) {
    it(`${name}: ${want}`, () => {
      assert.equal(isSemanticallyEqual(a, b), want);
      assert.equal(isSemanticallyEqual(b, a), want);
    });
  }
});
