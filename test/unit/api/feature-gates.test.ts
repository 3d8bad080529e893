import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import { gateStateOf, isGateEnabled } from '../../../src/api/feature-gates.ts';

type Configuration = NonNullable<KubeVirt['spec']['configuration']>;
const listed = (featureGates: string[], disabledFeatureGates: string[] = []): Configuration => ({
  developerConfiguration: { featureGates, disabledFeatureGates },
});

describe('isGateEnabled', () => {
  const rows: { name: string; gate: string; configuration?: Configuration; want: boolean }[] = [
    { name: 'an unknown gate is off', gate: 'Nonsense', want: false },
    {
      name: 'an unknown gate is off even when listed',
      gate: 'Nonsense',
      configuration: listed(['Nonsense']),
      want: false,
    },
    { name: 'alpha is off by default', gate: 'Plugins', want: false },
    { name: 'alpha is on when listed', gate: 'Plugins', configuration: listed(['Plugins']), want: true },
    { name: 'beta is on by default', gate: 'Template', want: true },
    { name: 'beta is off when disabled', gate: 'Template', configuration: listed([], ['Template']), want: false },
    { name: 'enabling wins', gate: 'Template', configuration: listed(['Template'], ['Template']), want: true },
    { name: 'GA cannot be disabled', gate: 'LiveMigration', configuration: listed([], ['LiveMigration']), want: true },
    { name: 'deprecated is off by default', gate: 'HotplugVolumes', want: false },
    {
      name: 'deprecated works when listed',
      gate: 'HotplugVolumes',
      configuration: listed(['HotplugVolumes']),
      want: true,
    },
    { name: 'discontinued works when listed', gate: 'Macvtap', configuration: listed(['Macvtap']), want: true },
    { name: 'names are case-sensitive', gate: 'plugins', configuration: listed(['plugins']), want: false },
    { name: 'an empty configuration is none', gate: 'Snapshot', configuration: {}, want: true },
  ];
  for (const { name, gate, configuration, want } of rows) {
    test(name, () => {
      assert.equal(isGateEnabled(gate, configuration), want);
    });
  }
});

test('each state is known', () => {
  assert.deepEqual(
    ['AlignCPUs', 'Template', 'GPU', 'MultiArchitecture', 'Passt', 'X'].map((gate) => gateStateOf(gate)),
    ['Alpha', 'Beta', 'General Availability', 'Deprecated', 'Discontinued', undefined],
  );
});
