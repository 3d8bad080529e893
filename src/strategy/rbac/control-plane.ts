/** What virt-api and virt-controller may do (spec/resources.md §5). */

/** Rules of virt-api, cluster-wide. */
export const API_CLUSTER_RULES = `
  core | pods | get list delete patch
  kubevirt.io | virtualmachines virtualmachineinstances | get list watch patch update
  core | persistentvolumeclaims | get list
  kubevirt.io | virtualmachines/status | patch
  kubevirt.io | virtualmachineinstancemigrations | create get list watch patch
  kubevirt.io | virtualmachineinstancepresets | watch list
  core | configmaps | read
  core | limitranges | watch list
  apiextensions.k8s.io | customresourcedefinitions | read
  kubevirt.io | kubevirts | read
  snapshot.kubevirt.io | virtualmachinesnapshots virtualmachinerestores virtualmachinesnapshotcontents | read
  backup.kubevirt.io | virtualmachinebackups | read
  backup.kubevirt.io | virtualmachinebackuptrackers | read
  cdi.kubevirt.io | datasources datavolumes | read
  core | namespaces | read
  instancetype.kubevirt.io | virtualmachineinstancetypes virtualmachineclusterinstancetypes virtualmachinepreferences virtualmachineclusterpreferences | read
  migrations.kubevirt.io | migrationpolicies | read
  apps | controllerrevisions | create list get
  core | nodes | get
`;

/** Rules of virt-api in the install namespace. */
export const API_RULES = 'core | configmaps | read';

/** Rules of virt-controller, cluster-wide. */
export const CONTROLLER_CLUSTER_RULES = `
  core | namespaces | get list watch patch
  policy | poddisruptionbudgets | get list watch delete create patch
  core | pods configmaps endpoints services | get list watch delete update create patch
  core | events | update create patch
  core | secrets | create
  core | pods/finalizers | update
  core | pods/eviction | create
  core | pods/status | patch
  core | nodes | get list watch update patch
  apps | daemonsets | list
  apps | controllerrevisions | watch list create delete get update
  core | persistentvolumeclaims | get list watch create update delete patch
  snapshot.kubevirt.io | virtualmachinesnapshots{,/status,/finalizers} virtualmachinesnapshotcontents{,/status,/finalizers} virtualmachinerestores{,/status} | get list watch create update delete patch
  export.kubevirt.io | virtualmachineexports{,/status,/finalizers} | get list watch create update delete patch
  backup.kubevirt.io | virtualmachinebackups{,/status,/finalizers} | get list watch create update delete patch
  backup.kubevirt.io | virtualmachinebackuptrackers{,/status} | get list watch create update delete patch
  template.kubevirt.io | virtualmachinetemplates | read
  pool.kubevirt.io | virtualmachinepools{,/finalizers,/status,/scale} | watch list create delete update patch get
  kubevirt.io | * | *
  kubevirt.io | virtualmachines/finalizers virtualmachineinstances/finalizers | update
  subresources.kubevirt.io | virtualmachines/stop virtualmachineinstances/{addvolume,removevolume,backup,redefine-checkpoint,freeze,unfreeze,reset,softreboot,sev/setupsession,sev/injectlaunchsecret} | update
  cdi.kubevirt.io | * | *
  apiextensions.k8s.io | customresourcedefinitions | read
  authorization.k8s.io | subjectaccessreviews | create
  snapshot.storage.k8s.io | volumesnapshotclasses | read
  snapshot.storage.k8s.io | volumesnapshots | get list watch create update delete
  storage.k8s.io | storageclasses | read
  instancetype.kubevirt.io | virtualmachineinstancetypes virtualmachineclusterinstancetypes virtualmachinepreferences virtualmachineclusterpreferences | read
  migrations.kubevirt.io | migrationpolicies | read
  clone.kubevirt.io | virtualmachineclones{,/status,/finalizers} | get list watch update patch delete
  core | namespaces | get
  core | resourcequotas | list watch
  batch | jobs | create get delete
  resource.k8s.io | resourceslices resourceclaims | list watch get
`;

/** One more rule of virt-controller where it resolves networks itself: without the gate ExternalNetResourceInjection. */
export const NETWORK_ATTACHMENT_RULE = 'k8s.cni.cncf.io | network-attachment-definitions | get';

/** Rules of a component that elects a leader. */
export const LEASE_RULE = 'coordination.k8s.io | leases | get list watch delete update create patch';

/** Rules of virt-controller in the install namespace. */
export const CONTROLLER_RULES = `
  route.openshift.io | routes | list get watch
  core | secrets | list get watch
  networking.k8s.io | ingresses | list get watch
  ${LEASE_RULE}
`;
