import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { requireBinaries, startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { noHelm, render, type Values } from './render.ts';

const FUNCTIONS = 'system:serviceaccount:kubevirt:kubevirt-operator-functions';

let kubeconfig = '';

interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

function kubectl(args: string[], objects: readonly unknown[] = []): Result {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const program = join(requireBinaries(), 'kubectl');
  return spawnSync(program, ['--kubeconfig', kubeconfig, ...args], { input, encoding: 'utf8' });
}

const isOneOf =
  (...kinds: string[]) =>
  ({ kind }: KubernetesObject): boolean =>
    kinds.includes(kind);

const workload = (kind: string): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { generateName: 'placement-check-', namespace: 'kubevirt' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
});

describe('on a real API server', { skip: noHelm }, () => {
  before(async () => {
    ({ kubeconfig } = await startOwnControlPlane({ nodes: 1 }));
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } };
    assert.equal(kubectl(['apply', '--server-side', '-f', '-'], [namespace]).status, 0);
  });

  const renderings: { name: string; values: Values }[] = [
    { name: 'mode all', values: {} },
    {
      name: 'mode split with everything',
      values: { mode: 'split', 'functions.autoscaling.enabled': true, 'kubevirt.enabled': true, 'rbac.escalate': true },
    },
  ];
  for (const { name, values } of renderings) {
    test(`${name} is accepted without a warning`, () => {
      const { status, stderr } = kubectl(
        ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'],
        render(values),
      );
      assert.equal(stderr, '');
      assert.equal(status, 0);
    });

    test(`${name}: its pods keep the restricted Pod Security Standard`, () => {
      const level = {
        'pod-security.kubernetes.io/warn': 'restricted',
        'pod-security.kubernetes.io/enforce': 'restricted',
      };
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'restricted', labels: level } };
      assert.equal(kubectl(['apply', '--server-side', '-f', '-'], [namespace]).status, 0);
      const workloads = render({ ...values, 'namespace.name': 'restricted' }).filter(isOneOf('Deployment', 'Job'));
      const { status, stderr } = kubectl(['create', '--dry-run=server', '-f', '-'], workloads);
      assert.equal(stderr, '');
      assert.equal(status, 0);
    });
  }

  test('the functions may create workloads as a dry run only', async () => {
    const rights = render({ mode: 'split' }).filter(
      isOneOf(
        'ServiceAccount',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'ValidatingAdmissionPolicy',
        'ValidatingAdmissionPolicyBinding',
      ),
    );
    const applied = kubectl(['apply', '--server-side', '-f', '-'], rights);
    assert.equal(applied.status, 0, applied.stderr);
    for (const kind of ['Deployment', 'DaemonSet']) {
      // A new admission policy takes a moment to be in force.
      await eventually(
        () => kubectl(['create', '--as', FUNCTIONS, '-f', '-'], [workload(kind)]),
        ({ stderr }) => stderr.includes('dry run only'),
      );
      const dry = kubectl(['create', '--as', FUNCTIONS, '--dry-run=server', '-f', '-'], [workload(kind)]);
      assert.equal(dry.status, 0, dry.stderr);
    }
    // The refusal is for this account alone.
    assert.equal(kubectl(['create', '--dry-run=none', '-f', '-'], [workload('Deployment')]).status, 0);
  });
});
