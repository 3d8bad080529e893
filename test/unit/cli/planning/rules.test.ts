import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { findUngrantableRoles } from '../../../../src/cli/planning/operator-rights.ts';
import { findMissingRights, type PolicyRule } from '../../../../src/cli/planning/rules.ts';
import { buildInstallStrategy } from '../../../../src/strategy/install-strategy.ts';

const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [''],
  resources: resources.split(','),
  ...more,
});

describe('findMissingRights', () => {
  const rows: { name: string; wanted: PolicyRule[]; held: PolicyRule[]; want: string[] }[] = [
    { name: 'the same', wanted: [rule('get', 'pods')], held: [rule('get', 'pods')], want: [] },
    {
      name: 'spread over rules',
      wanted: [rule('get,list', 'pods,nodes')],
      held: [rule('get,list', 'pods'), rule('get', 'nodes'), rule('list', 'nodes')],
      want: [],
    },
    { name: 'a verb', wanted: [rule('get,list', 'pods')], held: [rule('get', 'pods')], want: ['list pods'] },
    {
      name: 'a group',
      wanted: [rule('get', 'pods', { apiGroups: ['apps'] })],
      held: [rule('get', 'pods')],
      want: ['get pods.apps'],
    },
    {
      name: 'every verb needs every verb',
      wanted: [rule('*', 'pods')],
      held: [rule('get,list,watch', 'pods')],
      want: ['* pods'],
    },
    {
      name: 'every verb, group and resource is enough',
      wanted: [rule('get', 'pods/log')],
      held: [rule('*', '*', { apiGroups: ['*'] })],
      want: [],
    },
    {
      name: 'a sub-resource is a resource of its own',
      wanted: [rule('get', 'pods/log')],
      held: [rule('get', 'pods')],
      want: ['get pods/log'],
    },
    {
      name: 'a sub-resource of everything',
      wanted: [rule('update', 'pods/status')],
      held: [rule('update', '*/status')],
      want: [],
    },
    {
      name: 'names of objects that are held',
      wanted: [rule('get', 'secrets', { resourceNames: ['a'] })],
      held: [rule('get', 'secrets', { resourceNames: ['a', 'b'] })],
      want: [],
    },
    {
      name: 'all names need all names',
      wanted: [rule('get', 'secrets')],
      held: [rule('get', 'secrets', { resourceNames: ['a'] })],
      want: ['get secrets'],
    },
    {
      name: 'another name',
      wanted: [rule('get', 'secrets', { resourceNames: ['c'] })],
      held: [rule('get', 'secrets', { resourceNames: ['a'] })],
      want: ['get secrets "c"'],
    },
    {
      name: 'a URL',
      wanted: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz'] }],
      held: [{ verbs: ['get'], nonResourceURLs: ['/met*'] }],
      want: ['get /healthz'],
    },
    {
      name: 'resources are no URLs',
      wanted: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      held: [rule('*', '*', { apiGroups: ['*'] })],
      want: ['get /x'],
    },
    { name: 'each once', wanted: [rule('get', 'pods'), rule('get', 'pods')], held: [], want: ['get pods'] },
  ];
  for (const { name, wanted, held, want } of rows) {
    test(name, () => {
      assert.deepEqual(findMissingRights(wanted, held), want);
    });
  }
});

describe('findUngrantableRoles', () => {
  const role = (kind: string, name: string, rules: PolicyRule[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, namespace: 'kubevirt' },
    rules,
  });
  const strategy = buildInstallStrategy([
    role('ClusterRole', 'wide', [rule('get', 'nodes')]),
    role('Role', 'narrow', [rule('get', 'secrets')]),
  ]);
  const escalate = rule('escalate', 'clusterroles,roles', { apiGroups: ['rbac.authorization.k8s.io'] });
  const rows = [
    { name: 'nothing is held', clusterWide: [], inNamespace: [], want: ['ClusterRole wide', 'Role narrow'] },
    {
      name: 'rights of a namespace are none for the cluster',
      clusterWide: [],
      inNamespace: [rule('get', 'nodes,secrets')],
      want: ['ClusterRole wide'],
    },
    {
      name: 'rights of the cluster are rights in the namespace',
      clusterWide: [rule('get', 'nodes,secrets')],
      inNamespace: [],
      want: [],
    },
    { name: 'whoever may escalate may grant anything', clusterWide: [escalate], inNamespace: [], want: [] },
  ];
  for (const { name, want, ...held } of rows) {
    test(name, () => {
      assert.deepEqual(
        findUngrantableRoles(strategy, held).map(({ role: title }) => title),
        want,
      );
    });
  }
});
