import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { rules } from '../rbac/notation.ts';
import { accountSubject } from '../rbac/objects.ts';
import { bareMeta, ofKind, TEMPLATE_ACCOUNTS, templateMeta } from './virt-template-object.ts';

const GROUP = 'rbac.authorization.k8s.io';
const serviceAccount = ofKind('v1', 'ServiceAccount');
const clusterRole = ofKind(`${GROUP}/v1`, 'ClusterRole');
const clusterRoleBinding = ofKind(`${GROUP}/v1`, 'ClusterRoleBinding');
const role = ofKind(`${GROUP}/v1`, 'Role');
const roleBinding = ofKind(`${GROUP}/v1`, 'RoleBinding');

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
      serviceAccount(templateMeta(name, { namespace }), { automountServiceAccountToken: false }),
    ),
    clusterRole(bareMeta(API_ROLE), { rules: rules(API_RULES) }),
    clusterRole(bareMeta(MANAGER_ROLE), { rules: rules(MANAGER_RULES) }),
    clusterRole(templateMeta(METRICS_ROLE), { rules: rules(METRICS_RULES) }),
    clusterRole(templateMeta('virt-template-metrics-reader'), {
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    }),
    ...userRoles('virtualmachinetemplate'),
    // Upstream's order is that of the names: source comes before viewer.
    ...userRoles('virtualmachinetemplaterequest').toSpliced(2, 0, sourceRole()),
    bindEverywhere('virt-template-apiserver-rolebinding', API_ROLE, api),
    bindEverywhere('virt-template-apiserver:system:auth-delegator', 'system:auth-delegator', api),
    bindEverywhere('virt-template-manager-rolebinding', MANAGER_ROLE, controller),
    bindEverywhere('virt-template-metrics-auth-rolebinding', METRICS_ROLE, controller),
    role(templateMeta(LEADER_ELECTION, { namespace }), { rules: rules(LEADER_ELECTION_RULES) }),
    bindIn('kube-system', 'virt-template-apiserver-auth-reader', 'extension-apiserver-authentication-reader', api),
    bindIn(namespace, 'virt-template-leader-election-rolebinding', LEADER_ELECTION, controller),
  ];
}

const aggregated = (...roles: string[]): Record<string, string> =>
  Object.fromEntries(roles.map((name) => [`${GROUP}/aggregate-to-${name}`, 'true']));

function userRoles(singular: string): KubernetesObject[] {
  return USER_VERBS.map(({ role: name, aggregateTo, verbs }) =>
    clusterRole(templateMeta(`virt-template-${singular}-${name}-role`, { labels: aggregated(aggregateTo) }), {
      rules: rules(`
        template.kubevirt.io | ${singular}s | ${verbs}
        template.kubevirt.io | ${singular}s/status | get
      `),
    }),
  );
}

/** Who may make a template of a machine in another namespace: checked by the admission policy of virt-template. */
function sourceRole(): KubernetesObject {
  const labels = aggregated('admin', 'edit');
  return clusterRole(templateMeta('virt-template-virtualmachinetemplaterequest-source-role', { labels }), {
    rules: rules('template.kubevirt.io | virtualmachinetemplaterequests/source | create'),
  });
}

function bindEverywhere(name: string, roleName: string, subject: JsonObject): KubernetesObject {
  return clusterRoleBinding(templateMeta(name, { app: name.replaceAll(':', '-') }), {
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: roleName },
    subjects: [subject],
  });
}

function bindIn(namespace: string, name: string, roleName: string, subject: JsonObject): KubernetesObject {
  return roleBinding(templateMeta(name, { namespace }), {
    roleRef: { apiGroup: GROUP, kind: 'Role', name: roleName },
    subjects: [subject],
  });
}
