import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

import { parse } from 'yaml';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import {
  buildStrategyConfigMap,
  parseStrategyConfigMap,
  strategyConfigMapsOf,
} from '../../../src/exchange/config-map.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { errorText } from '../../../src/errors.ts';
import { generateInput, target } from '../strategy/builders.ts';

const ENCODED = { 'kubevirt.io/install-strategy-cm-encoding': 'gzip+base64' };
const pack = (text: string): string => gzipSync(text).toString('base64');

const configMap = (
  manifests: string | undefined,
  annotations: Record<string, string> = {},
  metadata: Partial<KubernetesObject['metadata']> = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'cm',
    namespace: 'kubevirt',
    labels: { 'kubevirt.io/install-strategy': '' },
    annotations,
    ...metadata,
  },
  data: manifests === undefined ? {} : { manifests },
});

const account = (name: string): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n  namespace: n\n`;

/** The documents of a packed ConfigMap, as upstream takes them apart. */
function documentsOf({ data }: KubernetesObject): string[] {
  const text = gunzipSync(Buffer.from(data?.['manifests'] ?? '', 'base64')).toString();
  return text
    .split('---')
    .map((document) => document.trim())
    .filter((document) => document !== '');
}

describe('buildStrategyConfigMap', () => {
  const strategy = generateStrategy(generateInput());
  const built = buildStrategyConfigMap(target(), strategy);

  test('has upstream metadata, and a name made of the ID', () => {
    assert.deepEqual(built.metadata, {
      name: `kubevirt-install-strategy-${target().id.slice(0, 12)}`,
      namespace: 'kubevirt',
      labels: { 'app.kubernetes.io/managed-by': 'virt-operator', 'kubevirt.io/install-strategy': '' },
      annotations: {
        'kubevirt.io/install-strategy-version': 'v1.9.0',
        'kubevirt.io/install-strategy-registry': 'quay.io/kubevirt',
        'kubevirt.io/install-strategy-identifier': target().id,
        ...ENCODED,
      },
    });
  });

  test('an ID that fits into no name leaves the name to the API server', () => {
    const odd = buildStrategyConfigMap({ ...target(), id: 'Not An ID' }, strategy);
    assert.equal(odd.metadata.name, undefined);
    assert.equal(odd.metadata.generateName, 'kubevirt-install-strategy-');
  });

  test('is far below the size limit of a ConfigMap', () => {
    assert.ok((built.data?.['manifests']?.length ?? Infinity) < 700_000);
  });

  test('a reader that splits at every --- and reads YAML gets every object, CA ConfigMaps twice', () => {
    const documents = documentsOf(built);
    assert.equal(documents.length, strategy.objects.length + 4);
    const [first] = documents;
    assert.deepEqual(parse(first ?? ''), strategy.objects[0]);
  });

  test('dashes and odd characters inside of values survive', () => {
    const [object] = strategy.objects;
    assert.ok(object);
    const dashed = {
      ...object,
      metadata: { ...object.metadata, annotations: { cert: '-----BEGIN X-----\na---b\u2028\u0085\u007f\ufeff' } },
    };
    const one = { objects: [dashed], ofKind: () => [] };
    const packed = buildStrategyConfigMap(target(), one);
    assert.deepEqual(parseStrategyConfigMap(packed).objects, [dashed]);
    assert.deepEqual(
      documentsOf(packed).map((document) => parse(document) as unknown),
      [dashed],
    );
  });
});

describe('parseStrategyConfigMap', () => {
  test('reads plain text when no encoding is named, in order of kinds, first of doubles', () => {
    const text = `---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: c, namespace: n}\n---\n${account('b')}---\n${account('a')}---\n${account('b')}`;
    const strategy = parseStrategyConfigMap(configMap(text));
    assert.deepEqual(
      strategy.objects.map(({ metadata }) => metadata.name),
      ['b', 'a', 'c'],
    );
    assert.equal(strategy.ofKind('ServiceAccount').length, 2);
    assert.deepEqual(strategy.ofKind('Deployment'), []);
  });

  test('gives every kind the apiVersion under which it is served', () => {
    const text =
      '---\napiVersion: v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\n---\napiVersion: monitoring.coreos.com\nkind: ServiceMonitor\nmetadata: {name: s, namespace: n}\n';
    const versions = parseStrategyConfigMap(configMap(pack(text), ENCODED)).objects.map(({ apiVersion }) => apiVersion);
    assert.deepEqual(versions, ['admissionregistration.k8s.io/v1', 'monitoring.coreos.com/v1']);
  });

  test('line breaks inside of base64 do not matter', () => {
    const wrapped = pack(account('a')).replace(/(.{20})/g, '$1\n');
    assert.equal(parseStrategyConfigMap(configMap(wrapped, ENCODED)).objects.length, 1);
  });

  const good = pack(`---\n${account('a')}`);
  const bad: { name: string; configMap: KubernetesObject; want: RegExp }[] = [
    {
      name: 'no key',
      configMap: configMap(undefined),
      want: /^strategy ConfigMap kubevirt\/cm has no key "manifests"$/,
    },
    {
      name: 'no data',
      configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'kubevirt' } },
      want: /no key "manifests"/,
    },
    {
      name: 'no base64',
      configMap: configMap('%%%%', ENCODED),
      want: /kubevirt\/cm, key "manifests": the text is not base64/,
    },
    { name: 'cut-off base64', configMap: configMap(good.slice(0, -3), ENCODED), want: /not base64/ },
    {
      name: 'no gzip',
      configMap: configMap(Buffer.from('plain').toString('base64'), ENCODED),
      want: /not gzip, or cut off/,
    },
    {
      name: 'cut-off gzip',
      configMap: configMap(Buffer.from(good, 'base64').subarray(0, 20).toString('base64'), ENCODED),
      want: /not gzip, or cut off/,
    },
    {
      name: 'a content that would fill the memory',
      configMap: configMap(gzipSync(Buffer.alloc(65 * 1024 * 1024)).toString('base64'), ENCODED),
      want: /unpacks to more than 67108864 bytes/,
    },
    { name: 'plain text under the encoding', configMap: configMap(account('a'), ENCODED), want: /not base64/ },
    { name: 'nothing', configMap: configMap(''), want: /it holds no objects/ },
    {
      name: 'an unknown kind',
      configMap: configMap(`${account('a')}---\nkind: Foo\nmetadata: {name: x}\n`),
      want: /document 2: has the unknown kind "Foo"/,
    },
    {
      name: 'a kind of a prototype',
      configMap: configMap('kind: toString\nmetadata: {name: x}\n'),
      want: /unknown kind "toString"/,
    },
    {
      name: 'no kind',
      configMap: configMap('metadata: {name: x}\n'),
      want: /document 1: has the unknown kind undefined/,
    },
    { name: 'no name', configMap: configMap('kind: Secret\nmetadata: {}\n'), want: /is a Secret without a name/ },
    { name: 'no object', configMap: configMap('hello'), want: /document 1: is not an object/ },
    { name: 'no YAML', configMap: configMap('a: [1'), want: /document 1: / },
    {
      name: 'an old CRD',
      configMap: configMap(
        'apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n',
      ),
      want: /CustomResourceDefinition x in "apiextensions.k8s.io\/v1beta1"/,
    },
  ];
  for (const row of bad) {
    test(`names ConfigMap and key: ${row.name}`, () => {
      assert.throws(
        () => parseStrategyConfigMap(row.configMap),
        (error) => row.want.test(errorText(error)) && /kubevirt\/cm/.test(errorText(error)),
      );
    });
  }
});

describe('strategyConfigMapsOf', () => {
  const own = target();
  const byId = { 'kubevirt.io/install-strategy-identifier': own.id };
  const byVersion = {
    'kubevirt.io/install-strategy-version': own.kubeVirtVersion,
    'kubevirt.io/install-strategy-registry': own.registry,
  };
  const at = (name: string, annotations: Record<string, string>, creationTimestamp: string): KubernetesObject =>
    configMap('', annotations, { name, creationTimestamp });

  test('newest first, equal ones in their order', () => {
    const list = [
      at('old', byId, '2026-01-01T00:00:00Z'),
      at('new', byId, '2026-01-02T00:00:00Z'),
      at('same', byId, '2026-01-02T00:00:00Z'),
    ];
    assert.deepEqual(
      strategyConfigMapsOf(own, list).map(({ metadata }) => metadata.name),
      ['new', 'same', 'old'],
    );
  });

  const rows: { name: string; configMap: KubernetesObject; want: boolean }[] = [
    { name: 'same ID', configMap: at('a', byId, ''), want: true },
    { name: 'no ID, same version and registry', configMap: at('a', byVersion, ''), want: true },
    {
      name: 'an empty ID is none',
      configMap: at('a', { ...byVersion, 'kubevirt.io/install-strategy-identifier': '' }, ''),
      want: true,
    },
    {
      name: 'other ID, same version and registry',
      configMap: at('a', { ...byVersion, 'kubevirt.io/install-strategy-identifier': 'x' }, ''),
      want: false,
    },
    {
      name: 'no ID, other registry',
      configMap: at('a', { ...byVersion, 'kubevirt.io/install-strategy-registry': 'x' }, ''),
      want: false,
    },
    { name: 'other namespace', configMap: configMap('', byId, { namespace: 'other' }), want: false },
    { name: 'no label', configMap: configMap('', byId, { labels: {} }), want: false },
  ];
  for (const row of rows) {
    test(row.name, () => {
      assert.equal(strategyConfigMapsOf(own, [row.configMap]).length === 1, row.want);
    });
  }
});
