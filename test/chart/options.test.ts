/** What the chart adds when it is asked to, object by object. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { CHART, find, helm, noHelm, podOf, podsOf, render, type Values } from './render.ts';

/** Fields of a spec that a test names by their path. */
function fieldOf(object: KubernetesObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}

const split: Values = { mode: 'split' };

describe('options of the chart', { skip: noHelm }, () => {
  test('helm finds nothing to complain about', () => {
    assert.match(helm(['lint', '--strict', CHART]), /0 chart\(s\) failed/);
  });

  const fields: { name: string; values: Values; object: [string, string]; want: Record<string, unknown> }[] = [
    {
      name: 'the functions scale with the load',
      values: { ...split, 'functions.autoscaling': { enabled: true, minReplicas: 3, maxReplicas: 9 } },
      object: ['HorizontalPodAutoscaler', 'virt-operator'],
      want: { 'spec.minReplicas': 3, 'spec.maxReplicas': 9, 'spec.scaleTargetRef.name': 'virt-operator' },
    },
    {
      name: 'and then have no number of their own',
      values: { ...split, 'functions.autoscaling.enabled': true },
      object: ['Deployment', 'virt-operator'],
      want: { 'spec.replicas': undefined },
    },
    {
      name: 'two workers stand by',
      values: split,
      object: ['Deployment', 'virt-operator-worker'],
      want: { 'spec.replicas': 2 },
    },
    {
      name: 'drains leave one pod that answers admission',
      values: split,
      object: ['PodDisruptionBudget', 'virt-operator'],
      want: { 'spec.maxUnavailable': 1, 'spec.selector.matchLabels': { 'kubevirt.io': 'virt-operator' } },
    },
    {
      name: 'in mode all as well',
      values: {},
      object: ['PodDisruptionBudget', 'virt-operator'],
      want: { 'spec.maxUnavailable': 1, 'spec.selector.matchLabels': { 'kubevirt.io': 'virt-operator' } },
    },
    {
      name: 'Redis is for the pods of the operator alone, and reaches nobody',
      values: {},
      object: ['NetworkPolicy', 'kubevirt-redis'],
      want: { 'spec.policyTypes': ['Ingress', 'Egress'], 'spec.egress': [] },
    },
    {
      name: 'the dashboard of mode split is for whom the values name',
      values: { ...split, 'networkPolicies.dashboardFrom': [{ namespaceSelector: {} }] },
      object: ['NetworkPolicy', 'kubevirt-dashboard'],
      want: {
        'spec.ingress': [{ ports: [{ port: 8189, protocol: 'TCP' }], from: [{ namespaceSelector: {} }] }],
      },
    },
    {
      name: 'OpenShift may be asked for another constraint',
      values: { podAnnotations: { 'openshift.io/required-scc': 'mine' } },
      object: ['Deployment', 'virt-operator'],
      want: { 'spec.template.metadata.annotations': { 'openshift.io/required-scc': 'mine' } },
    },
    {
      name: 'what is a list or a map may be taken away',
      values: { tolerations: null, 'all.resources': null },
      object: ['Deployment', 'virt-operator'],
      want: { 'spec.template.spec.tolerations': undefined },
    },
    {
      name: 'the ServiceMonitor takes labels by which Prometheus selects it',
      values: { 'monitoring.serviceMonitor': 'enabled', 'monitoring.labels': { release: 'prometheus' } },
      object: ['ServiceMonitor', 'virt-operator'],
      want: { 'metadata.labels.release': 'prometheus' },
    },
  ];
  for (const { name, values, object, want } of fields) {
    test(name, () => {
      const found = find(render(values), ...object);
      for (const [path, value] of Object.entries(want)) assert.deepEqual(fieldOf(found, path), value, path);
    });
  }

  test('rbac.escalate gives the verbs escalate and bind for roles, and nothing else does', () => {
    const verbs = (values: Values) => {
      const role = find(render(values), 'ClusterRole', 'kubevirt-operator');
      return (role['rules'] as { verbs: string[]; resources: string[] }[]).filter((rule) =>
        rule.verbs.includes('escalate'),
      );
    };
    assert.deepEqual(verbs({}), []);
    assert.deepEqual(verbs({ 'rbac.escalate': true }), [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles', 'roles'],
        verbs: ['escalate', 'bind'],
      },
    ]);
  });

  test('further rules are added, and all roles can be left to others', () => {
    const rule = { apiGroups: ['a.example.com'], resources: ['b'], verbs: ['get'] };
    const role = find(render({ 'rbac.extraClusterRules': [rule] }), 'ClusterRole', 'kubevirt-operator');
    assert.deepEqual((role['rules'] as object[]).at(-1), rule);
    const without = render({ 'rbac.create': false, ...split });
    assert.deepEqual(
      without.filter(({ kind }) => /Role/.test(kind)),
      [],
    );
    // The accounts are there all the same, for others to give them rights.
    for (const { serviceAccountName } of podsOf(without)) {
      if (serviceAccountName !== undefined) find(without, 'ServiceAccount', serviceAccountName);
    }
    assert.ok(without.some(({ kind }) => kind === 'ValidatingAdmissionPolicy'));
  });

  test('every pod of ours, Redis and hooks included, is pulled with the secrets of the values', () => {
    const objects = render({ ...split, 'kubevirt.enabled': true, imagePullSecrets: [{ name: 'pull' }] });
    const pods = podsOf(objects) as { imagePullSecrets?: { name: string }[] }[];
    assert.ok(pods.length >= 8);
    for (const { imagePullSecrets } of pods) assert.deepEqual(imagePullSecrets, [{ name: 'pull' }]);
  });

  test('started, alive and able to serve are three questions', () => {
    for (const name of ['virt-operator', 'virt-operator-gateway', 'virt-operator-worker']) {
      const [container] = podOf(find(render(split), 'Deployment', name)).containers;
      const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
        fieldOf(container as unknown as KubernetesObject, `${probe}.httpGet.path`),
      );
      assert.deepEqual(paths, ['/startupz', '/healthz', '/readyz'], name);
    }
  });

  test('network policies, budgets and the priority class can be left out', () => {
    const objects = render({
      'networkPolicies.enabled': false,
      'all.podDisruptionBudget.enabled': false,
      'priorityClass.create': false,
      'namespace.create': false,
    });
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const kind of ['NetworkPolicy', 'PodDisruptionBudget', 'PriorityClass', 'Namespace']) {
      assert.ok(!kinds.has(kind), kind);
    }
  });
});
