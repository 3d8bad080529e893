import type * as schemas from '../kubevirt.ts';
import type { TextsOf } from './table.ts';

const flags = (component: string): string => `Flags of ${component}: name without dashes, and value.`;
const placement = (components: string): string => `Nodes and number of the ${components}.`;

/** Descriptions of `kubevirt.ts`. */
export const kubevirtTexts: TextsOf<typeof schemas> = {
  CertificateConfig: {
    duration: 'How long a certificate is valid, for example 168h.',
    renewBefore: 'How long before its end a certificate is renewed; a fifth of its duration when left out.',
  },
  SelfSignedConfiguration: {
    ca: 'Certificate authorities, by default valid for 168h.',
    caOverlapInterval: 'Deprecated: use ca.renewBefore.',
    caRotateInterval: 'Deprecated: use ca.duration.',
    certRotateInterval: 'Deprecated: use server.duration.',
    server: 'Certificates of servers and clients, by default valid for 24h.',
  },
  CertificateRotateStrategy: { selfSigned: 'Certificates that the operator makes and signs itself.' },
  CustomizeFlags: {
    api: flags('virt-api'),
    controller: flags('virt-controller'),
    handler: flags('virt-handler'),
  },
  CustomizePatch: {
    $: 'A patch to one object of the installation.',
    patch: 'The patch as JSON text.',
    resourceName: 'Name of the object; * for all of the kind.',
    resourceType: 'Kind of the object, for example Deployment.',
    type: 'Kind of the patch: strategic, merge or json.',
  },
  CustomizeComponents: {
    flags: 'Flags of the components; when one is named here, the component gets these flags only.',
    patches: 'Patches to objects of the installation, in their order.',
  },
  NodePlacement: {
    affinity: 'Nodes and pods that the pods should or should not be near.',
    nodeSelector: 'Labels that the nodes must have.',
    tolerations: 'Taints of nodes that do no harm.',
  },
  ComponentConfig: {
    nodePlacement: 'Nodes that the pods run on.',
    replicas: 'Pods of every Deployment, at least 1; chosen by the size of the cluster when left out.',
  },
  WorkloadUpdateStrategy: {
    batchEvictionInterval: 'Time between two batches of evictions, by default 1m.',
    batchEvictionSize: 'Machines that are evicted in one batch, by default 10.',
    workloadUpdateMethods:
      'How machines are brought to the new release: LiveMigrate, Evict, both, or, when empty, not at all.',
  },
  KubeVirtSpec: {
    certificateRotateStrategy: 'How long certificates are valid, and when they are renewed.',
    configuration: 'How virtual machines are run.',
    customizeComponents: 'Changes to the objects of the installation.',
    imagePullPolicy: 'When images of components are pulled: Always, IfNotPresent or Never.',
    imagePullSecrets: 'Secrets for pulling images of components, in the namespace of the installation.',
    imageRegistry: 'Registry of the images; that of the operator when left out.',
    imageTag: 'Release to install, as the tag of its images; the release of the operator when left out.',
    infra: placement('control plane: virt-api, virt-controller and others'),
    monitorAccount: 'ServiceAccount of Prometheus, by default prometheus-k8s.',
    monitorNamespace: 'Namespace of Prometheus, by default openshift-monitoring or monitoring.',
    productComponent: 'Value of the label app.kubernetes.io/component, by default kubevirt.',
    productName: 'Value of the label app.kubernetes.io/part-of.',
    productVersion: 'Value of the label app.kubernetes.io/version.',
    serviceMonitorNamespace: 'Namespace of the ServiceMonitor, by default that of Prometheus.',
    synchronizationPort: 'Port at which migrations between clusters are coordinated, by default 9185.',
    uninstallStrategy:
      'What deleting this object does while there are virtual machines: RemoveWorkloads (the default) or BlockUninstallIfWorkloadsExist.',
    workloadUpdateStrategy: 'How running machines are brought to a new release.',
    workloads: placement('components that run on the nodes: virt-handler'),
  },
  GenerationStatus: {
    $: 'One object, and its generation after the operator wrote it last.',
    group: 'API group of the object.',
    hash: 'Hash of the content, where generations are not counted.',
    lastGeneration: 'The generation.',
    name: 'Name of the object.',
    namespace: 'Namespace of the object.',
    resource: 'Resource of the object, for example deployments.',
  },
  KubeVirtStatus: {
    conditions: 'Aspects of the state: Available, Progressing, Degraded, Created and Synchronized.',
    defaultArchitecture: 'Architecture of machines that name none.',
    generations: 'Generations of written objects, by which foreign changes are found.',
    observedDeploymentConfig: 'Configuration of the release that is installed, as JSON.',
    observedDeploymentID: 'Hash of the configuration of the release that is installed.',
    observedGeneration: 'Generation of this object that was reconciled last.',
    observedKubeVirtRegistry: 'Registry of the release that is installed.',
    observedKubeVirtVersion: 'Version of the release that is installed.',
    operatorVersion: 'Version of the operator.',
    outdatedVirtualMachineInstanceWorkloads: 'Machines that still run an older release.',
    phase: 'Deploying, Deployed, Deleting or Deleted.',
    synchronizationAddresses: 'Addresses at which migrations between clusters are coordinated.',
    targetDeploymentConfig: 'Configuration of the release that is being installed, as JSON.',
    targetDeploymentID: 'Hash of the configuration of the release that is being installed.',
    targetKubeVirtRegistry: 'Registry of the release that is being installed.',
    targetKubeVirtVersion: 'Version of the release that is being installed.',
  },
  KubeVirt: {
    $: 'One installation of KubeVirt: which release, where, and how it runs virtual machines.',
    spec: 'The installation as it is wanted.',
    status: 'The installation as it was found.',
  },
};
