import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../../../src/api/objects.ts';
import { buildVirtTemplate } from '../../../../src/strategy/components/virt-template.ts';
import { buildInput } from './target.ts';

const ON = { VirtTemplateDeploymentEnabled: '' };

function imagesOf(...input: Parameters<typeof buildInput>): unknown[] {
  return buildVirtTemplate(buildInput(...input))
    .filter((object) => object.kind === 'Deployment')
    .map((object) => {
      const template = object.spec?.['template'] as { spec: { containers: JsonObject[] } };
      return template.spec.containers[0]?.['image'];
    });
}

describe('buildVirtTemplate', () => {
  test('builds nothing unless the target asks for it', () => {
    assert.deepEqual(buildVirtTemplate(buildInput()), []);
  });

  test('builds 30 objects, each once', () => {
    const keys = buildVirtTemplate(buildInput(ON)).map((object) => `${object.kind}/${object.metadata.name ?? ''}`);
    assert.equal(keys.length, 30);
    assert.equal(new Set(keys).size, 30);
  });

  test('images keep the version of virt-template, wherever they come from', () => {
    assert.deepEqual(imagesOf(ON, { registry: 'registry.example.com/mirror' }), [
      'registry.example.com/mirror/virt-template-apiserver:v0.2.2',
      'registry.example.com/mirror/virt-template-controller:v0.2.2',
    ]);
    assert.deepEqual(imagesOf(ON, { registry: '' }), [
      'quay.io/kubevirt/virt-template-apiserver:v0.2.2',
      'quay.io/kubevirt/virt-template-controller:v0.2.2',
    ]);
  });

  test('everything namespaced goes to the namespace of the installation, but for the reader of kube-system', () => {
    const objects = buildVirtTemplate(buildInput(ON, { namespace: 'virt-system' }));
    const elsewhere = objects.filter(
      ({ metadata }) => metadata.namespace !== undefined && metadata.namespace !== 'virt-system',
    );
    assert.deepEqual(
      elsewhere.map(({ metadata }) => [metadata.name, metadata.namespace]),
      [['virt-template-apiserver-auth-reader', 'kube-system']],
    );
    assert.ok(!JSON.stringify(objects).includes('"namespace":"kubevirt"'));
  });
});
