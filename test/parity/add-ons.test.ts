import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { buildInstancetypes } from '../../src/strategy/components/instancetypes.ts';
import { buildPreferences } from '../../src/strategy/components/preferences.ts';
import { buildPrometheusRules } from '../../src/strategy/components/prometheus-rules.ts';
import { buildVirtTemplate } from '../../src/strategy/components/virt-template.ts';
import type { GenerateInput } from '../../src/strategy/types.ts';
import { noGolden, readGoldenCases, withoutProse } from './golden-cases.ts';

interface Part {
  name: string;
  build: (input: GenerateInput) => KubernetesObject[];
  isPart: (object: KubernetesObject) => boolean;
}

const isKind =
  (kind: string) =>
  (object: KubernetesObject): boolean =>
    object.kind === kind;

/** Everything that upstream's bundle of virt-template brings, its CRDs apart. */
const isOfVirtTemplate = ({ kind, metadata }: KubernetesObject): boolean =>
  kind !== 'CustomResourceDefinition' &&
  metadata.annotations?.['template.kubevirt.io/virt-template-version'] !== undefined;

const parts: Part[] = [
  { name: 'instance types', build: buildInstancetypes, isPart: isKind('VirtualMachineClusterInstancetype') },
  { name: 'preferences', build: buildPreferences, isPart: isKind('VirtualMachineClusterPreference') },
  { name: 'Prometheus rules', build: buildPrometheusRules, isPart: isKind('PrometheusRule') },
  { name: 'virt-template', build: buildVirtTemplate, isPart: isOfVirtTemplate },
];

describe('add-ons equal upstream', { skip: noGolden }, () => {
  const cases = readGoldenCases();
  for (const { name, build, isPart } of parts) {
    for (const golden of cases) {
      test(`${name}, case ${golden.name}`, () => {
        assert.deepEqual(withoutProse(build(golden.input)), golden.objects.filter(isPart));
      });
    }
  }
});
