import type { X509Certificate } from 'node:crypto';
import type { KubernetesObject } from '../api/objects.ts';
import type { World } from './types.ts';

/** A port of a pod at which the certificate of a Secret is served. */
export interface ServingEndpoint {
  secret: string;
  namespace: string;
  pod: string;
  address: string;
  port: number;
}

/** Who serves which Secret of the operator namespace, and where (spec/certificates.md §1.2, spec/resources.md §3). */
const SERVERS: readonly { secret: string; kind: 'Deployment' | 'DaemonSet'; workload: string; port: number }[] = [
  { secret: 'kubevirt-virt-api-certs', kind: 'Deployment', workload: 'virt-api', port: 8443 },
  { secret: 'kubevirt-controller-certs', kind: 'Deployment', workload: 'virt-controller', port: 8443 },
  { secret: 'kubevirt-exportproxy-certs', kind: 'Deployment', workload: 'virt-exportproxy', port: 8443 },
  { secret: 'kubevirt-virt-handler-server-certs', kind: 'DaemonSet', workload: 'virt-handler', port: 8443 },
  {
    secret: 'kubevirt-synchronization-controller-server-certs',
    kind: 'Deployment',
    workload: 'virt-synchronization-controller',
    port: 9185,
  },
  { secret: 'kubevirt-virt-template-api-certs', kind: 'Deployment', workload: 'virt-template-apiserver', port: 9443 },
  {
    secret: 'kubevirt-virt-template-webhook-certs',
    kind: 'Deployment',
    workload: 'virt-template-controller',
    port: 9443,
  },
  {
    secret: 'kubevirt-virt-template-controller-metrics-certs',
    kind: 'Deployment',
    workload: 'virt-template-controller',
    port: 8443,
  },
];

/** Names of the Secrets whose certificates operands serve. */
export const SERVED_SECRETS: readonly string[] = SERVERS.map(({ secret }) => secret);

/** The running pods that serve the certificate of a Secret of this namespace. */
export function listServingEndpoints(world: World, secret: string, namespace: string): ServingEndpoint[] {
  return SERVERS.filter((server) => server.secret === secret).flatMap(({ kind, workload, port }) =>
    listPods(world, world.get(kind, workload, namespace)).flatMap(({ metadata, status }) => {
      const { phase, podIP } = (status ?? {}) as { phase?: string; podIP?: string };
      return phase === 'Running' && podIP !== undefined
        ? [{ secret, namespace, pod: metadata.name ?? '', address: podIP, port }]
        : [];
    }),
  );
}

function listPods(world: World, workload: KubernetesObject | undefined): KubernetesObject[] {
  const { matchLabels } = (workload?.spec?.['selector'] ?? {}) as { matchLabels?: Record<string, string> };
  const wanted = Object.entries(matchLabels ?? {});
  if (workload === undefined || wanted.length === 0) return [];
  return world
    .list('Pod')
    .filter(
      ({ metadata: { namespace, labels, deletionTimestamp } }) =>
        namespace === workload.metadata.namespace &&
        deletionTimestamp === undefined &&
        wanted.every(([key, value]) => labels?.[key] === value),
    );
}

/**
 * Whether a served certificate is another one than the Secret has had for long enough. Ages do not tell: leaves are dated back to the birth of their
 * authority, and lifetimes change (spec/certificates.md §1.4). A certificate for another subject is not ours: somebody has given the operand one of their own.
 */
export function isOutdated(served: X509Certificate, stored: X509Certificate): boolean {
  return served.subject === stored.subject && served.fingerprint256 !== stored.fingerprint256;
}
