import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { productLabels } from '../target-properties.ts';
import type { TargetDeployment } from '../types.ts';
import { CLUSTER_SERVICES_LABEL, TEMPLATE_SECRETS } from './names.ts';
import { container, pullSecretsField, readOnlyMounts, VERBOSITY } from './pod-template.ts';
import {
  podSelector,
  TEMPLATE_ACCOUNTS,
  templateMeta,
  versionAnnotation,
  VIRT_TEMPLATE_VERSION,
} from './virt-template-object.ts';

/** Where virt-template's images come from unless the target moves them. */
const HOME_REGISTRY = 'quay.io/kubevirt';

/** One of the two Deployments: what differs between them, and nothing else. */
interface TemplateWorkload {
  /** Name of the Deployment and of its image. */
  name: 'virt-template-apiserver' | 'virt-template-controller';
  container: string;
  controlPlane: 'apiserver' | 'controller-manager';
  account: string;
  image: 'virtTemplateApiserverImage' | 'virtTemplateControllerImage';
  args: readonly string[];
  ports: readonly (readonly [name: string, port: number])[];
  /** Live and ready probes; the start-up probe asks as the live one. */
  probes: { live: JsonObject; ready: JsonObject };
  mounts: readonly (readonly [volume: string, directory: string])[];
  volumes: readonly JsonObject[];
}

const API_CERTIFICATE = '/tmp/k8s-api-server/api-cert';
const METRICS_CERTIFICATE = '/tmp/k8s-metrics-server/metrics-certs';
const WEBHOOK_CERTIFICATE = '/tmp/k8s-webhook-server/serving-certs';

const httpsGet = (path: string): JsonObject => ({ httpGet: { path, port: 9443, scheme: 'HTTPS' } });
const httpGet = (path: string): JsonObject => ({ httpGet: { path, port: 8081 } });
const secretVolume = (name: string, secretName: string, more: JsonObject = {}): JsonObject => ({
  name,
  secret: { secretName, ...more },
});

const WORKLOADS: readonly TemplateWorkload[] = [
  {
    name: 'virt-template-apiserver',
    container: 'apiserver',
    controlPlane: 'apiserver',
    account: TEMPLATE_ACCOUNTS.api,
    image: 'virtTemplateApiserverImage',
    args: [
      '--disable-http2-serving',
      '--secure-port=9443',
      `--tls-cert-file=${API_CERTIFICATE}/tls.crt`,
      `--tls-private-key-file=${API_CERTIFICATE}/tls.key`,
    ],
    ports: [['http-api', 9443]],
    probes: { live: httpsGet('/livez'), ready: httpsGet('/readyz') },
    mounts: [['api-cert', API_CERTIFICATE]],
    volumes: [secretVolume('api-cert', TEMPLATE_SECRETS.api)],
  },
  {
    name: 'virt-template-controller',
    container: 'manager',
    controlPlane: 'controller-manager',
    account: TEMPLATE_ACCOUNTS.controller,
    image: 'virtTemplateControllerImage',
    args: [
      '--metrics-bind-address=:8443',
      '--leader-elect',
      '--health-probe-bind-address=:8081',
      `--metrics-cert-path=${METRICS_CERTIFICATE}`,
      `--webhook-cert-path=${WEBHOOK_CERTIFICATE}`,
    ],
    ports: [
      ['http-metrics', 8443],
      ['http-healthz', 8081],
      ['http-webhook', 9443],
    ],
    probes: { live: httpGet('/healthz'), ready: httpGet('/readyz') },
    mounts: [
      ['metrics-certs', METRICS_CERTIFICATE],
      ['webhook-certs', WEBHOOK_CERTIFICATE],
    ],
    volumes: [
      secretVolume('webhook-certs', TEMPLATE_SECRETS.webhook),
      secretVolume('metrics-certs', TEMPLATE_SECRETS.metrics, {
        items: ['tls.crt', 'tls.key'].map((file) => ({ key: file, path: file })),
        optional: false,
      }),
    ],
  },
];

/** The Deployments of virt-template (spec/resources.md §7.9). */
export function buildTemplateDeployments(target: TargetDeployment): KubernetesObject[] {
  return WORKLOADS.map((workload) => {
    const selector = podSelector(workload.controlPlane);
    const labels = { ...selector, ...productLabels(target) };
    return objectOf('Deployment', templateMeta(workload.name, { namespace: target.namespace, labels }), {
      spec: {
        replicas: 1,
        selector: { matchLabels: selector },
        strategy: {},
        template: {
          metadata: {
            labels: { ...labels, [CLUSTER_SERVICES_LABEL]: 'true' },
            annotations: { ...versionAnnotation(), 'kubectl.kubernetes.io/default-container': workload.container },
          },
          spec: podSpec(target, workload),
        },
      },
    });
  });
}

function podSpec(target: TargetDeployment, workload: TemplateWorkload): JsonObject {
  return {
    serviceAccountName: workload.account,
    // The accounts themselves do not mount their token.
    automountServiceAccountToken: true,
    ...pullSecretsField(target),
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: SUPPORTED_NODES } },
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [templateContainer(target, workload)],
    terminationGracePeriodSeconds: 10,
    volumes: [...workload.volumes],
  };
}

const isIn = (key: string, ...values: string[]): JsonObject => ({ key, operator: 'In', values });

const SUPPORTED_NODES: JsonObject = {
  nodeSelectorTerms: [
    {
      matchExpressions: [isIn('kubernetes.io/arch', 'amd64', 'arm64', 's390x'), isIn('kubernetes.io/os', 'linux')],
    },
  ],
};

function templateContainer(target: TargetDeployment, workload: TemplateWorkload): JsonObject {
  const { live, ready } = workload.probes;
  return {
    ...container(target, {
      ...{ name: workload.container, command: [`/${workload.container}`], image: templateImage(target, workload) },
      ...{ args: [...workload.args, ...VERBOSITY], ports: workload.ports },
    }),
    startupProbe: { ...live, periodSeconds: 5, failureThreshold: 15 },
    livenessProbe: { ...live, periodSeconds: 20 },
    readinessProbe: { ...ready, periodSeconds: 10 },
    resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '10m', memory: '64Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: readOnlyMounts(workload.mounts),
  };
}

/** The override of the environment, else virt-template's own tag from the target's registry: never the KubeVirt version. */
function templateImage(target: TargetDeployment, { name, image }: TemplateWorkload): string {
  const override = target.images[image];
  if (override !== '') return override;
  return `${target.registry || HOME_REGISTRY}/${target.imagePrefix}${name}:${VIRT_TEMPLATE_VERSION}`;
}
