import type { KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { rules } from './notation.ts';
import { AGGREGATE_PREFIX, aggregatedTo, AUTHENTICATED, AUTOUPDATE, binding, rbacMeta } from './objects.ts';

const VM = 'virtualmachines';
const VMI = 'virtualmachineinstances';
const SUBRESOURCES = 'subresources.kubevirt.io';

const INSTANCE_FACTS = 'guestosinfo,filesystemlist,userlist,sev/fetchcertchain,sev/querylaunchmeasurement';
const OBJECT_GRAPHS = `${VM}/objectgraph ${VMI}/objectgraph`;
const CORE_KINDS = `${VM} ${VMI} virtualmachineinstancepresets virtualmachineinstancereplicasets`;
const MIGRATIONS = 'virtualmachineinstancemigrations';
const INSTANCETYPES =
  'virtualmachineinstancetypes virtualmachineclusterinstancetypes virtualmachinepreferences virtualmachineclusterpreferences';

/** What those who run VMs may do to them; `screens` names the subresources that show the guest's screen. */
const operations = (screens: string): string => `
  ${SUBRESOURCES} | ${VMI}/{console,${screens},portforward,${INSTANCE_FACTS},usbredir} ${OBJECT_GRAPHS} | get
  ${SUBRESOURCES} | ${VMI}/{pause,unpause,addvolume,removevolume,freeze,unfreeze,softreboot,reset,sev/setupsession,sev/injectlaunchsecret,evacuate/cancel} | update
  ${SUBRESOURCES} | ${VM}/{expand-spec,portforward} | get
  ${SUBRESOURCES} | ${VM}/{start,stop,restart,addvolume,removevolume,memorydump,evacuate/cancel} | update
  ${SUBRESOURCES} | expand-vm-spec | update
`;

/** The kinds around VMs, each with the same verbs; `plugins` are for administrators only. */
const surroundings = (verbs: string, plugins: '' | 'plugins'): string => `
  snapshot.kubevirt.io | virtualmachinesnapshots virtualmachinesnapshotcontents virtualmachinerestores | ${verbs}
  backup.kubevirt.io | virtualmachinebackups virtualmachinebackuptrackers | ${verbs}
  ${plugins === '' ? '' : `plugin.kubevirt.io | plugins | ${verbs}`}
  export.kubevirt.io | virtualmachineexports | ${verbs}
  clone.kubevirt.io | virtualmachineclones | ${verbs}
  instancetype.kubevirt.io | ${INSTANCETYPES} | ${verbs}
  pool.kubevirt.io | virtualmachinepools | ${verbs}
`;

const KUBEVIRTS = 'kubevirt.io | kubevirts | get list';
const POLICIES = 'migrations.kubevirt.io | migrationpolicies | read';

const DEFAULT = `
  ${KUBEVIRTS}
  ${SUBRESOURCES} | version guestfs | get list
`;

const ADMIN = `
  ${operations('vnc,vnc/screenshot')}
  kubevirt.io | ${CORE_KINDS} | full+collection
  kubevirt.io | ${MIGRATIONS} | read
  ${surroundings('full+collection', 'plugins')}
  ${POLICIES}
`;

const EDIT = `
  ${operations('vnc')}
  kubevirt.io | ${CORE_KINDS} | full
  kubevirt.io | ${MIGRATIONS} | read
  ${surroundings('full', '')}
  ${KUBEVIRTS}
  ${POLICIES}
`;

const VIEW = `
  ${KUBEVIRTS}
  ${SUBRESOURCES} | ${VM}/expand-spec ${VMI}/{${INSTANCE_FACTS}} ${OBJECT_GRAPHS} | get
  ${SUBRESOURCES} | expand-vm-spec | update
  kubevirt.io | ${CORE_KINDS} ${MIGRATIONS} | read
  ${surroundings('read', '')}
  ${POLICIES}
  plugin.kubevirt.io | plugins | read
`;

const INSTANCETYPE_VIEW =
  'instancetype.kubevirt.io | virtualmachineclusterinstancetypes virtualmachineclusterpreferences | read';

const MIGRATE = `
  ${SUBRESOURCES} | ${VM}/migrate | update
  kubevirt.io | ${MIGRATIONS} | full+collection
`;

const clusterRole = (name: string, table: string, more: Parameters<typeof rbacMeta>[1] = {}): KubernetesObject =>
  objectOf('ClusterRole', rbacMeta(name, more), { rules: rules(table) });

/** The cluster roles that administrators give to people, and the two that everybody has (spec/resources.md §5.2). */
export function buildUserRoles(): KubernetesObject[] {
  return [
    clusterRole('kubevirt.io:default', DEFAULT, {
      ...AUTOUPDATE,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    }),
    clusterRole('kubevirt.io:admin', ADMIN, { labels: aggregatedTo('admin') }),
    clusterRole('kubevirt.io:edit', EDIT, { labels: aggregatedTo('edit') }),
    clusterRole('kubevirt.io:view', VIEW, { labels: aggregatedTo('view') }),
    clusterRole('instancetype.kubevirt.io:view', INSTANCETYPE_VIEW),
    clusterRole('kubevirt.io:migrate', MIGRATE),
    binding(rbacMeta('kubevirt.io:default', AUTOUPDATE), AUTHENTICATED),
    binding(rbacMeta('instancetype.kubevirt.io:view', AUTOUPDATE), AUTHENTICATED),
  ];
}

/** A cluster role that Kubernetes does not add to its own roles, for installations that opted out of it (spec/strategy.md §2). */
export function withoutAggregation(role: KubernetesObject): KubernetesObject {
  const labels = Object.entries(role.metadata.labels ?? {}).map(([name, value]): [string, string] => [
    name,
    name.startsWith(AGGREGATE_PREFIX) ? 'false' : value,
  ]);
  return labels.length === 0 ? role : { ...role, metadata: { ...role.metadata, labels: Object.fromEntries(labels) } };
}
