import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirt } from '../../../../src/api/kubevirt.ts';
import { chooseKubeVirt, decideNamespace, readKubeVirts } from '../../../../src/cli/cluster/kubevirts.ts';
import { ApiError } from '../../../../src/errors.ts';

const kubeVirt = (namespace: string, name = 'kubevirt'): KubeVirt => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name, namespace },
  spec: {},
});

describe('chooseKubeVirt', () => {
  test('the only one, or the one of the namespace', () => {
    const [a, b] = [kubeVirt('a'), kubeVirt('b')];
    assert.equal(chooseKubeVirt([a], undefined), a);
    assert.equal(chooseKubeVirt([a, b], 'b'), b);
  });

  const rows = [
    {
      name: 'no definition',
      all: undefined,
      namespace: undefined,
      want: /no CustomResourceDefinition kubevirts\.kubevirt\.io.*"setup" or the chart installs it/,
    },
    { name: 'none', all: [], namespace: undefined, want: /no KubeVirt object in the cluster; examples/ },
    { name: 'one elsewhere', all: [kubeVirt('a')], namespace: 'b', want: /in the namespace b; there is a\/kubevirt$/ },
    {
      name: 'two',
      all: [kubeVirt('a'), kubeVirt('b')],
      namespace: undefined,
      want: /several KubeVirt objects, a\/kubevirt and b\/kubevirt, .*delete all but one, or look at one with --namespace$/,
    },
    {
      name: 'two in one namespace',
      all: [kubeVirt('a'), kubeVirt('a', 'other')],
      namespace: 'a',
      want: /a\/kubevirt and a\/other, .*looks after none of them: delete all but one$/,
    },
  ];
  for (const { name, all, namespace, want } of rows) {
    test(`says what there is: ${name}`, () => {
      assert.throws(() => chooseKubeVirt(all, namespace), want);
    });
  }
});

test('the namespace is the named one, that of the only object, or the usual one', () => {
  assert.equal(decideNamespace([kubeVirt('a')], 'b'), 'b');
  assert.equal(decideNamespace([kubeVirt('a')], undefined), 'a');
  assert.equal(decideNamespace([kubeVirt('a'), kubeVirt('b')], undefined), 'kubevirt');
  assert.equal(decideNamespace([], undefined), 'kubevirt');
});

test('a cluster without the kind has no objects; other errors are told', async () => {
  const failing = (status: number) => ({
    list: () => Promise.reject(new ApiError('x', { status, reason: 'y' })),
  });
  assert.equal(await readKubeVirts(failing(404)), undefined);
  await assert.rejects(readKubeVirts(failing(403)), ApiError);
});
