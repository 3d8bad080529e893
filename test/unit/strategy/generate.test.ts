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

/** Elements of a list by their names, where they have names that tell them apart; else by their index. */
function elements(list: readonly unknown[]): Record<string, unknown> {
  const names = list.map((item) => (item as { name?: unknown } | null)?.name);
  const isNamed = names.every((item) => typeof item === 'string') && new Set(names).size === list.length;
  return Object.fromEntries(list.map((item, index) => [isNamed ? String(names[index]) : `${index}`, item]));
}

/** Paths in which two JSON values differ, list indices left out; what only one side has is named alone. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [path];
  const isList = Array.isArray(a) && Array.isArray(b);
  const [left, right] = isList
    ? [elements(a), elements(b)]
    : [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
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

/** A workload of KubeVirt or of virt-template. */
const WORKLOAD = '(Deployment|DaemonSet) [a-z-]+';
const POD = `${WORKLOAD}\\.spec\\.template\\.spec`;
const HANDLER_POD = 'DaemonSet virt-handler\\.spec\\.template\\.spec';

const withSpec = (old: Wish, changes: Spec): Wish => ({ ...old, spec: { ...old.spec, ...changes } });
const configured = (old: Wish, changes: NonNullable<Spec['configuration']>): Wish =>
  withSpec(old, { configuration: { ...old.spec.configuration, ...changes } });
const inEnv = (old: Wish, changes: Record<string, string>): Wish => ({ ...old, env: { ...old.env, ...changes } });

/** Turns a gate over, whatever it was. */
const turned = (old: Wish, gate: string, isOn: boolean): Wish => {
  const { featureGates = [], disabledFeatureGates = [] } = old.spec.configuration?.developerConfiguration ?? {};
  const without = (gates: readonly string[]): string[] => gates.filter((name) => name !== gate);
  return configured(old, {
    developerConfiguration: {
      featureGates: isOn ? [...without(featureGates), gate] : without(featureGates),
      disabledFeatureGates: isOn ? without(disabledFeatureGates) : [...without(disabledFeatureGates), gate],
    },
  });
};

/** The variable of one image changes one field of one workload. */
const imageChange = (variable: string, workload: string, field = 'containers\\.image'): Change => ({
  name: `image ${variable}`,
  change: (old) => inEnv(old, { [variable]: 'another/image:1' }),
  fields: [`${workload}\\.spec\\.template\\.spec\\.${field}`],
});

/** A change of one input, and the fields that follow it: no others, and from `PLAIN` on each of them (spec/resources.md §2.2). */
interface Change {
  name: string;
  change: (wish: Wish) => Wish;
  /** Regular expressions for `Kind name.path`; an object that comes or goes has no path. One in `(…)?` holds for some wishes only. */
  fields: string[];
}

const PLAIN: Wish = {
  spec: {},
  namespace: 'kubevirt',
  operatorNamespace: 'kubevirt',
  monitorNamespace: 'monitoring',
  env: { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0' },
};

const changes: Change[] = [
  {
    name: 'pull policy',
    change: (old) =>
      withSpec(old, { imagePullPolicy: old.spec.imagePullPolicy === 'Always' ? 'IfNotPresent' : 'Always' }),
    fields: [`${POD}\\.containers\\.imagePullPolicy`],
  },
  {
    name: 'pull secrets',
    change: (old) => withSpec(old, { imagePullSecrets: [{ name: 'another' }] }),
    fields: [`${POD}\\.imagePullSecrets`, `${HANDLER_POD}\\.containers`],
  },
  imageChange('VIRT_API_IMAGE', 'Deployment virt-api'),
  imageChange('VIRT_CONTROLLER_IMAGE', 'Deployment virt-controller'),
  imageChange('VIRT_HANDLER_IMAGE', 'DaemonSet virt-handler'),
  imageChange('VIRT_EXPORTPROXY_IMAGE', 'Deployment virt-exportproxy'),
  imageChange('VIRT_SYNCHRONIZATIONCONTROLLER_IMAGE', 'Deployment virt-synchronization-controller'),
  imageChange('VIRT_TEMPLATE_APISERVER_IMAGE', 'Deployment virt-template-apiserver'),
  imageChange('VIRT_TEMPLATE_CONTROLLER_IMAGE', 'Deployment virt-template-controller'),
  imageChange('VIRT_EXPORTSERVER_IMAGE', 'Deployment virt-controller', 'containers\\.args'),
  imageChange('SIDECAR_SHIM_IMAGE', 'Deployment virt-controller', 'containers\\.env\\.value'),
  {
    name: 'image VIRT_LAUNCHER_IMAGE',
    change: (old) => inEnv(old, { VIRT_LAUNCHER_IMAGE: 'another/launcher:1' }),
    // The container among the others holds the image on the node, for pull secrets.
    fields: [
      `${HANDLER_POD}\\.initContainers\\.image`,
      `(${HANDLER_POD}\\.containers\\.image)?`,
      'Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.args',
    ],
  },
  {
    name: 'image PR_HELPER_IMAGE with persistent reservation',
    change: (old) => inEnv(old, { PR_HELPER_IMAGE: 'another/helper:1' }),
    fields: [`(${HANDLER_POD}\\.containers\\.image)?`],
  },
  { name: 'images that no object names', change: (old) => inEnv(old, { GS_IMAGE: 'another/gs:1' }), fields: [] },
  {
    name: 'prefix of the image names',
    change: (old) => inEnv(old, { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/another-virt-operator:v1.9.0' }),
    fields: [
      `${POD}\\.(initContainers|containers)\\.image`,
      '(Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.(args|env\\.value))?',
      `(${WORKLOAD}\\.(spec\\.template\\.)?metadata\\.labels\\.app\\.kubernetes\\.io/version)?`,
    ],
  },
  {
    name: 'registry',
    change: (old) => withSpec(old, { imageRegistry: 'another.example/r' }),
    fields: [
      `${POD}\\.(initContainers|containers)\\.image`,
      'Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.args',
      'Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.env\\.value',
    ],
  },
  {
    name: 'version',
    change: (old) => withSpec(old, { imageTag: 'v77' }),
    fields: [
      `(Deployment virt-(api|controller|exportproxy|synchronization-controller)|DaemonSet virt-handler)\\.spec\\.template\\.spec\\.(initContainers|containers)\\.image`,
      'Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.args',
      'Deployment virt-controller\\.spec\\.template\\.spec\\.containers\\.env\\.value',
      `${WORKLOAD}\\.metadata\\.labels\\.app\\.kubernetes\\.io/version`,
      `${WORKLOAD}\\.spec\\.template\\.metadata\\.labels\\.app\\.kubernetes\\.io/version`,
    ],
  },
  {
    name: 'passed-through variables',
    change: (old) => inEnv(old, { KV_IO_EXTRA_ENV_ZZZ: '1' }),
    fields: [`${POD}\\.containers\\.env`],
  },
  {
    name: 'operator namespace',
    change: (old) => ({ ...old, operatorNamespace: 'another' }),
    fields: [
      'Service kubevirt-operator-webhook\\.metadata\\.namespace',
      'Secret kubevirt-(operator-certs|ca|export-ca|backup-ca)\\.metadata\\.namespace',
      'ConfigMap kubevirt-(ca|export-ca|backup-ca|external-ca)\\.metadata\\.namespace',
      'Route virt-exportproxy\\.metadata\\.namespace',
      'ValidatingWebhookConfiguration virt-operator-validator\\.webhooks\\.clientConfig\\.service\\.namespace',
    ],
  },
  {
    name: 'monitoring, found or not',
    change: (old) => ({ ...old, monitorNamespace: old.monitorNamespace === '' ? 'monitoring' : '' }),
    fields: [
      '(Role|RoleBinding) kubevirt-monitoring',
      'ServiceMonitor prometheus-kubevirt-rules',
      'PrometheusRule prometheus-kubevirt-rules',
    ],
  },
  {
    name: 'namespace of monitoring',
    change: (old) => ({ ...old, monitorNamespace: old.monitorNamespace === '' ? '' : 'another' }),
    fields: [
      'RoleBinding kubevirt-monitoring\\.subjects\\.namespace',
      'ServiceMonitor prometheus-kubevirt-rules\\.metadata\\.namespace',
    ],
  },
  {
    name: 'account of monitoring',
    change: (old) => withSpec(old, { monitorAccount: 'another' }),
    fields: ['RoleBinding kubevirt-monitoring\\.subjects'],
  },
  {
    name: 'namespace of the ServiceMonitor',
    change: (old) => withSpec(old, { serviceMonitorNamespace: 'another' }),
    fields: ['ServiceMonitor prometheus-kubevirt-rules\\.metadata\\.namespace'],
  },
  {
    name: 'where to look for monitoring: an input of the search alone',
    change: (old) => withSpec(old, { monitorNamespace: 'another' }),
    fields: [],
  },
  {
    name: 'address of runbooks',
    change: (old) => inEnv(old, { RUNBOOK_URL_TEMPLATE: 'https://runbooks.example/%s.md' }),
    fields: ['PrometheusRule prometheus-kubevirt-rules\\.spec\\.groups\\.rules\\.annotations\\.runbook_url'],
  },
  {
    name: 'migration network',
    change: (old) => configured(old, { migrations: { network: 'another' } }),
    fields: [
      'DaemonSet virt-handler\\.spec\\.template\\.metadata\\.annotations\\.k8s\\.v1\\.cni\\.cncf\\.io/networks',
      'Deployment virt-synchronization-controller\\.spec\\.template\\.metadata\\.annotations\\.k8s\\.v1\\.cni\\.cncf\\.io/networks',
    ],
  },
  {
    name: 'synchronization port',
    change: (old) => withSpec(old, { synchronizationPort: '1234' }),
    fields: [
      'Deployment virt-synchronization-controller\\.spec\\.template\\.spec\\.containers\\.command',
      'Deployment virt-synchronization-controller\\.spec\\.template\\.spec\\.containers\\.ports\\.containerPort',
    ],
  },
  {
    name: 'persistent reservation',
    change: (old) => {
      const enabled = !(old.spec.configuration?.persistentReservationConfiguration?.enabled ?? false);
      return configured(old, { persistentReservationConfiguration: { enabled } });
    },
    fields: [`${HANDLER_POD}\\.containers`, `${HANDLER_POD}\\.volumes`],
  },
  {
    name: 'hypervisor',
    change: (old) =>
      turned(configured(old, { hypervisors: [{ name: 'hyperv-direct' }] }), 'ConfigurableHypervisor', true),
    fields: [`${HANDLER_POD}\\.initContainers\\.env\\.value`],
  },
  {
    name: 'gate Plugins',
    change: (old) => turned(old, 'Plugins', true),
    fields: [
      'ValidatingAdmissionPolicy kubevirt-plugin-(validation|warning|sidecar-subpath|socket-path)-policy',
      'ValidatingAdmissionPolicyBinding kubevirt-plugin-(validation|warning|sidecar-subpath|socket-path)-binding',
    ],
  },
  {
    name: 'gate Template',
    change: (old) => turned(old, 'Template', false),
    fields: [
      'CustomResourceDefinition virtualmachinetemplate(request)?s\\.template\\.kubevirt\\.io',
      '(ServiceAccount|ClusterRole|ClusterRoleBinding|Role|RoleBinding|Service|Deployment) virt-template-[a-z:-]+',
      'Secret kubevirt-virt-template-[a-z-]+',
      'ValidatingWebhookConfiguration virt-template-validating-webhook-configuration',
      'ValidatingAdmissionPolicy(Binding)? virt-template-vmtr-authz',
      'APIService v1(alpha|beta)1\\.subresources\\.template\\.kubevirt\\.io',
    ],
  },
  {
    name: 'gate ExternalNetResourceInjection',
    change: (old) => turned(old, 'ExternalNetResourceInjection', false),
    fields: ['ClusterRole kubevirt-controller\\.rules'],
  },
  {
    name: 'gate VMStatsCollector',
    change: (old) => turned(old, 'VMStatsCollector', true),
    fields: ['PrometheusRule prometheus-kubevirt-rules'],
  },
  { name: 'a gate that nobody knows', change: (old) => turned(old, 'Nonsense', true), fields: [] },
  {
    name: 'opting out of aggregation',
    change: (old) => turned(configured(old, { roleAggregationStrategy: 'Manual' }), 'OptOutRoleAggregation', true),
    fields: [
      'ClusterRole [a-z.:-]+\\.metadata\\.labels\\.rbac\\.authorization\\.k8s\\.io/aggregate-to-(admin|edit|view)',
    ],
  },
  {
    name: 'fields of the CR that the objects do not depend on',
    change: (old) =>
      withSpec(old, {
        infra: { replicas: 5 },
        workloads: { nodePlacement: { nodeSelector: { a: 'b' } } },
        uninstallStrategy: 'RemoveWorkloads' as const,
        productName: 'another',
        productVersion: '7',
        productComponent: '-',
        customizeComponents: { flags: { api: { v: '9' } } },
        certificateRotateStrategy: { selfSigned: { ca: { duration: '1h' } } },
        workloadUpdateStrategy: { workloadUpdateMethods: ['Evict'] },
      }),
    fields: [],
  },
];

const RUNS = { numRuns: 8 };

describe('generateStrategy', () => {
  for (const { name, change, fields } of changes) {
    const patterns = fields.map((field) => new RegExp(`^${field}$`));

    test(`${name}: nothing else changes`, () => {
      fc.assert(
        fc.property(wish, (before) => {
          const changed = changedFields(objectsOf(before), objectsOf(change(before)));
          assert.deepEqual(
            changed.filter((field) => !patterns.some((pattern) => pattern.test(field))),
            [],
          );
        }),
        RUNS,
      );
    });

    test(`${name}: all of it changes`, () => {
      const changed = changedFields(objectsOf(PLAIN), objectsOf(change(PLAIN)));
      const idle = patterns.filter((pattern) => !pattern.test('') && !changed.some((field) => pattern.test(field)));
      assert.deepEqual(idle, []);
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
