import type { ApiClient } from './api-client.ts';

/** A Service, as far as routing needs it. */
export interface ServiceName {
  namespace: string;
  name: string;
}

/** Answers which Service has a ClusterIP. */
export interface ServiceLookup {
  /** Undefined when no Service has the address now. Rejects when the API server does not answer. */
  find(address: string): Promise<ServiceName | undefined>;
}

/** An address may pass to another Service, so that an answer is not kept for long; many connections at once still cost one list. */
const KEEP_MS = 1000;

/** Creates a lookup that lists Services when what it knows is older than a second. */
export function createServiceLookup(api: ApiClient): ServiceLookup {
  let listedAt = Number.NEGATIVE_INFINITY;
  let current: Promise<Map<string, ServiceName>> | undefined;
  return {
    async find(address) {
      if (current === undefined || performance.now() - listedAt > KEEP_MS) {
        listedAt = performance.now();
        current = readServices(api);
        // A failed list must not be remembered.
        current.catch(() => (current = undefined));
      }
      return (await current).get(address);
    },
  };
}

async function readServices(api: ApiClient): Promise<Map<string, ServiceName>> {
  const list = await api.expect('GET', '/api/v1/services');
  return indexByAddress(list['items'] as ServiceObject[]);
}

/** The fields of a Service that matter here. */
export interface ServiceObject {
  metadata: ServiceName;
  spec?: { clusterIPs?: string[]; clusterIP?: string };
}

/** Services by each of their addresses; headless ones have none. */
export function indexByAddress(services: readonly ServiceObject[]): Map<string, ServiceName> {
  const byAddress = new Map<string, ServiceName>();
  for (const { metadata, spec } of services) {
    for (const address of spec?.clusterIPs ?? []) {
      if (address !== 'None') byAddress.set(address, { namespace: metadata.namespace, name: metadata.name });
    }
  }
  return byAddress;
}

/** True when a pod behind the Service is ready to be called. */
export async function hasReadyEndpoint(api: ApiClient, { namespace, name }: ServiceName): Promise<boolean> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
  const list = await api.expect('GET', path);
  return (list['items'] as EndpointSlice[]).some(({ endpoints }) => endpoints?.some(isReady) ?? false);
}

interface EndpointSlice {
  endpoints?: { conditions?: { ready?: boolean } }[];
}

/** An unknown state counts as ready, by the rule of the API. */
function isReady(endpoint: { conditions?: { ready?: boolean } }): boolean {
  return endpoint.conditions?.ready !== false;
}
