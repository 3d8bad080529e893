import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ClusterFeatures } from '../plan/types.ts';

/** Reads one object; undefined when there is none. */
export type Find = (target: {
  kind: KindName;
  name: string;
  namespace?: string;
}) => Promise<KubernetesObject | undefined>;

/** Where monitoring may run, as the deployment config says (spec/strategy.md §1). */
export interface MonitorSearch {
  /** Namespaces in the order in which they are tried. */
  candidates: readonly string[];
  /** Name of the service account that marks the right one. */
  account: string;
}

/** Where monitoring runs, or what keeps it from being found. */
export interface Monitoring {
  /** Empty: nowhere. */
  namespace: string;
  /** Set where it runs nowhere: no candidate exists, or none of those that exist holds the account. */
  missing?: 'namespace' | 'account';
}

/**
 * Finds the namespace that exists and holds the monitoring service account (spec/strategy.md §1). Errors other than not-found reject.
 */
export async function findMonitoring(search: MonitorSearch, find: Find): Promise<Monitoring> {
  let missing: Monitoring['missing'] = 'namespace';
  for (const namespace of search.candidates) {
    if ((await find({ kind: 'Namespace', name: namespace })) === undefined) continue;
    if ((await find({ kind: 'ServiceAccount', name: search.account, namespace })) !== undefined) return { namespace };
    missing = 'account';
  }
  return { namespace: '', missing };
}

/** The namespace alone; empty when monitoring runs nowhere. */
export async function findMonitorNamespace(search: MonitorSearch, find: Find): Promise<string> {
  return (await findMonitoring(search, find)).namespace;
}

/** Finds monitoring on a cluster that serves these APIs. */
export type FindMonitoring = (search: MonitorSearch, features: ClusterFeatures) => Promise<Monitoring>;

/** How long "nowhere" holds: the CRDs of monitoring are often there some moments before its namespace and account. */
const NOWHERE_MS = 60_000;

/**
 * A finder that asks the cluster only when the answer matters, which is when it serves a monitoring API, and again only when the search or those
 * APIs have changed: a pass over a healthy installation sends no request. That monitoring runs nowhere is believed for a minute. `now` in milliseconds
 * of any clock.
 */
export function createMonitorFinder(find: Find, now: () => number = () => performance.now()): FindMonitoring {
  let known: { question: string; answer: Monitoring; at: number } | undefined;
  return async (search, { serviceMonitor, prometheusRule }) => {
    if (!serviceMonitor && !prometheusRule) return { namespace: '' };
    const question = JSON.stringify([search, serviceMonitor, prometheusRule]);
    const isOld = known?.answer.namespace === '' && now() - known.at >= NOWHERE_MS;
    if (known?.question !== question || isOld) {
      known = { question, answer: await findMonitoring(search, find), at: now() };
    }
    return known.answer;
  };
}
