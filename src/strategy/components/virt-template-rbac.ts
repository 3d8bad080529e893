import type { JsonObject, KubernetesObject, ObjectMeta } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { rules } from '../rbac/notation.ts';
import { accountSubject, aggregatedTo, binding } from '../rbac/objects.ts';
import { bareMeta, TEMPLATE_ACCOUNTS, templateMeta } from './virt-template-object.ts';

const LEADER_ELECTION = 'virt-template-leader-election-role';
const API_ROLE = 'virt-template-apiserver-role';
const MANAGER_ROLE = 'virt-template-manager-role';
const METRICS_ROLE = 'virt-template-metrics-auth-role';

const API_RULES = `
  kubevirt.io | virtualmachines | create
  template.kubevirt.io | virtualmachinetemplates{,/status} | get
`;

const MANAGER_RULES = `
  core | persistentvolumeclaims pods | create
  cdi.kubevirt.io | datavolumes | create delete get list patch watch
  cdi.kubevirt.io | datavolumes/source | create
  snapshot.kubevirt.io | virtualmachinesnapshotcontents | read
  snapshot.kubevirt.io | virtualmachinesnapshots | create delete get list watch
  subresources.kubevirt.io | expand-vm-spec | update
  template.kubevirt.io | virtualmachinetemplaterequests | delete get list patch watch
  template.kubevirt.io | virtualmachinetemplaterequests/finalizers virtualmachinetemplates/finalizers | update
  template.kubevirt.io | virtualmachinetemplaterequests/status virtualmachinetemplates/status | get patch
  template.kubevirt.io | virtualmachinetemplates | create get list watch
`;

const METRICS_RULES = `
  authentication.k8s.io | tokenreviews | create
  authorization.k8s.io | subjectaccessreviews | create
`;

const LEADER_ELECTION_RULES = `
  core | configmaps | get list watch create update patch delete
  coordination.k8s.io | leases | get list watch create update patch delete
  core | events | create patch
`;

/** What the user-facing roles may do with a kind, by the cluster role that each is added to. */
const USER_VERBS = [
  { role: 'admin', aggregateTo: 'admin', verbs: 'create delete deletecollection get list patch update watch' },
  { role: 'editor', aggregateTo: 'edit', verbs: 'create delete get list patch update watch' },
  { role: 'viewer', aggregateTo: 'view', verbs: 'read' },
] as const;

/** ServiceAccounts, roles and bindings of virt-template (spec/resources.md §7.9). */
export function buildTemplateRbac(namespace: string): KubernetesObject[] {
  const api = accountSubject(TEMPLATE_ACCOUNTS.api, namespace);
  const controller = accountSubject(TEMPLATE_ACCOUNTS.controller, namespace);
  return [
    ...Object.values(TEMPLATE_ACCOUNTS).map((name) =>
      objectOf('ServiceAccount', templateMeta(name, { namespace }), { automountServiceAccountToken: false }),
    ),
    clusterRole(bareMeta(API_ROLE), API_RULES),
    clusterRole(bareMeta(MANAGER_ROLE), MANAGER_RULES),
    clusterRole(templateMeta(METRICS_ROLE), METRICS_RULES),
    objectOf('ClusterRole', templateMeta('virt-template-metrics-reader'), {
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    }),
    ...userRoles('virtualmachinetemplate'),
    // Upstream's order is that of the names: source comes before viewer.
    ...userRoles('virtualmachinetemplaterequest').toSpliced(2, 0, sourceRole()),
    bindEverywhere('virt-template-apiserver-rolebinding', API_ROLE, api),
    bindEverywhere('virt-template-apiserver:system:auth-delegator', 'system:auth-delegator', api),
    bindEverywhere('virt-template-manager-rolebinding', MANAGER_ROLE, controller),
    bindEverywhere('virt-template-metrics-auth-rolebinding', METRICS_ROLE, controller),
    objectOf('Role', templateMeta(LEADER_ELECTION, { namespace }), { rules: rules(LEADER_ELECTION_RULES) }),
    binding(
      templateMeta('virt-template-apiserver-auth-reader', { namespace: 'kube-system' }),
      api,
      'extension-apiserver-authentication-reader',
    ),
    binding(templateMeta('virt-template-leader-election-rolebinding', { namespace }), controller, LEADER_ELECTION),
  ];
}

const clusterRole = (metadata: ObjectMeta, table: string): KubernetesObject =>
  objectOf('ClusterRole', metadata, { rules: rules(table) });

function userRoles(singular: string): KubernetesObject[] {
  return USER_VERBS.map(({ role: name, aggregateTo, verbs }) =>
    clusterRole(
      templateMeta(`virt-template-${singular}-${name}-role`, { labels: aggregatedTo(aggregateTo) }),
      `
        template.kubevirt.io | ${singular}s | ${verbs}
        template.kubevirt.io | ${singular}s/status | get
      `,
    ),
  );
}

/** Who may make a template of a machine in another namespace: checked by the admission policy of virt-template. */
function sourceRole(): KubernetesObject {
  return clusterRole(
    templateMeta('virt-template-virtualmachinetemplaterequest-source-role', { labels: aggregatedTo('admin', 'edit') }),
    'template.kubevirt.io | virtualmachinetemplaterequests/source | create',
  );
}

function bindEverywhere(name: string, role: string, subject: JsonObject): KubernetesObject {
  return binding(templateMeta(name, { app: name.replaceAll(':', '-') }), subject, role);
}
