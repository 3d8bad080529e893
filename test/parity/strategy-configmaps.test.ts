/** Strategy ConfigMaps that upstream wrote must load completely (spec/strategy.md §1.2). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import type { KindName } from '../../src/api/kinds.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { errorText } from '../../src/errors.ts';
import { parseStrategyConfigMap } from '../../src/exchange/config-map.ts';
import { buildInstallStrategy } from '../../src/strategy/install-strategy.ts';
import { noGolden, readGolden, readGoldenCases, withoutProse } from './golden-cases.ts';

const read = (version: string): KubernetesObject => readGolden(`configmaps/${version}.json`) as KubernetesObject;

describe('strategy ConfigMaps of upstream', { skip: noGolden }, () => {
  test('v1.9.0 holds what the golden case release-cr does', () => {
    const golden = readGoldenCases().find(({ name }) => name === 'release-cr');
    assert.ok(golden);
    const want = buildInstallStrategy(structuredClone(golden.objects));
    const got = parseStrategyConfigMap(read('v1.9.0'));
    assert.equal(got.objects.length, 245);
    assert.deepEqual(
      got.objects.map((object) => withoutProse(object)),
      want.objects,
    );
  });

  test('v1.8.4 loads completely', () => {
    const strategy = parseStrategyConfigMap(read('v1.8.4'));
    const counts: [KindName, number][] = [
      ['ServiceAccount', 7],
      ['ClusterRole', 22],
      ['CustomResourceDefinition', 20],
      ['Deployment', 6],
      ['DaemonSet', 1],
      ['ConfigMap', 4],
      ['VirtualMachineClusterInstancetype', 65],
    ];
    assert.deepEqual(
      counts.map(([kind]) => [kind, strategy.ofKind(kind).length]),
      counts,
    );
    assert.equal(strategy.objects.length, 242);
    const [handler] = strategy.ofKind('DaemonSet');
    assert.match(JSON.stringify(handler), /virt-handler:v1\.8\.4/);
  });

  for (const version of ['v1.9.0', 'v1.8.4']) {
    test(`${version}: whatever is damaged or missing is noticed, and said of which key of which ConfigMap`, () => {
      const whole = read(version);
      const packed = whole.data?.['manifests'] ?? '';
      // The header of gzip holds a time and a name of a system, and the last character unused bits: nobody needs them.
      const damage = fc.record({ at: fc.integer({ min: 20, max: packed.length - 20 }), cut: fc.boolean() });
      fc.assert(
        fc.property(damage, ({ at, cut }) => {
          const other = packed[at] === 'A' ? 'B' : 'A';
          const manifests = packed.slice(0, at) + (cut ? '' : other + packed.slice(at + 1));
          assert.throws(
            () =>
              parseStrategyConfigMap({ ...whole, metadata: { ...whole.metadata, name: 'cm' }, data: { manifests } }),
            (error) => /^strategy ConfigMap kubevirt\/cm, key "manifests": /.test(errorText(error)),
          );
        }),
        { numRuns: 30 },
      );
    });
  }
});
