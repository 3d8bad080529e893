import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { run } from '../../../../src/cli/images.ts';
import { listImages, readDigests, type ImageLine } from '../../../../src/cli/images/image-list.ts';
import { Installation, buildKubeVirt } from '../../plan/drive.ts';
import { MemoryIo } from '../io.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const cr = (spec: object) => JSON.stringify({ ...buildKubeVirt(), spec });

async function images(spec: object, env: Record<string, string> = {}) {
  const io = Object.assign(new MemoryIo({ 'cr.yaml': cr(spec) }), { env });
  const code = await run(['--cr', 'cr.yaml', '-o', 'json'], io);
  assert.equal(code, 0, io.errText);
  return { lines: JSON.parse(io.outText) as ImageLine[], err: io.errText };
}

describe('images of an installation that is not there yet', () => {
  test("B59: those of the release, the operator's own and Redis, as the chart has them", async () => {
    const { lines, err } = await images({});
    const all = lines.map(({ image }) => image);
    const values = parse(
      readFileSync(new URL('../../../../charts/virt-operator/values.yaml', import.meta.url), 'utf8'),
    ) as {
      redis: { image: string };
    };
    assert.ok(all.includes(values.redis.image));
    assert.ok(all.some((image) => /^virt-operator:\d/.test(image)));
    for (const name of [
      'virt-api',
      'virt-controller',
      'virt-handler',
      'virt-launcher',
      'virt-exportproxy',
      'virt-exportserver',
      'libguestfs-tools',
      'sidecar-shim',
    ]) {
      assert.ok(all.includes(`quay.io/kubevirt/${name}:v1.9.0`), name);
    }
    assert.ok(!all.some((image) => /synchronization|pr-helper/.test(image)), 'what is off needs no image');
    assert.equal(err, '');
    assert.equal(new Set(all).size, all.length, 'each once');
  });

  test('of components that are switched on or off', async () => {
    const { lines } = await images({
      configuration: {
        developerConfiguration: { featureGates: ['DecentralizedLiveMigration'], disabledFeatureGates: ['Template'] },
        persistentReservationConfiguration: { enabled: true },
      },
    });
    const all = lines.map(({ image }) => image).join('\n');
    assert.match(all, /virt-synchronization-controller/);
    assert.match(all, /pr-helper/);
    assert.doesNotMatch(all, /virt-template/);
  });

  test('of another registry and tag: then the release itself is asked for its objects, once', async () => {
    const { lines, err } = await images({ imageRegistry: 'registry.example', imageTag: 'v1.9.5' });
    assert.deepEqual(lines.find(({ when }) => when === 'once')?.image, 'registry.example/virt-operator:v1.9.5');
    assert.ok(lines.some(({ image }) => image === 'registry.example/virt-handler:v1.9.5'));
    assert.match(err, /warning: the images are those of v1\.9\.0 under the tag v1\.9\.5/);
  });

  test('by digest, where the environment names one', async () => {
    const { lines } = await images(
      {},
      { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0', VIRT_API_IMAGE: `r/api@${DIGEST}` },
    );
    assert.deepEqual(lines.find(({ image }) => image.startsWith('r/api'))?.digest, DIGEST);
  });

  test('those of a customization', async () => {
    const patch = JSON.stringify({
      spec: { template: { spec: { containers: [{ name: 'virt-api', image: 'mine/api:1' }] } } },
    });
    const { lines } = await images({
      customizeComponents: {
        patches: [{ resourceType: 'Deployment', resourceName: 'virt-api', type: 'strategic', patch }],
      },
    });
    assert.ok(lines.some(({ image }) => image === 'mine/api:1'));
  });
});

test('digests are those that nodes report', () => {
  const pod = (imageID: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', image: 'x:1' }], initContainers: [{ name: 'b', image: 'y:1' }] },
    status: {
      containerStatuses: [{ name: 'a', imageID }],
      initContainerStatuses: [{ name: 'b', imageID: `docker-pullable://y@sha256:${'b'.repeat(64)}` }],
    },
  });
  const digests = readDigests([pod(`x@${DIGEST}`), pod('')]);
  assert.deepEqual(
    [...digests],
    [
      ['x:1', DIGEST],
      ['y:1', `sha256:${'b'.repeat(64)}`],
    ],
  );
  const lines = listImages({
    context: new Installation().context(),
    operator: [],
    digests: new Map([['quay.io/kubevirt/virt-api:v1.9.0', DIGEST]]),
  });
  assert.deepEqual(
    lines.filter(({ digest }) => digest !== null).map(({ image }) => image),
    ['quay.io/kubevirt/virt-api:v1.9.0'],
  );
});

test('images for people', async () => {
  const io = new MemoryIo({ 'cr.yaml': cr({}) });
  await run(['--cr', 'cr.yaml'], io);
  const [heading = '', first = ''] = io.outText.split('\n');
  assert.match(heading, /^IMAGE +DIGEST +NEEDED +BY$/);
  assert.match(first, /^virt-operator:\S+ +unknown +always +Deployment virt-operator$/);
});
