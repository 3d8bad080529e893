import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import type { GenerateInput } from '../types.ts';
import { APP_LABEL, CERTIFICATE_SECRET_ANNOTATION, SECRETS, SERVICES } from './names.ts';

const KUBEVIRT = { group: 'kubevirt.io', versions: ['v1alpha3', 'v1'] } as const;
const INSTANCETYPE = { group: 'instancetype.kubevirt.io', versions: ['v1beta1'] } as const;
const SNAPSHOT = { group: 'snapshot.kubevirt.io', versions: ['v1beta1'] } as const;
const BACKUP = { group: 'backup.kubevirt.io', versions: ['v1alpha1'] } as const;
const CLONE = { group: 'clone.kubevirt.io', versions: ['v1beta1'] } as const;
const EXPORT = { group: 'export.kubevirt.io', versions: ['v1'] } as const;
const POOL = { group: 'pool.kubevirt.io', versions: ['v1beta1'] } as const;
const MIGRATIONS = { group: 'migrations.kubevirt.io', versions: ['v1alpha1'] } as const;
const PLUGIN = { group: 'plugin.kubevirt.io', versions: ['v1alpha1'] } as const;
const CORE = { group: '', versions: ['v1'] } as const;

/** Operations by letter: C creates, U updates, D deletes, * is any. */
const OPERATIONS = { C: ['CREATE'], U: ['UPDATE'], CU: ['CREATE', 'UPDATE'], D: ['DELETE'], '*': ['*'] } as const;

interface Webhook {
  name: string;
  path: string;
  on: keyof typeof OPERATIONS;
  api: { group: string; versions: readonly string[] };
  resources: readonly string[];
  /** Fields that differ from those of all others. */
  extra?: JsonObject;
}

/** One webhook: its name, the path it calls, when, and for which resources. */
const hook = (
  name: string,
  path: string,
  [on, api, ...resources]: [Webhook['on'], Webhook['api'], ...string[]],
  extra: JsonObject = {},
): Webhook => ({ name, path, on, api, resources, extra });

/** Evictions of pods whose name begins so. */
const onlyPods = (name: string, prefix: string): JsonObject => ({
  sideEffects: 'NoneOnDryRun',
  matchConditions: [{ name, expression: `object.metadata.name.startsWith("${prefix}")` }],
});

const OPERATOR_VALIDATING: readonly Webhook[] = [
  hook('kubevirt-validator.kubevirt.io', '/kubevirt-validate-delete', ['D', KUBEVIRT, 'kubevirts']),
  hook('kubevirt-update-validator.kubevirt.io', '/kubevirt-validate-update', ['U', KUBEVIRT, 'kubevirts']),
  hook('kubevirt-create-validator.kubevirt.io', '/kubevirt-validate-create', ['C', KUBEVIRT, 'kubevirts']),
];

/** A kind of instancetype.kubevirt.io: all four are validated alike. */
const instancetypeHook = (resource: string): Webhook =>
  hook(`${resource.slice(0, -1)}-validator.instancetype.kubevirt.io`, `/${resource}-validate`, [
    'CU',
    INSTANCETYPE,
    resource,
  ]);

// prettier-ignore
const API_VALIDATING: readonly Webhook[] = [
  hook('virt-launcher-eviction-interceptor.kubevirt.io', '/pod-eviction-validate', ['*', CORE, 'pods/eviction'], onlyPods('only-vms', 'virt-launcher')),
  hook('hotplug-pod-eviction-interceptor.kubevirt.io', '/pod-eviction-validate', ['*', CORE, 'pods/eviction'], { ...onlyPods('only-hotplug-pods', 'hp-volume-'), admissionReviewVersions: ['v1', 'v1beta1'] }),
  hook('virtualmachineinstances-create-validator.kubevirt.io', '/virtualmachineinstances-validate-create', ['C', KUBEVIRT, 'virtualmachineinstances']),
  hook('virtualmachineinstances-update-validator.kubevirt.io', '/virtualmachineinstances-validate-update', ['U', KUBEVIRT, 'virtualmachineinstances']),
  hook('virtualmachine-validator.kubevirt.io', '/virtualmachines-validate', ['CU', KUBEVIRT, 'virtualmachines']),
  hook('virtualmachinereplicaset-validator.kubevirt.io', '/virtualmachinereplicaset-validate', ['CU', KUBEVIRT, 'virtualmachineinstancereplicasets']),
  hook('virtualmachinepool-validator.kubevirt.io', '/virtualmachinepool-validate', ['CU', POOL, 'virtualmachinepools']),
  hook('virtualmachinepreset-validator.kubevirt.io', '/vmipreset-validate', ['CU', KUBEVIRT, 'virtualmachineinstancepresets']),
  hook('migration-create-validator.kubevirt.io', '/migration-validate-create', ['C', KUBEVIRT, 'virtualmachineinstancemigrations']),
  hook('migration-update-validator.kubevirt.io', '/migration-validate-update', ['U', KUBEVIRT, 'virtualmachineinstancemigrations']),
  hook('virtualmachinesnapshot-validator.snapshot.kubevirt.io', '/virtualmachinesnapshots-validate', ['CU', SNAPSHOT, 'virtualmachinesnapshots']),
  hook('virtualmachinerestore-validator.snapshot.kubevirt.io', '/virtualmachinerestores-validate', ['CU', SNAPSHOT, 'virtualmachinerestores']),
  hook('virtualmachinebackup-validator.backup.kubevirt.io', '/virtualmachinebackups-validate', ['CU', BACKUP, 'virtualmachinebackups']),
  hook('virtualmachinebackuptracker-validator.backup.kubevirt.io', '/virtualmachinebackuptrackers-validate', ['CU', BACKUP, 'virtualmachinebackuptrackers']),
  hook('virtualmachineexport-validator.export.kubevirt.io', '/virtualmachineexports-validate', ['CU', EXPORT, 'virtualmachineexports']),
  instancetypeHook('virtualmachineinstancetypes'),
  instancetypeHook('virtualmachineclusterinstancetypes'),
  instancetypeHook('virtualmachinepreferences'),
  instancetypeHook('virtualmachineclusterpreferences'),
  hook('kubevirt-crd-status-validator.kubevirt.io', '/status-validate', ['CU', KUBEVIRT, 'virtualmachines/status', 'virtualmachineinstancereplicasets/status', 'virtualmachineinstancemigrations/status']),
  hook('migration-policy-validator.kubevirt.io', '/migration-policy-validate-create', ['CU', MIGRATIONS, 'migrationpolicies']),
  hook('vm-clone-validator.kubevirt.io', '/vm-clone-validate-create', ['CU', CLONE, 'virtualmachineclones']),
  hook('plugin-validator.plugin.kubevirt.io', '/plugin-validate', ['CU', PLUGIN, 'plugins']),
];

// prettier-ignore
const API_MUTATING: readonly Webhook[] = [
  hook('virtualmachines-mutator.kubevirt.io', '/virtualmachines-mutate', ['CU', KUBEVIRT, 'virtualmachines']),
  hook('virtualmachineinstances-mutator.kubevirt.io', '/virtualmachineinstances-mutate', ['CU', KUBEVIRT, 'virtualmachineinstances']),
  hook('migrations-mutator.kubevirt.io', '/migration-mutate-create', ['C', KUBEVIRT, 'virtualmachineinstancemigrations']),
  hook('virtualmachineclones-mutator.kubevirt.io', '/vm-clone-mutate-create', ['C', CLONE, 'virtualmachineclones']),
];

const LAUNCHER_POD_MUTATING: readonly Webhook[] = [
  hook('virt-launcher-pod-mutator.kubevirt.io', '/virt-launcher-pod-mutate', ['C', CORE, 'pods'], {
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'IfNeeded',
    objectSelector: { matchLabels: { [APP_LABEL]: 'virt-launcher' } },
  }),
];

/** Where the webhooks of one configuration are served. */
interface Backend {
  service: string;
  namespace: string;
  /** Secret whose CA the API server is told to trust. */
  secret: string;
}

/** The webhook configurations, validating ones first (spec/resources.md §6). */
export function buildWebhookConfigurations({ target, operatorNamespace }: GenerateInput): KubernetesObject[] {
  const operator = { service: SERVICES.operatorWebhook, namespace: operatorNamespace, secret: SECRETS.operator };
  const api = { service: SERVICES.api, namespace: target.namespace, secret: SECRETS.api };
  return [
    configuration('ValidatingWebhookConfiguration', 'virt-operator-validator', operator, OPERATOR_VALIDATING),
    configuration('ValidatingWebhookConfiguration', 'virt-api-validator', api, API_VALIDATING),
    configuration('MutatingWebhookConfiguration', 'virt-api-mutator', api, API_MUTATING),
    configuration('MutatingWebhookConfiguration', 'virt-launcher-pod-mutator', api, LAUNCHER_POD_MUTATING),
  ];
}

function configuration(kind: string, name: string, backend: Backend, hooks: readonly Webhook[]): KubernetesObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      name,
      labels: { [APP_LABEL]: name },
      annotations: { [CERTIFICATE_SECRET_ANNOTATION]: backend.secret },
    },
    webhooks: hooks.map((row) => webhook(row, backend)),
  };
}

function webhook({ name, path, on, api, resources, extra }: Webhook, backend: Backend): JsonObject {
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: backend.service, namespace: backend.namespace, path } },
    rules: [
      {
        apiGroups: [api.group],
        apiVersions: [...api.versions],
        operations: [...OPERATIONS[on]],
        resources: [...resources],
      },
    ],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 10,
    ...extra,
  };
}
