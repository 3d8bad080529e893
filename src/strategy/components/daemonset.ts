import { SUPPORTS_MIGRATION_CN_LABEL } from '../../api/names.ts';
import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { componentImage } from '../images.ts';
import {
  hasSwitch,
  migrationNetworkAnnotation,
  productLabels,
  pullPolicyOf,
  pullSecretsOf,
} from '../target-properties.ts';
import type { GenerateInput, TargetDeployment } from '../types.ts';
import { ACCOUNTS, APP_LABEL, HTTPS_PORT, SECRETS } from './names.ts';
import {
  CONSOLE_SERVER_PORT,
  envField,
  envValue,
  mainContainer,
  podLabels,
  podSpec,
  probe,
  TERMINATION,
  VERBOSITY,
  type Component,
} from './pod-template.ts';

const NAME = 'virt-handler';
const VMSTATS_PORT = 8187;
/** Seconds that virt-handler gives running work before it ends; upstream sets no grace period of the pod to match (spec/resources.md §0.2). */
const GRACEFUL_SHUTDOWN_SECONDS = '315';
const LABELLER_DIRECTORY = '/var/lib/kubevirt-node-labeller';
const RESERVATION_DIRECTORY = '/var/run/kubevirt/daemons/pr';

const virtHandler: Component = {
  name: NAME,
  image: 'virtHandlerImage',
  account: ACCOUNTS.handler,
  command: [NAME],
  args: [
    ...['--port', String(HTTPS_PORT)],
    ...['--hostname-override', '$(NODE_NAME)'],
    ...['--pod-ip-address', '$(MY_POD_IP)'],
    ...['--max-metric-requests', '3'],
    ...['--console-server-port', CONSOLE_SERVER_PORT],
    ...['--vmstats-server-port', String(VMSTATS_PORT)],
    ...['--graceful-shutdown-seconds', GRACEFUL_SHUTDOWN_SECONDS],
    ...VERBOSITY,
  ],
  env: [envField('NODE_NAME', 'spec.nodeName'), envField('MY_POD_IP', 'status.podIP')],
  ports: [
    ['metrics', HTTPS_PORT],
    ['vmstats', VMSTATS_PORT],
  ],
  readiness: probe('/healthz', { timeoutSeconds: 10, periodSeconds: 20 }),
  liveness: probe('/healthz', { timeoutSeconds: 10, periodSeconds: 45, failureThreshold: 3 }),
  requests: { cpu: '10m', memory: '325Mi' },
  certificates: [
    [SECRETS.handlerClient, '/etc/virt-handler/clientcertificates'],
    [SECRETS.handlerServer, '/etc/virt-handler/servercertificates'],
    [SECRETS.handlerMigrationClient, '/etc/virt-handler/migrationservercertificates'],
    [SECRETS.handlerVsockClient, '/etc/virt-handler/vsockclientcertificates'],
  ],
};

/** A directory of the node inside a container. */
interface HostMount {
  name: string;
  /** Path on the node. */
  path: string;
  /** Path in the container; default: the same. */
  at?: string;
  propagation?: 'Bidirectional' | 'HostToContainer';
  /** Check of the path before the pod starts; default: none. */
  type?: 'DirectoryOrCreate';
}

const HOST_MOUNTS: readonly HostMount[] = [
  { name: 'libvirt-runtimes', path: '/var/run/kubevirt-libvirt-runtimes' },
  { name: 'virt-share-dir', path: '/var/run/kubevirt', propagation: 'Bidirectional' },
  { name: 'virt-private-dir', path: '/var/run/kubevirt-private' },
  { name: 'kubelet-pods', path: '/var/lib/kubelet/pods', at: '/pods' },
  { name: 'kubelet', path: '/var/lib/kubelet', propagation: 'HostToContainer' },
  { name: 'node-labeller', path: LABELLER_DIRECTORY },
];

const RESERVATION_MOUNTS: readonly HostMount[] = [
  {
    name: 'pr-helper-socket-vol',
    path: RESERVATION_DIRECTORY,
    propagation: 'Bidirectional',
    type: 'DirectoryOrCreate',
  },
  { name: 'dev-dir', path: '/dev', propagation: 'HostToContainer' },
  { name: 'etc-multipath', path: '/etc/multipath', propagation: 'Bidirectional', type: 'DirectoryOrCreate' },
];

/** The DaemonSet virt-handler (spec/resources.md §3.2). */
export function buildDaemonSets({ target }: GenerateInput): KubernetesObject[] {
  const metadata = {
    name: NAME,
    namespace: target.namespace,
    labels: { ...productLabels(target), [APP_LABEL]: NAME, [SUPPORTS_MIGRATION_CN_LABEL]: 'true' },
  };
  return [
    objectOf('DaemonSet', metadata, {
      spec: {
        selector: { matchLabels: { [APP_LABEL]: NAME } },
        updateStrategy: { type: 'RollingUpdate' },
        template: {
          metadata: {
            name: NAME,
            labels: podLabels(target, NAME),
            annotations: { 'openshift.io/required-scc': ACCOUNTS.handler, ...migrationNetworkAnnotation(target) },
          },
          spec: handlerPod(target),
        },
      },
    }),
  ];
}

function handlerPod(target: TargetDeployment): JsonObject {
  const reservation = hasSwitch(target, 'PersistentReservationEnabled');
  const container = mainContainer(target, virtHandler);
  const containers = [
    {
      ...container,
      securityContext: { privileged: true, seLinuxOptions: { level: 's0' } },
      volumeMounts: [
        ...(container['volumeMounts'] as JsonObject[]),
        ...HOST_MOUNTS.map(volumeMount),
        { name: 'podinfo', mountPath: '/etc/podinfo' },
      ],
    },
    ...(pullSecretsOf(target).length > 0 ? [imageHolder(target)] : []),
    ...(reservation ? [reservationHelper(target)] : []),
  ];
  const pod = podSpec(target, virtHandler, containers);
  return {
    ...pod,
    hostPID: true,
    initContainers: [nodeLabeller(target)],
    volumes: [
      ...(pod['volumes'] as JsonObject[]),
      ...HOST_MOUNTS.map(hostVolume),
      podInfoVolume(),
      ...(reservation ? RESERVATION_MOUNTS.map(hostVolume) : []),
    ],
  };
}

const volumeMount = ({ name, path, at, propagation }: HostMount): JsonObject => ({
  name,
  mountPath: at ?? path,
  ...(propagation && { mountPropagation: propagation }),
});

const hostVolume = ({ name, path, type }: HostMount): JsonObject => ({
  name,
  hostPath: { path, ...(type && { type }) },
});

/** The pod's network status as a file, from which virt-handler learns its migration address. */
function podInfoVolume(): JsonObject {
  const fieldRef = { fieldPath: "metadata.annotations['k8s.v1.cni.cncf.io/network-status']" };
  return { name: 'podinfo', downwardAPI: { items: [{ path: 'network-status', fieldRef }] } };
}

/** Virtualisation type and device of the hypervisors that are known; others count as kvm (spec/resources.md §2.2). */
function hypervisor(target: TargetDeployment): { type: string; device: string } {
  return target.additionalProperties['HypervisorName'] === 'hyperv-direct'
    ? { type: 'hyperv', device: 'mshv' }
    : { type: 'kvm', device: 'kvm' };
}

const PRIVILEGED_ROOT = { privileged: true, runAsUser: 0 } as const;

function nodeLabeller(target: TargetDeployment): JsonObject {
  const { type, device } = hypervisor(target);
  return {
    name: 'virt-launcher',
    image: componentImage(target, 'virtLauncherImage'),
    ...TERMINATION,
    command: ['/bin/sh', '-c'],
    args: ['node-labeller.sh'],
    env: [envValue('PREFERRED_VIRTTYPE', type), envValue('HYPERVISOR_DEVICE', device)],
    resources: {},
    securityContext: PRIVILEGED_ROOT,
    volumeMounts: [{ name: 'node-labeller', mountPath: LABELLER_DIRECTORY }],
  };
}

/** Keeps the launcher image on the node, for images that need pull secrets which a VM's namespace does not have. */
function imageHolder(target: TargetDeployment): JsonObject {
  return {
    name: 'virt-launcher-image-holder',
    image: componentImage(target, 'virtLauncherImage'),
    imagePullPolicy: 'IfNotPresent',
    ...TERMINATION,
    command: ['/bin/sh', '-c'],
    args: ['sleep infinity'],
    resources: { limits: { cpu: '100m', memory: '20Mi' } },
  };
}

/** Serves SCSI persistent reservations to the VMs of the node. */
function reservationHelper(target: TargetDeployment): JsonObject {
  return {
    name: 'pr-helper',
    image: componentImage(target, 'PrHelperImage'),
    imagePullPolicy: pullPolicyOf(target),
    ...TERMINATION,
    command: ['/entrypoint.sh'],
    args: ['-k', `${RESERVATION_DIRECTORY}/pr-helper.sock`],
    resources: {},
    securityContext: PRIVILEGED_ROOT,
    volumeMounts: RESERVATION_MOUNTS.map(volumeMount),
  };
}
