import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildKubeVirt, Installation } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const FEATURES = {
  openshift: true,
  serviceMonitor: true,
  prometheusRule: true,
  validatingAdmissionPolicy: true,
  validatingAdmissionPolicyBinding: true,
};

async function deployed(objects: ConstructorParameters<typeof MemoryCluster>[0] = {}): Promise<Installation> {
  const installation = new Installation(buildKubeVirt(), new MemoryCluster(objects));
  installation.features = FEATURES;
  await installation.converge();
  return installation;
}

describe('OpenShift and monitoring', () => {
  it('B63: their objects are created when their APIs appear later, and nothing is written after that', async () => {
    const installation = new Installation();
    await installation.converge();
    installation.features = FEATURES;
    const writes = (await installation.converge()).flatMap((result) => result.writes);
    assert.deepEqual(writes.toSorted(), [
      'create PrometheusRule prometheus-kubevirt-rules',
      'create Role kubevirt-monitoring',
      'create RoleBinding kubevirt-monitoring',
      'create Route virt-exportproxy',
      'create SecurityContextConstraints kubevirt-controller',
      'create SecurityContextConstraints kubevirt-handler',
      'create ServiceMonitor prometheus-kubevirt-rules',
    ]);
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('the Route carries the bundle, keeps the host that it was given, and follows a new authority', async () => {
    const installation = await deployed();
    const { cluster } = installation;
    cluster.edit('Route', 'virt-exportproxy', ({ spec }) =>
      Object.assign(spec ?? {}, { host: 'x.apps', wildcardPolicy: 'None' }),
    );
    assert.deepEqual((await installation.pass()).writes, []);
    installation.now = new Date(installation.now.getTime() + 140 * 3_600_000);
    assert.ok((await installation.pass()).writes.includes('patch Route virt-exportproxy'));
    const spec = cluster.get('Route', 'virt-exportproxy', 'kubevirt')?.spec;
    const tls = spec?.tls as { destinationCACertificate: string };
    assert.equal(spec?.host, 'x.apps');
    assert.equal(tls.destinationCACertificate.match(/BEGIN/g)?.length, 2);
  });

  it('a foreign change of an SCC is left until another target comes, as upstream does', async () => {
    const installation = await deployed();
    installation.cluster.edit('SecurityContextConstraints', 'kubevirt-handler', (scc) => (scc.allowHostPID = false));
    assert.deepEqual((await installation.pass()).writes, []);
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.converge();
    assert.equal(installation.cluster.get('SecurityContextConstraints', 'kubevirt-handler')?.allowHostPID, true);
  });

  it('our accounts leave the SCC privileged, once, and others stay', async () => {
    const users = [
      'system:admin',
      'system:serviceaccount:kubevirt:kubevirt-handler',
      'system:serviceaccount:x:kubevirt-handler',
    ];
    const privileged = {
      apiVersion: 'security.openshift.io/v1',
      kind: 'SecurityContextConstraints',
      metadata: { name: 'privileged' },
      users,
    };
    const installation = await deployed({ objects: [privileged] });
    assert.deepEqual(installation.cluster.get('SecurityContextConstraints', 'privileged')?.users, [users[0], users[2]]);
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('a damaged rule is put right', async () => {
    const installation = await deployed();
    installation.cluster.edit('PrometheusRule', 'prometheus-kubevirt-rules', ({ spec }) => {
      (spec as { groups: [] }).groups.pop();
    });
    assert.deepEqual((await installation.pass()).writes, ['patch PrometheusRule prometheus-kubevirt-rules']);
  });
});
