import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ControlPlane } from '../../sandbox/control-plane.ts';
import { startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { CHART, helm, noHelm } from './render.ts';

let plane: ControlPlane;

/** No node here runs the Jobs of hooks. */
const WITHOUT_HOOKS = ['--set', 'hooks.removeKubeVirt=false'];

function run(verb: 'install' | 'upgrade', namespace: string, ...options: string[]): string {
  const where = ['--kubeconfig', plane.kubeconfig, '--namespace', namespace];
  return helm([verb, 'virt-operator', CHART, ...where, ...WITHOUT_HOOKS, ...options]);
}

function uninstall(namespace: string): void {
  helm(['uninstall', 'virt-operator', '--kubeconfig', plane.kubeconfig, '--namespace', namespace]);
}

const read = (path: string) => plane.api.call('GET', path);

async function readPassword(secret: string, key: string): Promise<string> {
  const { data } = await plane.api.expect('GET', `/api/v1/namespaces/kubevirt/secrets/${secret}`);
  return (data as Record<string, string>)[key] ?? '';
}

describe('a release of the chart', { skip: noHelm }, () => {
  before(async () => {
    plane = await startOwnControlPlane({ nodes: 1 });
  });

  test('is installed with one command and says what to do next', async () => {
    const notes = run('install', 'default');
    assert.match(notes, /kubectl --namespace kubevirt create --filename -/);
    assert.match(notes, /port-forward deployment\/virt-operator 8189/);
    assert.match(notes, /Delete the KubeVirt object before `helm uninstall virt-operator`/);
    assert.doesNotMatch(notes, /WARNING/);
    const { body } = await read('/api/v1/namespaces/kubevirt');
    assert.equal(body.metadata?.labels?.['pod-security.kubernetes.io/enforce'], 'privileged');
  });

  test('keeps its generated secrets when it is upgraded, also into another mode', async () => {
    const password = await readPassword('kubevirt-redis', 'password');
    assert.equal(Buffer.from(password, 'base64').length, 32);
    run('upgrade', 'default', '--set', 'mode=split');
    assert.equal(await readPassword('kubevirt-redis', 'password'), password);
    const token = await readPassword('kubevirt-dashboard', 'token');
    const notes = run('upgrade', 'default', '--set', 'mode=split', '--set', 'functions.replicas=3');
    assert.match(notes, /get secret kubevirt-dashboard/);
    assert.equal(await readPassword('kubevirt-dashboard', 'token'), token);
    assert.equal(await readPassword('kubevirt-redis', 'password'), password);
  });

  test('goes without a trace, but for the namespace', async () => {
    uninstall('default');
    assert.equal((await read('/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt-operator')).status, 404);
    assert.equal((await read('/apis/apps/v1/namespaces/kubevirt/deployments/virt-operator')).status, 404);
    assert.equal((await read('/api/v1/namespaces/kubevirt')).status, 200);
  });

  test('comes again into the namespace that it left', () => {
    run('install', 'default');
    uninstall('default');
  });

  test("takes over upstream's objects in place", async () => {
    const labels = { 'kubevirt.io': 'virt-operator' };
    const container = { name: 'virt-operator', image: 'quay.io/kubevirt/virt-operator:v1.9.0' };
    const deployment = '/apis/apps/v1/namespaces/kubevirt/deployments';
    const { metadata } = await plane.api.expect('POST', deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'virt-operator', labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await plane.api.expect('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'kubevirt-operator' },
      rules: [],
    });
    assert.throws(() => run('install', 'default'), /exists and cannot be imported/);
    run('install', 'default', '--take-ownership');
    const { metadata: now } = await plane.api.expect('GET', `${deployment}/virt-operator`);
    assert.equal((now as { uid?: string }).uid, (metadata as { uid?: string }).uid);
    uninstall('default');
  });

  test('B44: a webhook of an earlier installation that leads nowhere is named before anything is applied', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const service = { namespace: 'gone', name: 'kubevirt-operator-webhook', path: '/kubevirt-validate-create' };
    await plane.api.expect('POST', path, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'left-over' },
      webhooks: [
        {
          name: 'a.kubevirt.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service },
          rules: [
            { apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['kubevirts'] },
          ],
        },
      ],
    });
    assert.throws(
      () => run('install', 'default'),
      /ValidatingWebhookConfiguration left-over .* leads to the Service gone\/kubevirt-operator-webhook.*kubectl delete validatingwebhookconfiguration left-over/,
    );
    assert.equal((await read('/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt-operator')).status, 404);
    await plane.api.expect('DELETE', `${path}/left-over`);
    run('install', 'default');
    uninstall('default');
  });

  test('B72: a namespace that forbids privileged pods is refused before anything is applied', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await plane.api.expect('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'strict', labels },
    });
    assert.throws(
      () => run('install', 'strict', '--set', 'namespace.name='),
      /namespace strict admits only pods of level restricted.*kubectl label namespace strict --overwrite/,
    );
    assert.equal((await read('/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt-operator')).status, 404);
  });

  test('takes a namespace as it is, and says what it lacks', async () => {
    const path = '/api/v1/namespaces/virt-system';
    const notes = run('install', 'virt-system', '--create-namespace', '--set', 'namespace.name=');
    assert.equal((await read(path)).body.metadata?.labels?.['kubevirt.io'], undefined);
    assert.match(notes, /namespace virt-system/);
    assert.doesNotMatch(notes, /WARNING/);
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    await plane.api.expect('PATCH', path, { metadata: { labels } }, 'application/merge-patch+json');
    assert.match(
      run('upgrade', 'virt-system', '--set', 'namespace.name='),
      /WARNING: the namespace virt-system does not admit privileged pods/,
    );
    uninstall('virt-system');
  });
});
