/** customizeComponents against a cluster that upstream has customized (spec/apply.md §7). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import { asKubeVirt } from '../../src/api/kubevirt.ts';
import type { KindName } from '../../src/api/kinds.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { customizerHash, customizeStrategy } from '../../src/customize/customize.ts';
import { generateStrategy } from '../../src/strategy/generate.ts';
import { generateInput } from '../unit/strategy/builders.ts';
import { noGolden, readGolden, readGoldenText } from './golden-cases.ts';

interface Workload {
  spec: { template: { spec: { containers: { command: string[]; args?: string[]; resources: unknown }[] } } };
}

const HASH = 'kubevirt.io/customizer-identifier';

describe('customizeComponents of cluster/rich.yaml', { skip: noGolden }, () => {
  const { spec } = asKubeVirt(noGolden === false ? (parse(readGoldenText('cluster/rich.yaml')) as object) : {});
  const snapshot =
    noGolden === false
      ? (readGolden('cluster/rich.json') as { objects: Record<string, KubernetesObject> })
      : { objects: {} };
  const { strategy, failures } = customizeStrategy(generateStrategy(generateInput(spec)), spec.customizeComponents);

  test('every hash in the cluster is ours, and ours are all there', () => {
    const hash = customizerHash(spec.customizeComponents);
    const live = Object.values(snapshot.objects).map(({ metadata }) => metadata.annotations?.[HASH]);
    const hashes = new Set(live.filter((value) => value !== undefined));
    assert.deepEqual([...hashes], [hash]);
    assert.deepEqual(failures, []);
  });

  const workloads: [KindName, string][] = [
    ['Deployment', 'virt-api'],
    ['Deployment', 'virt-controller'],
  ];
  for (const [kind, name] of workloads) {
    test(`command, arguments and resources of ${name}`, () => {
      const facts = (object: unknown): unknown[] =>
        (object as Workload).spec.template.spec.containers.map(({ command, args, resources }) => ({
          command,
          args,
          resources,
        }));
      const ours = strategy.ofKind(kind).find(({ metadata }) => metadata.name === name);
      assert.deepEqual(facts(ours), facts(snapshot.objects[`${kind}/kubevirt/${name}`]));
    });
  }

  test('labels and annotations that patches add', () => {
    const [handler] = strategy.ofKind('DaemonSet');
    assert.equal(handler?.metadata.labels?.['acme'], 'yes');
    for (const service of strategy.ofKind('Service')) {
      assert.equal(service.metadata.annotations?.['acme.example/svc'], '1', service.metadata.name);
    }
  });
});
