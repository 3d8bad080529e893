import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { buildDumpJob } from '../../../src/exchange/dump-job.ts';
import { COMPILED_RELEASE, decideStrategySource } from '../../../src/exchange/strategy-source.ts';
import { buildStrategyConfigMap } from '../../../src/exchange/config-map.ts';
import { markReady } from '../../../src/plan/conditions.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import type { InstallStrategy, TargetDeployment } from '../../../src/strategy/types.ts';
import { draftInstallation } from '../../../src/worker/status-draft.ts';
import { generateInput, kubeVirt, target } from './builders.ts';

/** The images of an installation: the part of the object that names it, and the name of the image without registry and version. */
const OPERANDS: readonly (readonly [place: string, repository: string, variable: string])[] = [
  ['Deployment virt-api', 'virt-api', 'VIRT_API_IMAGE'],
  ['Deployment virt-controller', 'virt-controller', 'VIRT_CONTROLLER_IMAGE'],
  ['Deployment virt-controller', 'virt-launcher', 'VIRT_LAUNCHER_IMAGE'],
  ['Deployment virt-controller', 'virt-exportserver', 'VIRT_EXPORTSERVER_IMAGE'],
  ['Deployment virt-controller', 'sidecar-shim', 'SIDECAR_SHIM_IMAGE'],
  ['Deployment virt-exportproxy', 'virt-exportproxy', 'VIRT_EXPORTPROXY_IMAGE'],
  [
    'Deployment virt-synchronization-controller',
    'virt-synchronization-controller',
    'VIRT_SYNCHRONIZATIONCONTROLLER_IMAGE',
  ],
  ['Deployment virt-template-apiserver', 'virt-template-apiserver', 'VIRT_TEMPLATE_APISERVER_IMAGE'],
  ['Deployment virt-template-controller', 'virt-template-controller', 'VIRT_TEMPLATE_CONTROLLER_IMAGE'],
  ['DaemonSet virt-handler', 'virt-handler', 'VIRT_HANDLER_IMAGE'],
  ['DaemonSet virt-handler', 'pr-helper', 'PR_HELPER_IMAGE'],
  ['DaemonSet virt-handler', 'virt-launcher', 'VIRT_LAUNCHER_IMAGE'],
];
/** virt-template has releases of its own: the registry moves its images, the tag does not (spec/strategy.md §2). */
const TEMPLATE_VERSION = 'v0.2.2';

/** Every text of the strategy that names an image, by the object that it stands in. */
function listImages(strategy: InstallStrategy, isImage: (text: string) => boolean): string[] {
  const found: string[] = [];
  for (const kind of ['Deployment', 'DaemonSet'] as const) {
    for (const object of strategy.ofKind(kind)) {
      JSON.stringify(object.spec, (_, value: unknown) => {
        if (typeof value === 'string' && isImage(value)) found.push(`${kind} ${object.metadata.name ?? ''}: ${value}`);
        return value;
      });
    }
  }
  return found.toSorted();
}

const WITH_ALL_IMAGES: KubeVirtSpec = { configuration: { persistentReservationConfiguration: { enabled: true } } };
const generate = (wanted: TargetDeployment): InstallStrategy =>
  generateStrategy({ ...generateInput(), target: wanted });
const OVERRIDES = Object.fromEntries(
  OPERANDS.map(([, name, variable]) => [variable, `mirror.local/${name}@sha256:ab`]),
);

describe('images of the operands', () => {
  for (const isOverridden of [false, true]) {
    for (const imageTag of [undefined, 'v7']) {
      for (const imageRegistry of [undefined, 'mine.local/kv']) {
        const spec = { ...WITH_ALL_IMAGES, ...(imageTag && { imageTag }), ...(imageRegistry && { imageRegistry }) };
        const wish = [imageTag && 'imageTag', imageRegistry && 'imageRegistry', isOverridden && 'image variables'];
        test(`B57: with ${wish.filter(Boolean).join(', ') || 'nothing'} set`, () => {
          const strategy = generate(target(spec, isOverridden ? OVERRIDES : {}));
          const [registry, version] = [imageRegistry ?? 'quay.io/kubevirt', imageTag ?? 'v1.9.0'];
          const want = OPERANDS.map(([place, name, variable]) => {
            // A variable wins over both fields of the CR (spec/startup.md §2.1).
            if (isOverridden) return `${place}: ${OVERRIDES[variable] ?? ''}`;
            return `${place}: ${registry}/${name}:${name.startsWith('virt-template') ? TEMPLATE_VERSION : version}`;
          });
          const isImage = (text: string) => OPERANDS.some(([, name]) => new RegExp(`/${name}[:@]`).test(text));
          assert.deepEqual(listImages(strategy, isImage), want.toSorted());
        });
      }
    }
  }

  test('B08: with a tag, dump Job and every operand run images of that tag', () => {
    const wanted = target({ ...WITH_ALL_IMAGES, imageTag: 'v1.8.4' });
    const job = buildDumpJob({ target: wanted, operatorNamespace: 'kubevirt', spec: {}, attempt: 1 });
    const [container] = (job.spec?.['template'] as unknown as { spec: { containers: { image: string }[] } }).spec
      .containers;
    assert.equal(container?.image, 'quay.io/kubevirt/virt-operator:v1.8.4');
    const images = listImages(generate(wanted), (text) => text.startsWith('quay.io/'));
    assert.equal(images.length, OPERANDS.length);
    for (const image of images.filter((text) => !text.includes('virt-template'))) assert.match(image, /:v1\.8\.4$/);
  });

  test('B08: the strategy of a tag is the one that the image of that tag has stored, never another one, nor one made here', () => {
    const wanted = target({ imageTag: 'v1.8.4' });
    const stored = (of: TargetDeployment) => ({
      ...buildStrategyConfigMap(of, generate(of)),
      metadata: { ...buildStrategyConfigMap(of, generate(of)).metadata, namespace: 'kubevirt' },
    });
    const others = [target(), target({ imageTag: 'v1.8.3' }), target({ imageTag: 'v1.8.4', imageRegistry: 'x' })];
    assert.notEqual(wanted.kubeVirtVersion, COMPILED_RELEASE);
    const decide = (configMaps: readonly TargetDeployment[]) =>
      decideStrategySource({ target: wanted, configMaps: configMaps.map(stored), jobs: [], now: new Date() });
    assert.equal(decide(others).type, 'create-job');
    const source = decide([...others, wanted]);
    assert.equal(source.type, 'configmap');
    const images = listImages(source.strategy, (text) => text.startsWith('quay.io/kubevirt/virt-handler:'));
    assert.deepEqual(images, ['DaemonSet virt-handler: quay.io/kubevirt/virt-handler:v1.8.4']);
  });
});

const DIGEST = `quay.io/kubevirt/virt-operator@sha256:${'ab'.repeat(32)}`;

test('B56: an operator image by digest: target and observed version are that of KUBEVIRT_VERSION', () => {
  const wanted = target({}, { VIRT_OPERATOR_IMAGE: DIGEST, KUBEVIRT_VERSION: 'v1.9.0' });
  assert.equal(wanted.images.virtOperatorImage, DIGEST);
  const draft = draftInstallation(kubeVirt(), wanted, 'amd64');
  const status = markReady(draft, wanted, 1);
  assert.deepEqual(
    [draft.targetKubeVirtVersion, status.targetKubeVirtVersion, status.observedKubeVirtVersion],
    ['v1.9.0', 'v1.9.0', 'v1.9.0'],
  );
  const images = listImages(generate(wanted), (text) => text.startsWith('quay.io/kubevirt/virt-api'));
  assert.deepEqual(images, ['Deployment virt-api: quay.io/kubevirt/virt-api:v1.9.0']);
});
