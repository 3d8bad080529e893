import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KindName } from '../../../src/api/kinds.ts';
import { findRemnant } from '../../../src/plan/completeness.ts';
import { Installation } from './drive.ts';

const CRD = 'virtualmachineclones.clone.kubevirt.io';

describe('what is being deleted and does not go', () => {
  const rows: { name: string; kind: KindName; object: string; finalizers?: string[]; want: string | undefined }[] = [
    { name: 'nothing', kind: 'Pod', object: 'virt-api-0', finalizers: ['example.com/theirs'], want: undefined },
    {
      name: 'B05: a definition that the strategy names, with its holders',
      kind: 'CustomResourceDefinition',
      object: CRD,
      finalizers: ['customresourcecleanup.apiextensions.k8s.io', 'example.com/theirs'],
      want: `CustomResourceDefinition ${CRD} to be gone, which is held by customresourcecleanup.apiextensions.k8s.io, example.com/theirs`,
    },
    {
      name: 'a Service that nobody holds',
      kind: 'Service',
      object: 'virt-api',
      want: 'Service kubevirt/virt-api to be gone',
    },
    {
      name: 'a workload that the strategy does not name: nothing is ready before it has gone',
      kind: 'Deployment',
      object: 'virt-old',
      finalizers: ['example.com/theirs'],
      want: 'Deployment kubevirt/virt-old to be gone, which is held by example.com/theirs',
    },
  ];
  for (const { name, kind, object, finalizers, want } of rows) {
    it(name, async () => {
      const installation = new Installation();
      await installation.converge();
      const labels = { 'app.kubernetes.io/managed-by': 'virt-operator' };
      const metadata = { name: 'virt-old', namespace: 'kubevirt', labels };
      if (object === 'virt-old') installation.cluster.add({ apiVersion: 'apps/v1', kind, metadata });
      installation.cluster.edit(kind, object, (live) => {
        live.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
        if (finalizers !== undefined) live.metadata.finalizers = finalizers;
      });
      assert.equal(findRemnant(installation.context()), want);
    });
  }
});
