import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject, KubernetesObject } from '../../../../src/api/objects.ts';
import { buildPreferences } from '../../../../src/strategy/components/preferences.ts';

const objects = buildPreferences();

function find(name: string): KubernetesObject & { spec: JsonObject } {
  const { spec, ...rest } = objects.find((object) => object.metadata.name === name) ?? assert.fail(`no ${name}`);
  assert.ok(spec);
  return { ...rest, spec };
}

const devicesOf = (name: string): JsonObject => find(name).spec['devices'] as JsonObject;

describe('buildPreferences', () => {
  test('builds 54 objects with names in ascending order', () => {
    const names = objects.map((object) => object.metadata.name ?? '');
    assert.equal(new Set(names).size, 54);
    assert.deepEqual(names, names.toSorted());
  });

  test('a later trait wins, the rest of its branch stays', () => {
    assert.equal(devicesOf('windows.10')['preferredDiskBus'], 'sata');
    assert.deepEqual(devicesOf('windows.10.virtio'), {
      preferredAutoattachInputDevice: true,
      preferredDiskBus: 'virtio',
      preferredInputBus: 'virtio',
      preferredInputType: 'tablet',
      preferredInterfaceModel: 'virtio',
      preferredVideoType: 'virtio',
    });
  });

  test('memory is a quantity without a fraction in the spec, with one in the label', () => {
    const { metadata, spec } = find('rhel.8');
    assert.equal(metadata.labels?.['instancetype.kubevirt.io/required-memory'], '1.5Gi');
    assert.deepEqual(spec['requirements'], { cpu: { guest: 1 }, memory: { guest: '1536Mi' } });
  });

  const architectures: { name: string; want: string; secureBoot: boolean }[] = [
    { name: 'fedora', want: 'amd64', secureBoot: true },
    { name: 'fedora.arm64', want: 'arm64', secureBoot: false },
    { name: 'rhel.10.s390x', want: 's390x', secureBoot: false },
  ];
  for (const { name, want, secureBoot } of architectures) {
    test(`${name} is for ${want}`, () => {
      const { metadata, spec } = find(name);
      assert.equal(spec['preferredArchitecture'], want);
      assert.equal(metadata.labels?.['instancetype.kubevirt.io/arch'], want);
      assert.equal('firmware' in spec, secureBoot);
    });
  }

  test('preferences share nothing that could be changed through one of them', () => {
    const annotations = devicesOf('alpine');
    annotations['preferredDiskBus'] = 'sata';
    assert.equal(devicesOf('ubuntu')['preferredDiskBus'], 'virtio');
    assert.equal(
      (buildPreferences().find((object) => object.metadata.name === 'alpine')?.spec?.['devices'] as JsonObject)[
        'preferredDiskBus'
      ],
      'virtio',
    );
  });
});
