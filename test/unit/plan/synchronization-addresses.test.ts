import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { decideSynchronizationAddresses } from '../../../src/plan/synchronization-addresses.ts';
import { buildKubeVirt } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const ON = { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } };
const lease = (holderIdentity: string): KubernetesObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'virt-synchronization-controller', namespace: 'kubevirt' },
  spec: { holderIdentity },
});
const pod = (ips: string[], metadata: Partial<KubernetesObject['metadata']> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'leader', namespace: 'kubevirt', ...metadata },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});
const networks = (text: string) => ({ annotations: { 'k8s.v1.cni.cncf.io/network-status': text } });
const MIGRATION = JSON.stringify([
  { name: 'default', interface: 'eth0', ips: ['10.0.0.9'] },
  { name: 'kubevirt/mig', interface: 'migration0', ips: ['192.168.1.5'] },
]);

describe('decideSynchronizationAddresses', () => {
  const rows: {
    name: string;
    configuration?: object;
    port?: string;
    objects: KubernetesObject[];
    stored?: string[];
    want: string[] | undefined;
  }[] = [
    {
      name: 'the gate is off',
      configuration: {},
      objects: [lease('leader'), pod(['10.0.0.1'])],
      stored: ['x:1'],
      want: undefined,
    },
    { name: 'no lease', objects: [pod(['10.0.0.1'])], want: undefined },
    { name: 'nobody leads', objects: [lease(''), pod(['10.0.0.1'])], want: undefined },
    { name: 'the leader is gone', objects: [lease('leader')], stored: ['x:1'], want: undefined },
    {
      name: 'the leader is going',
      objects: [lease('leader'), pod(['10.0.0.1'], { deletionTimestamp: 'now' })],
      want: undefined,
    },
    {
      name: 'both families',
      objects: [lease('leader'), pod(['10.0.0.1', 'fd00::1'])],
      want: ['10.0.0.1:9185', '[fd00::1]:9185'],
    },
    { name: 'another port', port: '9999', objects: [lease('leader'), pod(['10.0.0.1'])], want: ['10.0.0.1:9999'] },
    {
      name: 'a migration network',
      objects: [lease('leader'), pod(['10.0.0.1'], networks(MIGRATION))],
      want: ['192.168.1.5:9185'],
    },
    {
      name: 'an unreadable annotation',
      objects: [lease('leader'), pod(['10.0.0.1'], networks('{'))],
      want: ['10.0.0.1:9185'],
    },
    { name: 'no address yet', objects: [lease('leader'), pod([])], stored: ['10.0.0.1:9185'], want: ['10.0.0.1:9185'] },
  ];
  for (const { name, configuration = ON, port, objects, stored, want } of rows) {
    it(name, () => {
      const base = buildKubeVirt({ configuration, ...(port === undefined ? {} : { synchronizationPort: port }) });
      const kubeVirt = { ...base, ...(stored === undefined ? {} : { status: { synchronizationAddresses: stored } }) };
      const world = new MemoryCluster({ objects });
      assert.deepEqual(decideSynchronizationAddresses({ kubeVirt, world, operatorNamespace: 'kubevirt' }), want);
    });
  }

  for (const port of ['http', '-1', '0', '65536', '1.5']) {
    it(`port ${port} is an error that names the field`, () => {
      const kubeVirt = buildKubeVirt({ configuration: ON, synchronizationPort: port });
      const world = new MemoryCluster({ objects: [lease('leader'), pod(['10.0.0.1'])] });
      assert.throws(
        () => decideSynchronizationAddresses({ kubeVirt, world, operatorNamespace: 'kubevirt' }),
        /spec\.synchronizationPort/,
      );
    });
  }
});
