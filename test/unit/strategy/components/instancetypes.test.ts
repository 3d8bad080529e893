import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { buildInstancetypes } from '../../../../src/strategy/components/instancetypes.ts';

const objects = buildInstancetypes();

function specOf(name: string): unknown {
  const found = objects.find((object) => object.metadata.name === name);
  assert.ok(found, `no instance type ${name}`);
  return found.spec;
}

const labelOf = (object: KubernetesObject, key: string): string | undefined =>
  object.metadata.labels?.[`instancetype.kubevirt.io/${key}`];

describe('buildInstancetypes', () => {
  test('builds 65 objects with names in ascending order', () => {
    const names = objects.map((object) => object.metadata.name ?? '');
    assert.equal(new Set(names).size, 65);
    assert.deepEqual(names, names.toSorted());
  });

  const rows: { name: string; want: object }[] = [
    { name: 'u1.nano', want: { cpu: { guest: 1 }, memory: { guest: '512Mi' } } },
    { name: 'o1.large', want: { cpu: { guest: 2 }, memory: { guest: '8Gi', overcommitPercent: 50 } } },
    { name: 'm1.xlarge1gi', want: { cpu: { guest: 4 }, memory: { guest: '32Gi', hugepages: { pageSize: '1Gi' } } } },
    {
      name: 'cx1.medium',
      want: {
        cpu: {
          guest: 1,
          dedicatedCPUPlacement: true,
          isolateEmulatorThread: true,
          maxSockets: 1,
          numa: { guestMappingPassthrough: {} },
        },
        ioThreadsPolicy: 'auto',
        memory: { guest: '2Gi', hugepages: { pageSize: '2Mi' } },
      },
    },
  ];
  for (const { name, want } of rows) {
    test(`spec of ${name}`, () => {
      assert.deepEqual(specOf(name), want);
    });
  }

  test('labels say what the spec says', () => {
    for (const object of objects) {
      const { cpu, memory } = object.spec as { cpu: Record<string, unknown>; memory: Record<string, unknown> };
      assert.equal(labelOf(object, 'cpu'), String(cpu['guest']));
      assert.equal(labelOf(object, 'memory'), memory['guest']);
      assert.equal(labelOf(object, 'numa') === 'true', 'numa' in cpu);
      assert.equal(labelOf(object, 'realtime') === 'true', 'realtime' in cpu);
      assert.equal(labelOf(object, 'hugepages') !== undefined, 'hugepages' in memory);
    }
  });

  test('every object has a description', () => {
    for (const { metadata } of objects) {
      assert.match(metadata.annotations?.['instancetype.kubevirt.io/description'] ?? '', /\w.*\.$/);
    }
  });
});
