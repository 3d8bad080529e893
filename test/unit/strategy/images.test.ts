import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { componentImage, parseOperatorImage, type OperatorImage } from '../../../src/strategy/images.ts';
import { target } from './builders.ts';

describe('parseOperatorImage', () => {
  const rows: { image: string; want: OperatorImage | undefined }[] = [
    {
      image: 'quay.io/kubevirt/virt-operator:v1.9.0',
      want: { registry: 'quay.io/kubevirt', prefix: '', suffix: ':v1.9.0' },
    },
    {
      image: 'localhost:5000/kv/dev-virt-operator:x',
      want: { registry: 'localhost:5000/kv', prefix: 'dev-', suffix: ':x' },
    },
    {
      image: 'acme.com/kubevirt/my-virt-operator@sha256:ab',
      want: { registry: 'acme.com/kubevirt', prefix: 'my-', suffix: '@sha256:ab' },
    },
    { image: 'quay.io/kubevirt/virt-operator', want: { registry: 'quay.io/kubevirt', prefix: '', suffix: '' } },
    {
      image: 'quay.io/kubevirt/virt-operator:v1@sha256:ab',
      want: { registry: 'quay.io/kubevirt', prefix: '', suffix: ':v1@sha256:ab' },
    },
    { image: 'localhost:5000/virt-operator', want: { registry: 'localhost:5000', prefix: '', suffix: '' } },
    { image: '/virt-operator:x', want: { registry: '', prefix: '', suffix: ':x' } },
    { image: 'virt-operator:x', want: undefined },
    { image: 'quay.io/kubevirt/virt-operator-next:x', want: undefined },
    { image: 'blabla', want: undefined },
    { image: '', want: undefined },
  ];
  for (const { image, want } of rows) {
    test(image === '' ? 'nothing' : image, () => {
      assert.deepEqual(parseOperatorImage(image), want);
    });
  }
});

describe('componentImage', () => {
  test('an override wins as it stands', () => {
    const overridden = target({ imageTag: 'v7' }, { VIRT_API_IMAGE: 'mirror/api@sha256:1' });
    assert.equal(componentImage(overridden, 'virtApiImage'), 'mirror/api@sha256:1');
  });
  test('else registry, prefix, repository and version', () => {
    const prefixed = target({}, { VIRT_OPERATOR_IMAGE: 'r:5000/x/dev-virt-operator:v2' });
    assert.equal(componentImage(prefixed, 'virtExportServerImage'), 'r:5000/x/dev-virt-exportserver:v2');
  });
  test('a template as version brings its own separator', () => {
    const template = { ...target(), kubeVirtVersion: '{{if .Tag}}:{{.Tag}}{{end}}' };
    assert.equal(componentImage(template, 'virtApiImage'), 'quay.io/kubevirt/virt-api{{if .Tag}}:{{.Tag}}{{end}}');
  });
});
