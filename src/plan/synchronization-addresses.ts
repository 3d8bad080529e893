import { SYNCHRONIZATION_LEASE } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isGateEnabled } from '../api/feature-gates.ts';
import type { PassContext } from './types.ts';

const NETWORK_STATUS = 'k8s.v1.cni.cncf.io/network-status';
const MIGRATION_INTERFACE = 'migration0';
const DEFAULT_PORT = 9185;

/** What the addresses are decided from. */
export type AddressContext = Pick<PassContext, 'kubeVirt' | 'world' | 'operatorNamespace'>;

/**
 * `status.synchronizationAddresses`: where the leading synchronization controller can be reached, as `host:port`; undefined removes the field
 * (spec/apply.md §6.5). A leader without an address leaves the stored value as it is. Throws when `spec.synchronizationPort` is no port.
 */
export function decideSynchronizationAddresses(context: AddressContext): string[] | undefined {
  const { spec, status } = context.kubeVirt;
  if (!isGateEnabled('DecentralizedLiveMigration', spec.configuration)) return undefined;
  const leader = findLeader(context);
  if (leader === undefined) return undefined;
  const port = parsePort(spec.synchronizationPort);
  const hosts = findHosts(leader);
  if (hosts.length === 0) return status?.synchronizationAddresses ?? undefined;
  return hosts.map((host) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** The pod that holds the Lease, unless it is being deleted. */
function findLeader({ world, operatorNamespace }: AddressContext): KubernetesObject | undefined {
  const lease = world.get('Lease', SYNCHRONIZATION_LEASE, operatorNamespace);
  const holder = lease?.spec?.holderIdentity;
  if (typeof holder !== 'string' || holder === '') return undefined;
  const pod = world.get('Pod', holder, operatorNamespace);
  return pod?.metadata.deletionTimestamp === undefined ? pod : undefined;
}

function parsePort(text = ''): number {
  if (text === '') return DEFAULT_PORT;
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(port > 0 && port < 65_536)) throw new Error(`spec.synchronizationPort: "${text}" is not a port`);
  return port;
}

/** Addresses in the migration network, else the pod's own. */
function findHosts(pod: KubernetesObject): string[] {
  const dedicated = parseNetworks(pod.metadata.annotations?.[NETWORK_STATUS])
    .filter((network) => network.interface === MIGRATION_INTERFACE)
    .flatMap((network) => network.ips ?? []);
  if (dedicated.length > 0) return dedicated;
  const own = (pod.status?.podIPs ?? []) as JsonObject[];
  return own.flatMap(({ ip }) => (typeof ip === 'string' ? [ip] : []));
}

interface Network {
  interface?: string;
  ips?: string[];
}

function parseNetworks(annotation: string | undefined): Network[] {
  if (annotation === undefined) return [];
  try {
    const networks: unknown = JSON.parse(annotation);
    return Array.isArray(networks) ? (networks as Network[]) : [];
  } catch {
    // The network plugin's affair: without it the pod's own addresses are used.
    return [];
  }
}
