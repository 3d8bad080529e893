/** The files of examples/: values are rendered, KubeVirt objects fit the definition. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { CHART, find, helm, noHelm, podOf, podsOf } from './render.ts';

const FOLDER = new URL('../../examples', import.meta.url).pathname;

function renderFile(name: string): KubernetesObject[] {
  const text = helm(['template', 'virt-operator', CHART, '--values', join(FOLDER, name)]);
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as KubernetesObject | null) ?? []);
}

describe('examples', { skip: noHelm }, () => {
  const files = globSync('values-*.yaml', { cwd: FOLDER });

  test('there are some', () => {
    assert.ok(files.length >= 3);
  });

  for (const file of files) {
    test(`${file} is accepted, and begins with what it is for`, () => {
      assert.ok(renderFile(file).length > 10);
      assert.match(readFileSync(join(FOLDER, file), 'utf8'), /^# .{20,}/);
    });
  }

  test('values-closed-network.yaml asks for no image from elsewhere', () => {
    const objects = renderFile('values-closed-network.yaml');
    const images = podsOf(objects).flatMap(({ containers, initContainers = [] }) =>
      [...containers, ...initContainers].map(({ image }) => image),
    );
    const release = podOf(find(objects, 'Deployment', 'virt-operator')).containers[0].env?.find(
      ({ name }) => name === 'VIRT_OPERATOR_IMAGE',
    )?.value;
    for (const image of [...images, release]) assert.match(image ?? '', /^registry\.example\.com\//);
  });

  test('kubevirt.yaml is one KubeVirt object in the namespace of the chart', () => {
    const object = parse(readFileSync(join(FOLDER, 'kubevirt.yaml'), 'utf8')) as KubernetesObject;
    assert.deepEqual([object.kind, object.metadata.namespace], ['KubeVirt', 'kubevirt']);
  });
});
