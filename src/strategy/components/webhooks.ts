import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { rowsOf, wordsOf } from '../text-table.ts';
import type { GenerateInput } from '../types.ts';
import { APP_LABEL, CERTIFICATE_SECRET_ANNOTATION, OPERATOR_SECRET, SECRETS, SERVICES } from './names.ts';

/** Versions of an API whose objects are looked at; groups end in kubevirt.io, but for the core group. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  core: ['v1'],
  kubevirt: ['v1alpha3', 'v1'],
  backup: ['v1alpha1'],
  clone: ['v1beta1'],
  export: ['v1'],
  instancetype: ['v1beta1'],
  migrations: ['v1alpha1'],
  plugin: ['v1alpha1'],
  pool: ['v1beta1'],
  snapshot: ['v1beta1'],
};

/** Tables of webhooks: `name, less .kubevirt.io | path | operations | API | resources`. */
const OPERATOR_VALIDATING = `
  kubevirt-validator | /kubevirt-validate-delete | DELETE | kubevirt | kubevirts
  kubevirt-update-validator | /kubevirt-validate-update | UPDATE | kubevirt | kubevirts
  kubevirt-create-validator | /kubevirt-validate-create | CREATE | kubevirt | kubevirts
`;
const API_VALIDATING = `
  virt-launcher-eviction-interceptor | /pod-eviction-validate | * | core | pods/eviction
  hotplug-pod-eviction-interceptor | /pod-eviction-validate | * | core | pods/eviction
  virtualmachineinstances-create-validator | /virtualmachineinstances-validate-create | CREATE | kubevirt | virtualmachineinstances
  virtualmachineinstances-update-validator | /virtualmachineinstances-validate-update | UPDATE | kubevirt | virtualmachineinstances
  virtualmachine-validator | /virtualmachines-validate | CREATE UPDATE | kubevirt | virtualmachines
  virtualmachinereplicaset-validator | /virtualmachinereplicaset-validate | CREATE UPDATE | kubevirt | virtualmachineinstancereplicasets
  virtualmachinepool-validator | /virtualmachinepool-validate | CREATE UPDATE | pool | virtualmachinepools
  virtualmachinepreset-validator | /vmipreset-validate | CREATE UPDATE | kubevirt | virtualmachineinstancepresets
  migration-create-validator | /migration-validate-create | CREATE | kubevirt | virtualmachineinstancemigrations
  migration-update-validator | /migration-validate-update | UPDATE | kubevirt | virtualmachineinstancemigrations
  virtualmachinesnapshot-validator.snapshot | /virtualmachinesnapshots-validate | CREATE UPDATE | snapshot | virtualmachinesnapshots
  virtualmachinerestore-validator.snapshot | /virtualmachinerestores-validate | CREATE UPDATE | snapshot | virtualmachinerestores
  virtualmachinebackup-validator.backup | /virtualmachinebackups-validate | CREATE UPDATE | backup | virtualmachinebackups
  virtualmachinebackuptracker-validator.backup | /virtualmachinebackuptrackers-validate | CREATE UPDATE | backup | virtualmachinebackuptrackers
  virtualmachineexport-validator.export | /virtualmachineexports-validate | CREATE UPDATE | export | virtualmachineexports
  virtualmachineinstancetype-validator.instancetype | /virtualmachineinstancetypes-validate | CREATE UPDATE | instancetype | virtualmachineinstancetypes
  virtualmachineclusterinstancetype-validator.instancetype | /virtualmachineclusterinstancetypes-validate | CREATE UPDATE | instancetype | virtualmachineclusterinstancetypes
  virtualmachinepreference-validator.instancetype | /virtualmachinepreferences-validate | CREATE UPDATE | instancetype | virtualmachinepreferences
  virtualmachineclusterpreference-validator.instancetype | /virtualmachineclusterpreferences-validate | CREATE UPDATE | instancetype | virtualmachineclusterpreferences
  kubevirt-crd-status-validator | /status-validate | CREATE UPDATE | kubevirt | virtualmachines/status virtualmachineinstancereplicasets/status virtualmachineinstancemigrations/status
  migration-policy-validator | /migration-policy-validate-create | CREATE UPDATE | migrations | migrationpolicies
  vm-clone-validator | /vm-clone-validate-create | CREATE UPDATE | clone | virtualmachineclones
  plugin-validator.plugin | /plugin-validate | CREATE UPDATE | plugin | plugins
`;
const API_MUTATING = `
  virtualmachines-mutator | /virtualmachines-mutate | CREATE UPDATE | kubevirt | virtualmachines
  virtualmachineinstances-mutator | /virtualmachineinstances-mutate | CREATE UPDATE | kubevirt | virtualmachineinstances
  migrations-mutator | /migration-mutate-create | CREATE | kubevirt | virtualmachineinstancemigrations
  virtualmachineclones-mutator | /vm-clone-mutate-create | CREATE | clone | virtualmachineclones
`;
const LAUNCHER_POD_MUTATING = `
  virt-launcher-pod-mutator | /virt-launcher-pod-mutate | CREATE | core | pods
`;

/** A dry run of an eviction must not mark the VM; only pods whose name begins so matter. */
const evictionOf = (condition: string, prefix: string): JsonObject => ({
  sideEffects: 'NoneOnDryRun',
  matchConditions: [{ name: condition, expression: `object.metadata.name.startsWith("${prefix}")` }],
});

/** Fields of single webhooks that differ from those of all others. */
const SPECIAL: Readonly<Record<string, JsonObject>> = {
  'virt-launcher-eviction-interceptor': evictionOf('only-vms', 'virt-launcher'),
  'hotplug-pod-eviction-interceptor': {
    ...evictionOf('only-hotplug-pods', 'hp-volume-'),
    admissionReviewVersions: ['v1', 'v1beta1'],
  },
  'virt-launcher-pod-mutator': {
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'IfNeeded',
    objectSelector: { matchLabels: { [APP_LABEL]: 'virt-launcher' } },
  },
};

/** Where the webhooks of one configuration are served. */
interface Backend {
  service: string;
  namespace: string;
  /** Secret whose CA the API server is told to trust. */
  secret: string;
}

/** The webhook configurations, validating ones first (spec/resources.md §6). */
export function buildWebhookConfigurations({ target, operatorNamespace }: GenerateInput): KubernetesObject[] {
  const operator = { service: SERVICES.operatorWebhook, namespace: operatorNamespace, secret: OPERATOR_SECRET };
  const api = { service: SERVICES.api, namespace: target.namespace, secret: SECRETS.api };
  return [
    configuration('Validating', 'virt-operator-validator', operator, OPERATOR_VALIDATING),
    configuration('Validating', 'virt-api-validator', api, API_VALIDATING),
    configuration('Mutating', 'virt-api-mutator', api, API_MUTATING),
    configuration('Mutating', 'virt-launcher-pod-mutator', api, LAUNCHER_POD_MUTATING),
  ];
}

function configuration(
  type: 'Validating' | 'Mutating',
  name: string,
  backend: Backend,
  table: string,
): KubernetesObject {
  const annotations = { [CERTIFICATE_SECRET_ANNOTATION]: backend.secret };
  const webhooks = rowsOf(table).map((row) => webhook(row, backend));
  return objectOf(`${type}WebhookConfiguration`, { name, labels: { [APP_LABEL]: name }, annotations }, { webhooks });
}

function webhook(row: string[], backend: Backend): JsonObject {
  const [name = '', path = '', operations = '', api = '', resources = ''] = row;
  const group = api === 'kubevirt' ? 'kubevirt.io' : `${api}.kubevirt.io`;
  return {
    name: `${name}.kubevirt.io`,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: backend.service, namespace: backend.namespace, path } },
    rules: [
      {
        apiGroups: [api === 'core' ? '' : group],
        apiVersions: [...(VERSIONS[api] ?? [])],
        operations: wordsOf(operations),
        resources: wordsOf(resources),
      },
    ],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 10,
    ...SPECIAL[name],
  };
}
