/** What the components next to the VMs may do: virt-handler, the export proxy and the synchronization controller (spec/resources.md §5). */

/** Rules of virt-handler, cluster-wide. */
export const HANDLER_CLUSTER_RULES = `
  kubevirt.io | virtualmachineinstances | update list watch
  core | nodes | patch list watch get
  core | configmaps | read
  core | events | create patch
  apiextensions.k8s.io | customresourcedefinitions | read
  kubevirt.io | kubevirts | read
  migrations.kubevirt.io | migrationpolicies | read
  backup.kubevirt.io | virtualmachinebackuptrackers{,/status} | list watch patch
  plugin.kubevirt.io | plugins | read
`;

/** Rules of virt-handler in the install namespace. */
export const HANDLER_RULES = 'core | configmaps | read';

/** Rules of the export proxy, cluster-wide. */
export const EXPORT_PROXY_CLUSTER_RULES = `
  export.kubevirt.io | virtualmachineexports | read
  kubevirt.io | kubevirts | list watch
`;

/** Rules of the export proxy in the install namespace: the bundle of the export CA. */
export const EXPORT_PROXY_RULES = 'core | configmaps | read | kubevirt-export-ca';

/** Rules of the synchronization controller, cluster-wide. */
export const SYNCHRONIZATION_CLUSTER_RULES = `
  kubevirt.io | virtualmachineinstances | get list watch update patch
  kubevirt.io | virtualmachineinstancemigrations | get list watch patch delete
  kubevirt.io | kubevirts | read
  core | events | update create patch
  apiextensions.k8s.io | customresourcedefinitions | read
`;

/** Rules of the synchronization controller in the install namespace: the bundle of the components' CA, and its lease. */
export const SYNCHRONIZATION_RULES = 'core | configmaps | read | kubevirt-ca';
