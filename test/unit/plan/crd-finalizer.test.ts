import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { isEmptied } from '../../../src/plan/crd-finalizer.ts';

const definition = (conditions: JsonObject[], deletionTimestamp?: string): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'x', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  status: { conditions },
});
const DELETED = '2026-01-01T00:00:00Z';
const terminating = (status: string, reason: string): JsonObject[] => [{ type: 'Terminating', status, reason }];

const ROWS: { name: string; object: KubernetesObject; want: boolean }[] = [
  { name: 'not deleted', object: definition(terminating('False', 'InstanceDeletionCompleted')), want: false },
  { name: 'no condition yet', object: definition([], DELETED), want: false },
  { name: 'at work', object: definition(terminating('True', 'InstanceDeletionInProgress'), DELETED), want: false },
  { name: 'in trouble', object: definition(terminating('True', 'InstanceDeletionFailed'), DELETED), want: false },
  { name: 'done', object: definition(terminating('False', 'InstanceDeletionCompleted'), DELETED), want: true },
  {
    name: 'B29: deleted before it was established',
    object: definition(terminating('False', 'NeverEstablished'), DELETED),
    want: true,
  },
  {
    name: 'in the way of a built-in resource',
    object: definition(terminating('False', 'OverlappingBuiltInResource'), DELETED),
    want: true,
  },
];

for (const { name, object, want } of ROWS) {
  test(`a definition without instances: ${name}`, () => {
    assert.equal(isEmptied(object), want);
  });
}
