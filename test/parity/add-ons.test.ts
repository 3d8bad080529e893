import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { buildInstancetypes } from '../../src/strategy/components/instancetypes.ts';
import { buildPreferences } from '../../src/strategy/components/preferences.ts';
import type { GenerateInput } from '../../src/strategy/types.ts';
import { noGolden, readGoldenCases, withoutProse } from './golden-cases.ts';

const parts: {
  name: string;
  build: (input: GenerateInput) => KubernetesObject[];
  isPart: (o: KubernetesObject) => boolean;
}[] = [
  {
    name: 'instance types',
    build: buildInstancetypes,
    isPart: (object) => object.kind === 'VirtualMachineClusterInstancetype',
  },
  {
    name: 'preferences',
    build: buildPreferences,
    isPart: (object) => object.kind === 'VirtualMachineClusterPreference',
  },
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
