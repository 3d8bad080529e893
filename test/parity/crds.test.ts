/** Our CRDs against upstream's, prose aside (spec/crds.md). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { buildCustomResourceDefinitions } from '../../src/strategy/components/crds.ts';
import { buildKubeVirtCrd } from '../../src/strategy/components/kubevirt-crd.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import type { TargetDeployment } from '../../src/strategy/types.ts';

const golden = new URL('../../../shared/golden/', import.meta.url);
const skip = existsSync(golden) ? false : 'the golden data is not on this machine';

const readGolden = (name: string): unknown => JSON.parse(readFileSync(new URL(name, golden), 'utf8'));

const input = (additionalProperties: Record<string, string>): { target: TargetDeployment } => ({
  target: { additionalProperties } as TargetDeployment,
});
const withTemplates = input({ VirtTemplateDeploymentEnabled: '' });

/** Drops what `compare_strategy.py` ignores: descriptions and messages. A column's description stays, as the empty string. */
function withoutProse(crd: unknown): unknown {
  const inSchema = (key: string, value: unknown): unknown =>
    typeof value === 'string' && (key === 'description' || key === 'message') ? undefined : value;
  return JSON.parse(JSON.stringify(crd), (key: string, value: unknown): unknown => {
    if (key === 'openAPIV3Schema') return JSON.parse(JSON.stringify(value), inSchema);
    return key === 'description' && typeof value === 'string' ? '' : value;
  });
}

const nameOf = (crd: KubernetesObject): string => crd.metadata.name ?? '';

describe('CRDs of the install strategy', { skip }, () => {
  const pool = skip ? {} : (readGolden('pool-CustomResourceDefinition.json') as Record<string, KubernetesObject>);
  const { objects } = skip
    ? { objects: [] }
    : (readGolden('default.json') as { objects: { $pool?: string; $hash?: string }[] });
  const want = objects
    .filter(({ $pool }) => $pool === 'CustomResourceDefinition')
    .map(({ $hash }) => pool[$hash ?? '']!);
  const got = buildCustomResourceDefinitions(withTemplates);

  test('stand in upstream order', () => {
    assert.equal(want.length, 21);
    assert.deepEqual(got.map(nameOf), want.map(nameOf));
  });

  for (const crd of want) {
    test(`${nameOf(crd)} equals upstream's`, () => {
      assert.deepEqual(withoutProse(got.find((candidate) => nameOf(candidate) === nameOf(crd))), crd);
    });
  }

  test('without virt-template there are 19', () => {
    const names = want.map(nameOf).filter((name) => !name.endsWith('.template.kubevirt.io'));
    assert.equal(names.length, 19);
    assert.deepEqual(buildCustomResourceDefinitions(input({})).map(nameOf), names);
  });
});

test('the KubeVirt CRD equals upstream', { skip }, () => {
  assert.deepEqual(withoutProse(buildKubeVirtCrd()), readGolden('kubevirt-crd.json'));
});
