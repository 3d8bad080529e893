/** The whole install strategy against upstream's, in all golden configurations (spec/resources.md). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../src/api/objects.ts';
import { run } from '../../src/cli/render.ts';
import { MemoryIo } from '../unit/cli/io.ts';
import { readReleaseEnvironment } from '../../src/release-environment.ts';
import { buildStrategyConfigMap, parseStrategyConfigMap } from '../../src/exchange/config-map.ts';
import { generateStrategy } from '../../src/strategy/generate.ts';
import { parseTarget } from '../../src/exchange/deployment-config.ts';
import { decideTarget } from '../../src/strategy/target.ts';
import { type GoldenCase, noGolden, readGoldenCases, withoutProse } from './golden-cases.ts';

/** What `render` prints. */
interface Rendered {
  deploymentID: string;
  deploymentConfig: string;
  objects: KubernetesObject[];
}

async function render(golden: GoldenCase): Promise<Rendered> {
  const { monitorNamespace, operatorNamespace } = golden.input;
  const io = new MemoryIo({ 'cr.json': JSON.stringify(golden.kubeVirt) });
  io.env = golden.env;
  const code = await run(
    ['--cr', 'cr.json', '--monitor-namespace', monitorNamespace, '--operator-namespace', operatorNamespace],
    io,
  );
  assert.equal(code, 0, io.errText);
  return JSON.parse(io.outText) as Rendered;
}

const title = ({ kind, metadata }: KubernetesObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

const cases = readGoldenCases();

test('there are 14 golden cases', { skip: noGolden }, () => {
  assert.equal(cases.length, 14);
});

for (const golden of cases) {
  describe(`case ${golden.name}`, () => {
    test('render prints upstream objects in upstream order', async () => {
      const rendered = await render(golden);
      assert.deepEqual(rendered.objects.map(title), golden.objects.map(title));
      rendered.objects.forEach((object, index) => {
        assert.deepEqual(withoutProse(object), golden.objects[index], title(object));
      });
    });

    test('target: ID and JSON text byte for byte, and read back', () => {
      const target = decideTarget(golden.kubeVirt, readReleaseEnvironment(golden.env));
      assert.equal(target.id, golden.deploymentID);
      assert.equal(target.json, golden.deploymentConfig);
      assert.deepEqual(parseTarget(target.json), target);
    });

    test('survives the ConfigMap', () => {
      const strategy = generateStrategy(golden.input);
      const loaded = parseStrategyConfigMap(buildStrategyConfigMap(golden.input.target, strategy));
      assert.deepEqual(loaded.objects, JSON.parse(JSON.stringify(strategy.objects)));
    });
  });
}
