import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideNamespaceLabels } from '../../../src/cli/namespace-labels.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

function namespace(labels?: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'virt', ...(labels && { labels }) } };
}

describe('B72: labels of the namespace', () => {
  const rows: { name: string; labels: Record<string, string> | undefined; want: Record<string, string> }[] = [
    { name: 'none yet', labels: undefined, want: { 'kubevirt.io': '', [ENFORCE]: 'privileged' } },
    { name: 'others stay', labels: { team: 'a' }, want: { 'kubevirt.io': '', [ENFORCE]: 'privileged' } },
    { name: 'only what is missing', labels: { [ENFORCE]: 'privileged' }, want: { 'kubevirt.io': '' } },
    { name: 'all there', labels: { 'kubevirt.io': 'mine', [ENFORCE]: 'privileged' }, want: {} },
  ];
  for (const { name, labels, want } of rows) {
    test(name, () => {
      assert.deepEqual(decideNamespaceLabels(namespace(labels)), want);
    });
  }

  test('a stricter level that somebody has set is not overruled; the command that does it is named', () => {
    assert.throws(() => decideNamespaceLabels(namespace({ [ENFORCE]: 'restricted' })), {
      message: /virt admits only pods of level restricted.*kubectl label namespace virt --overwrite .*=privileged$/,
    });
  });
});
