import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ObjectMeta } from '../../../src/api/objects.ts';
import { buildMetadataOperations } from '../../../src/plan/json-patch.ts';
import {
  buildMetadata,
  buildProductLabels,
  findInvalidProductFields,
  isMetadataCurrent,
  matchesTarget,
  mergeMetadata,
} from '../../../src/plan/metadata.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { buildKubeVirt } from './drive.ts';

const target = { id: 'f00', registry: 'quay.io/kubevirt', kubeVirtVersion: 'v1.9.0' } as TargetDeployment;

describe('buildProductLabels', () => {
  const rows: { name: string; spec: object; want: Record<string, string>; invalid?: string[] }[] = [
    { name: 'nothing asked for', spec: {}, want: { component: 'kubevirt' } },
    {
      name: 'a product',
      spec: { productName: 'acme', productVersion: '4.2', productComponent: 'compute' },
      want: { component: 'compute', version: '4.2', 'part-of': 'acme' },
    },
    {
      name: 'values that cannot be labels',
      spec: { productName: 'a b', productVersion: '-1', productComponent: 'ä' },
      want: { component: 'kubevirt' },
      invalid: ['spec.productVersion', 'spec.productName', 'spec.productComponent'],
    },
    {
      name: 'empty values',
      spec: { productName: '', productVersion: '', productComponent: '' },
      want: { component: 'kubevirt' },
    },
  ];
  for (const { name, spec, want, invalid = [] } of rows) {
    it(name, () => {
      const labels = Object.entries({ 'managed-by': 'virt-operator', ...want }).map(([key, value]) => [
        `app.kubernetes.io/${key}`,
        value,
      ]);
      assert.deepEqual(buildProductLabels(spec), Object.fromEntries(labels));
      assert.deepEqual(findInvalidProductFields(spec), invalid);
    });
  }
});

describe('isMetadataCurrent', () => {
  const wanted = buildMetadata({ name: 'x', labels: { own: '1' } }, { kubeVirt: buildKubeVirt(), target });
  const change = (edit: (metadata: Required<Pick<ObjectMeta, 'labels' | 'annotations'>>) => void): ObjectMeta => {
    const copy = structuredClone(wanted);
    edit(copy as Required<ObjectMeta>);
    return copy;
  };
  const rows: { name: string; live: ObjectMeta; want: boolean }[] = [
    { name: 'the same', live: wanted, want: true },
    {
      name: 'another generation alone',
      live: change(({ annotations }) => (annotations['kubevirt.io/generation'] = '1')),
      want: true,
    },
    {
      name: 'no generation at all',
      live: change(({ annotations }) => delete annotations['kubevirt.io/generation']),
      want: true,
    },
    { name: 'keys of others', live: change(({ labels }) => (labels['other'] = 'x')), want: true },
    {
      name: 'another identifier',
      live: change(({ annotations }) => (annotations['kubevirt.io/install-strategy-identifier'] = 'old')),
      want: false,
    },
    { name: 'a lost label', live: change(({ labels }) => delete labels['own']), want: false },
    { name: 'nothing', live: { name: 'x' }, want: false },
  ];
  for (const { name, live, want } of rows) {
    it(`${name}: ${want}`, () => {
      assert.equal(isMetadataCurrent(wanted, live), want);
    });
  }

  it('an object of an old release that calls itself by the old name matches its target', () => {
    const live = change(({ labels }) => (labels['app.kubernetes.io/managed-by'] = 'kubevirt-operator'));
    assert.ok(matchesTarget({ apiVersion: 'v1', kind: 'Secret', metadata: live }, target));
    assert.equal(matchesTarget({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }, target), false);
  });
});

describe('mergeMetadata and its operations', () => {
  const CUSTOMIZER = 'kubevirt.io/customizer-identifier';
  const rows: {
    name: string;
    wanted: ObjectMeta;
    live: ObjectMeta;
    labels?: object;
    annotations?: object;
    paths: string[];
  }[] = [
    {
      name: 'keys of others are kept',
      wanted: { labels: { a: '2' } },
      live: { labels: { a: '1', other: 'x' }, annotations: { 'policy.example/ok': 'yes' } },
      labels: { a: '2', other: 'x' },
      annotations: { 'policy.example/ok': 'yes' },
      paths: ['add /metadata/labels/a'],
    },
    {
      name: 'a key of our own that is not wanted any more goes',
      wanted: { labels: {}, annotations: {} },
      live: {
        labels: { 'app.kubernetes.io/version': '1' },
        annotations: { 'template.kubevirt.io/x': '1', 'kubevirt.io/y': '2' },
      },
      labels: {},
      annotations: {},
      paths: [
        'remove /metadata/labels/app.kubernetes.io~1version',
        'remove /metadata/annotations/template.kubevirt.io~1x',
        'remove /metadata/annotations/kubevirt.io~1y',
      ],
    },
    {
      name: "a name that only looks like ours is somebody else's",
      wanted: {},
      live: { annotations: { 'notkubevirt.io/x': '1' } },
      labels: {},
      annotations: { 'notkubevirt.io/x': '1' },
      paths: [],
    },
    {
      name: "after a change of customizeComponents all but Kubernetes' own keys go",
      wanted: { annotations: { [CUSTOMIZER]: 'new' } },
      live: {
        annotations: {
          [CUSTOMIZER]: 'old',
          'acme.example/x': '1',
          'deployment.kubernetes.io/revision': '3',
          'deprecated.daemonset.template.generation': '1',
        },
      },
      labels: {},
      annotations: {
        [CUSTOMIZER]: 'new',
        'deployment.kubernetes.io/revision': '3',
        'deprecated.daemonset.template.generation': '1',
      },
      paths: [
        'add /metadata/annotations/kubevirt.io~1customizer-identifier',
        'remove /metadata/annotations/acme.example~1x',
      ],
    },
    {
      name: 'the first labels come as a whole',
      wanted: { labels: { 'a/b~c': '1' } },
      live: {},
      labels: { 'a/b~c': '1' },
      annotations: {},
      paths: ['add /metadata/labels'],
    },
  ];
  for (const { name, wanted, live, labels, annotations, paths } of rows) {
    it(name, () => {
      assert.deepEqual(mergeMetadata(wanted, live), { labels, annotations });
      assert.deepEqual(
        buildMetadataOperations(wanted, live).map(({ op, path }) => `${op} ${path}`),
        paths,
      );
    });
  }
});
