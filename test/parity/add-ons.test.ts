import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { buildInstancetypes } from '../../src/strategy/components/instancetypes.ts';
import { buildPreferences } from '../../src/strategy/components/preferences.ts';
import { buildPrometheusRules } from '../../src/strategy/components/prometheus-rules.ts';
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

const parts: Part[] = [
  { name: 'instance types', build: buildInstancetypes, isPart: isKind('VirtualMachineClusterInstancetype') },
  { name: 'preferences', build: buildPreferences, isPart: isKind('VirtualMachineClusterPreference') },
  { name: 'Prometheus rules', build: buildPrometheusRules, isPart: isKind('PrometheusRule') },
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
