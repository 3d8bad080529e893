import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';

const check = createSchemaCheck(buildKubeVirtCrd);

const rows: { name: string; object: object; want: RegExp[] }[] = [
  {
    name: 'an empty spec is valid',
    object: { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: {}, spec: {} },
    want: [],
  },
  { name: 'a missing spec is not', object: { metadata: {} }, want: [/spec/] },
  { name: 'an unknown top-level key is not', object: { spec: {}, extra: 1 }, want: [/extra/] },
  { name: 'an unknown key of the spec is not', object: { spec: { imageTags: 'x' } }, want: [/imageTags/] },
  {
    name: 'an unknown key deep in the spec is not',
    object: { spec: { infra: { nodePlacement: { nodeSelectors: {} } } } },
    want: [/nodeSelectors/],
  },
  {
    name: 'free maps stay free',
    object: { spec: { infra: { nodePlacement: { nodeSelector: { any: 'thing' } } } } },
    want: [],
  },
  { name: 'a number is not a string', object: { spec: { imageTag: 7 } }, want: [/spec\.imageTag.*"string"/] },
  {
    name: 'a list entry is checked',
    object: { spec: { configuration: { developerConfiguration: { featureGates: ['A', 1] } } } },
    want: [/featureGates\.1/],
  },
  {
    name: 'a patch needs all four fields',
    object: { spec: { customizeComponents: { patches: [{ patch: '{}' }] } } },
    want: [/resourceName/, /resourceType/, /type/],
  },
  { name: 'status may be null', object: { spec: {}, status: null }, want: [] },
  {
    name: 'times of new conditions may be null',
    object: {
      spec: {},
      status: {
        conditions: [
          { type: 'Created', status: 'True', lastProbeTime: '2026-08-01T10:00:00Z', lastTransitionTime: null },
        ],
      },
    },
    want: [],
  },
  {
    name: 'status may hold what others write',
    object: { spec: {}, status: { someoneElses: { deep: [1] } } },
    want: [],
  },
];

for (const { name, object, want } of rows) {
  test(`schema check: ${name}`, () => {
    const problems = check(object);
    assert.equal(problems.length > 0, want.length > 0, problems.join('\n'));
    for (const pattern of want)
      assert.ok(
        problems.some((problem) => pattern.test(problem)),
        `${String(pattern)} in ${problems.join('\n')}`,
      );
  });
}

test('schema check: more problems than the stack can hold are one', () => {
  const spec = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`f${i}`, i]));
  assert.match(check({ spec }).join('\n'), /^the object: .*more problems than can be listed$/);
});
