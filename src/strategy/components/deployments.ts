import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { componentImage } from '../images.ts';
import { migrationNetworkAnnotation, productLabels, synchronizationPortOf } from '../target-properties.ts';
import type { GenerateInput, TargetDeployment } from '../types.ts';
import { ACCOUNTS, APP_LABEL, CAS, HTTPS_PORT, PROMETHEUS_LABEL, SECRETS } from './names.ts';
import {
  CONSOLE_SERVER_PORT,
  envField,
  envValue,
  mainContainer,
  podLabels,
  podSpec,
  probe,
  VERBOSITY,
  type Component,
} from './pod-template.ts';

const METRICS = ['metrics', HTTPS_PORT] as const;
const PORT = ['--port', String(HTTPS_PORT)] as const;
const HEALTHY = probe('/healthz', { periodSeconds: 10 });

/** A component that runs as a Deployment. */
interface DeployedComponent extends Component {
  /** Component whose pods this one's keep away from; default: its own. */
  keepAwayFrom?: string;
  annotations?: Record<string, string>;
  /** Not scraped by Prometheus. */
  isUnscraped?: boolean;
}

const virtApi: DeployedComponent = {
  name: 'virt-api',
  image: 'virtApiImage',
  account: ACCOUNTS.api,
  command: ['virt-api'],
  args: [...PORT, '--console-server-port', CONSOLE_SERVER_PORT, '--subresources-only', ...VERBOSITY],
  ports: [['virt-api', HTTPS_PORT], METRICS],
  readiness: probe('/apis/subresources.kubevirt.io/v1/healthz', { periodSeconds: 10 }),
  requests: { cpu: '5m', memory: '500Mi' },
  certificates: [
    [SECRETS.api, '/etc/virt-api/certificates'],
    [SECRETS.handlerClient, '/etc/virt-handler/clientcertificates'],
  ],
};

const virtController = (target: TargetDeployment): DeployedComponent => ({
  name: 'virt-controller',
  image: 'virtControllerImage',
  account: ACCOUNTS.controller,
  command: ['virt-controller'],
  args: [
    ...['--launcher-image', componentImage(target, 'virtLauncherImage')],
    ...['--exporter-image', componentImage(target, 'virtExportServerImage')],
    ...[...PORT, ...VERBOSITY],
  ],
  env: [envValue('SIDECAR_SHIM_IMAGE', componentImage(target, 'SidecarShimImage'))],
  ports: [METRICS],
  readiness: probe('/leader', { timeoutSeconds: 10 }),
  liveness: probe('/healthz', { timeoutSeconds: 10, failureThreshold: 8 }),
  requests: { cpu: '10m', memory: '275Mi' },
  certificates: [
    [SECRETS.controller, '/etc/virt-controller/certificates'],
    [CAS.export, '/etc/virt-controller/exportca'],
    [CAS.backup, '/etc/virt-controller/backupca'],
  ],
});

const virtExportProxy: DeployedComponent = {
  name: 'virt-exportproxy',
  containerName: 'exportproxy',
  image: 'virtExportProxyImage',
  account: ACCOUNTS.exportProxy,
  // All of it is in the command: so the customizer's flags replace it whole.
  command: ['virt-exportproxy', ...PORT, ...VERBOSITY],
  ports: [['exportproxy', HTTPS_PORT], METRICS],
  readiness: HEALTHY,
  requests: { cpu: '5m', memory: '150Mi' },
  certificates: [[SECRETS.exportProxy, '/etc/virt-exportproxy/certificates']],
  // Upstream's value; without it a takeover would roll the pods (spec/resources.md §0.3).
  keepAwayFrom: 'virt-api',
};

const virtSynchronizationController = (target: TargetDeployment): DeployedComponent => {
  const port = synchronizationPortOf(target);
  return {
    name: 'virt-synchronization-controller',
    containerName: 'sync',
    image: 'virtSynchronizationControllerImage',
    account: ACCOUNTS.synchronization,
    command: ['virt-synchronization-controller', '--v', '2', '--port', String(port)],
    env: [envField('MY_POD_IP', 'status.podIP')],
    ports: [METRICS, ['sync', port]],
    readiness: HEALTHY,
    requests: { cpu: '5m', memory: '150Mi' },
    certificates: [
      [SECRETS.synchronizationClient, '/etc/virt-sync-controller/clientcertificates'],
      [SECRETS.synchronizationServer, '/etc/virt-sync-controller/servercertificates'],
    ],
    annotations: migrationNetworkAnnotation(target),
    isUnscraped: true,
  };
};

/** The Deployments of the control plane, in upstream's order (spec/resources.md §3.1). */
export function buildDeployments({ target }: GenerateInput): KubernetesObject[] {
  return [virtApi, virtController(target), virtExportProxy, virtSynchronizationController(target)].map((component) =>
    deployment(target, component),
  );
}

const RUNTIME_SECCOMP = { seccompProfile: { type: 'RuntimeDefault' } } as const;

function deployment(target: TargetDeployment, component: DeployedComponent): KubernetesObject {
  const { name } = component;
  const container = {
    ...mainContainer(target, component),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...RUNTIME_SECCOMP },
  };
  const { [PROMETHEUS_LABEL]: scraped, ...labels } = podLabels(target, name);
  const metadata = {
    name,
    namespace: target.namespace,
    labels: { ...productLabels(target), [APP_LABEL]: name, 'app.kubernetes.io/name': name },
  };
  return objectOf('Deployment', metadata, {
    spec: {
      replicas: 2,
      selector: { matchLabels: { [APP_LABEL]: name } },
      strategy: {},
      template: {
        metadata: {
          name,
          labels: component.isUnscraped === true ? labels : { ...labels, [PROMETHEUS_LABEL]: scraped },
          annotations: { 'openshift.io/required-scc': 'restricted-v2', ...component.annotations },
        },
        spec: {
          ...podSpec(target, component, [container]),
          affinity: spreadOverNodes(component.keepAwayFrom ?? name),
          securityContext: { runAsNonRoot: true, ...RUNTIME_SECCOMP },
        },
      },
    },
  });
}

/** Prefers nodes that run no pod of the component yet. */
function spreadOverNodes(component: string): JsonObject {
  const podAffinityTerm = {
    labelSelector: { matchExpressions: [{ key: APP_LABEL, operator: 'In', values: [component] }] },
    topologyKey: 'kubernetes.io/hostname',
  };
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] } };
}
