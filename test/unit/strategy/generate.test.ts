/** Properties of the generator over random KubeVirt objects and environments: what is an input of what (spec/resources.md §2). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import type { KubeVirt } from '../../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { readReleaseEnvironment } from '../../../src/release-environment.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import type { GenerateInput } from '../../../src/strategy/types.ts';
import { kubeVirt } from './builders.ts';

type Spec = KubeVirt['spec'];

/** Everything that goes in, before it becomes a target. */
interface Wish {
  spec: Spec;
  namespace: string;
  operatorNamespace: string;
  monitorNamespace: string;
  env: Record<string, string>;
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9]$/);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const GATES = [
  'Template',
  'Plugins',
  'VMStatsCollector',
  'ExternalNetResourceInjection',
  'OptOutRoleAggregation',
  'Nonsense',
];

const configuration = fc.record(
  {
    developerConfiguration: fc.record({
      featureGates: fc.subarray(GATES),
      disabledFeatureGates: fc.subarray(GATES),
    }),
    migrations: fc.record({ network: name }),
    persistentReservationConfiguration: fc.record({ enabled: fc.boolean() }),
    virtTemplateDeployment: fc.record({ enabled: fc.boolean() }),
  },
  { requiredKeys: [] },
);

const spec: fc.Arbitrary<Spec> = fc.record(
  {
    imageTag: fc.constantFrom('v1.9.0', 'v2', 'weird_tag.1'),
    imageRegistry: fc.constantFrom('r.example:5000/a', 'r'),
    imagePullPolicy: fc.constantFrom('Always' as const, 'IfNotPresent' as const),
    imagePullSecrets: fc.array(fc.record({ name }), { maxLength: 2 }),
    monitorAccount: name,
    serviceMonitorNamespace: name,
    synchronizationPort: fc.constantFrom('9186', 'x', ''),
    productName: fc.string({ maxLength: 70 }),
    configuration,
  },
  { requiredKeys: [] },
);

const IMAGE_VARIABLES = [
  'VIRT_API_IMAGE',
  'VIRT_LAUNCHER_IMAGE',
  'SIDECAR_SHIM_IMAGE',
  'PR_HELPER_IMAGE',
  'VIRT_TEMPLATE_APISERVER_IMAGE',
];

const env = fc
  .record({
    operator: fc.constantFrom(
      'quay.io/kubevirt/virt-operator:v1.9.0',
      'r:1/dev-virt-operator@sha256:ab',
      'virt-operator',
      'x',
    ),
    version: optional(fc.constantFrom('v1.9.0', '')),
    images: fc.subarray(IMAGE_VARIABLES),
    passthrough: fc.dictionary(fc.stringMatching(/^[A-Z]{1,6}$/), fc.string(), { maxKeys: 3 }),
  })
  .map(({ operator, version, images, passthrough }): Record<string, string> => ({
    VIRT_OPERATOR_IMAGE: operator,
    ...(version === undefined ? {} : { KUBEVIRT_VERSION: version }),
    ...Object.fromEntries(images.map((variable) => [variable, `mirror/${variable.toLowerCase()}@sha256:00`])),
    ...Object.fromEntries(Object.entries(passthrough).map(([key, value]) => [`KV_IO_EXTRA_ENV_${key}`, value])),
  }));

const wish: fc.Arbitrary<Wish> = fc.record({
  spec,
  namespace: name,
  operatorNamespace: name,
  monitorNamespace: fc.constantFrom('', 'monitoring'),
  env,
});

function inputOf({ spec, namespace, operatorNamespace, monitorNamespace, env }: Wish): GenerateInput {
  const environment = readReleaseEnvironment(env);
  const object = { ...kubeVirt(spec), metadata: { name: 'kubevirt', namespace } };
  const { runbookUrlTemplate } = environment;
  return { target: decideTarget(object, environment), operatorNamespace, monitorNamespace, runbookUrlTemplate };
}

const objectsOf = (input: Wish): readonly KubernetesObject[] => generateStrategy(inputOf(input)).objects;

/** Paths in which two JSON values differ, list indices left out; a whole object that only one side has is named alone. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [path];
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  const isList = Array.isArray(a);
  return [...keys].flatMap((key) => differences(left[key], right[key], isList ? path : `${path}.${key}`));
}

function changedFields(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const index = (objects: readonly KubernetesObject[]): Map<string, KubernetesObject> =>
    new Map(objects.map((object) => [`${object.kind} ${object.metadata.name ?? ''}`, object]));
  const [old, current] = [index(before), index(after)];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((title) =>
    differences(old.get(title), current.get(title), title),
  );
}

const WORKLOAD = '(Deployment|DaemonSet) [a-z-]+';

/** A change of one input, and the fields that may follow it (spec/resources.md §2.2). */
const changes: { name: string; change: (wish: Wish) => Wish; may: RegExp }[] = [
  {
    name: 'pull policy',
    change: (old) => ({
      ...old,
      spec: { ...old.spec, imagePullPolicy: old.spec.imagePullPolicy === 'Always' ? 'IfNotPresent' : 'Always' },
    }),
    may: new RegExp(`^${WORKLOAD}\\.spec\\.template\\.spec\\.containers\\.imagePullPolicy$`),
  },
  {
    name: 'pull secrets',
    change: (old) => ({ ...old, spec: { ...old.spec, imagePullSecrets: [{ name: 'another' }] } }),
    may: new RegExp(
      `^${WORKLOAD}\\.spec\\.template\\.spec\\.imagePullSecrets|^DaemonSet virt-handler\\.spec\\.template\\.spec\\.containers`,
    ),
  },
  {
    name: 'image of virt-api',
    change: (old) => ({ ...old, env: { ...old.env, VIRT_API_IMAGE: 'another/api:1' } }),
    may: /^Deployment virt-api\.spec\.template\.spec\.containers\.image$/,
  },
  {
    name: 'image of virt-launcher',
    change: (old) => ({ ...old, env: { ...old.env, VIRT_LAUNCHER_IMAGE: 'another/launcher:1' } }),
    may: /^DaemonSet virt-handler\.spec\.template\.spec\.(initContainers|containers)\.image$|^Deployment virt-controller\.spec\.template\.spec\.containers\.args$/,
  },
  {
    name: 'images that no object names',
    change: (old) => ({ ...old, env: { ...old.env, GS_IMAGE: 'another/gs:1' } }),
    may: /^$/,
  },
  {
    name: 'registry',
    change: (old) => ({ ...old, spec: { ...old.spec, imageRegistry: 'another.example/r' } }),
    may: new RegExp(`^${WORKLOAD}\\.spec\\.template\\.spec\\.(initContainers|containers)\\.(image|args|env\\.value)$`),
  },
  {
    name: 'version',
    change: (old) => ({ ...old, spec: { ...old.spec, imageTag: 'v77' } }),
    may: new RegExp(
      `^${WORKLOAD}\\.(spec\\.template\\.spec\\.(initContainers|containers)\\.(image|args|env\\.value)|(spec\\.template\\.)?metadata\\.labels\\.app\\.kubernetes\\.io/version)$`,
    ),
  },
  {
    name: 'passed-through variables',
    change: (old) => ({ ...old, env: { ...old.env, KV_IO_EXTRA_ENV_ZZZ: '1' } }),
    may: new RegExp(`^${WORKLOAD}\\.spec\\.template\\.spec\\.containers\\.env`),
  },
  {
    name: 'operator namespace',
    change: (old) => ({ ...old, operatorNamespace: 'another' }),
    may: /^(Service kubevirt-operator-webhook|Secret kubevirt-(operator-certs|ca|export-ca|backup-ca)|ConfigMap kubevirt-[a-z-]+|Route virt-exportproxy)\.metadata\.namespace$|^ValidatingWebhookConfiguration virt-operator-validator\.webhooks\.clientConfig\.service\.namespace$/,
  },
  {
    name: 'monitoring',
    change: (old) => ({ ...old, monitorNamespace: old.monitorNamespace === '' ? 'monitoring' : '' }),
    may: /^(Role|RoleBinding) kubevirt-monitoring$|^(ServiceMonitor|PrometheusRule) prometheus-kubevirt-rules$/,
  },
  {
    name: 'monitoring account and namespace',
    change: (old) => ({ ...old, spec: { ...old.spec, monitorAccount: 'another', serviceMonitorNamespace: 'another' } }),
    may: /^RoleBinding kubevirt-monitoring\.subjects\.name$|^ServiceMonitor prometheus-kubevirt-rules\.metadata\.namespace$/,
  },
  {
    name: 'migration network',
    change: (old) => ({
      ...old,
      spec: { ...old.spec, configuration: { ...old.spec.configuration, migrations: { network: 'another' } } },
    }),
    may: /^(DaemonSet virt-handler|Deployment virt-synchronization-controller)\.spec\.template\.metadata\.annotations\.k8s\.v1\.cni\.cncf\.io\/networks$/,
  },
  {
    name: 'synchronization port',
    change: (old) => ({ ...old, spec: { ...old.spec, synchronizationPort: '1234' } }),
    may: /^Deployment virt-synchronization-controller\.spec\.template\.spec\.containers\.(command|ports\.containerPort)$/,
  },
  {
    name: 'persistent reservation',
    change: (old) => {
      const enabled = !(old.spec.configuration?.persistentReservationConfiguration?.enabled ?? false);
      return {
        ...old,
        spec: {
          ...old.spec,
          configuration: { ...old.spec.configuration, persistentReservationConfiguration: { enabled } },
        },
      };
    },
    may: /^DaemonSet virt-handler\.spec\.template\.spec\.(containers|volumes)$/,
  },
  {
    name: 'gates',
    change: (old) => ({
      ...old,
      spec: {
        ...old.spec,
        configuration: {
          ...old.spec.configuration,
          developerConfiguration: { featureGates: ['Plugins'], disabledFeatureGates: GATES },
        },
      },
    }),
    may: /virt-template|kubevirt-plugin-|virtualmachinetemplate|template\.kubevirt\.io|^ClusterRole kubevirt-controller\.rules$|^PrometheusRule prometheus-kubevirt-rules$|^Secret kubevirt-virt-template/,
  },
  {
    name: 'opting out of aggregation',
    change: (old) => ({
      ...old,
      spec: { ...old.spec, configuration: { ...old.spec.configuration, roleAggregationStrategy: 'Manual' } },
    }),
    may: /^ClusterRole [a-z.:-]+\.metadata\.labels\.rbac\.authorization\.k8s\.io\/aggregate-to-(admin|edit|view)$/,
  },
  {
    name: 'fields of the CR that the objects do not depend on',
    change: (old) => ({
      ...old,
      spec: {
        ...old.spec,
        infra: { replicas: 5 },
        workloads: { nodePlacement: { nodeSelector: { a: 'b' } } },
        uninstallStrategy: 'RemoveWorkloads' as const,
        productName: 'another',
        productVersion: '7',
        customizeComponents: { flags: { api: { v: '9' } } },
      },
    }),
    may: /^$/,
  },
];

const RUNS = { numRuns: 8 };

describe('generateStrategy', () => {
  for (const { name, change, may } of changes) {
    test(`${name} changes only what depends on it`, () => {
      fc.assert(
        fc.property(wish, (before) => {
          const strange = changedFields(objectsOf(before), objectsOf(change(before))).filter(
            (field) => !may.test(field),
          );
          assert.deepEqual(strange, []);
        }),
        RUNS,
      );
    });
  }

  test('the namespace moves all objects that are in it and what names it', () => {
    fc.assert(
      fc.property(wish, (before) => {
        const old = { ...before, namespace: 'aaaa', operatorNamespace: 'op' };
        const text = JSON.stringify(objectsOf(old)).replaceAll('aaaa', 'bbbb');
        assert.equal(JSON.stringify(objectsOf({ ...old, namespace: 'bbbb' })), text);
      }),
      RUNS,
    );
  });

  test('the same input gives the same output, whatever the order of variables', () => {
    fc.assert(
      fc.property(wish, (before) => {
        const turned = { ...before, env: Object.fromEntries(Object.entries(before.env).reverse()) };
        assert.equal(JSON.stringify(objectsOf(turned)), JSON.stringify(objectsOf(structuredClone(before))));
      }),
      RUNS,
    );
  });

  test('every object is there once, frozen to the bottom, and found by its kind', () => {
    fc.assert(
      fc.property(wish, (before) => {
        const strategy = generateStrategy(inputOf(before));
        const titles = strategy.objects.map(
          ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
        );
        assert.equal(new Set(titles).size, titles.length);
        const thaw = (value: unknown): boolean =>
          typeof value === 'object' && value !== null && (!Object.isFrozen(value) || Object.values(value).some(thaw));
        assert.equal(thaw(strategy.objects), false);
        const kinds = [...new Set(strategy.objects.map(({ kind }) => kind))] as Parameters<typeof strategy.ofKind>[0][];
        assert.deepEqual(
          kinds.flatMap((kind) => strategy.ofKind(kind)),
          strategy.objects,
        );
      }),
      RUNS,
    );
  });
});
