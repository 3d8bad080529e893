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

/**
 * Finds the namespace that exists and holds the monitoring service account; empty when none does (spec/strategy.md §1). Errors other than not-found
 * reject.
 */
export async function findMonitorNamespace(search: MonitorSearch, find: Find): Promise<string> {
  for (const namespace of search.candidates) {
    if ((await find({ kind: 'Namespace', name: namespace })) === undefined) continue;
    if ((await find({ kind: 'ServiceAccount', name: search.account, namespace })) !== undefined) return namespace;
  }
  return '';
}

/**
 * A finder that asks the cluster only when the answer matters, which is when it serves a monitoring API, and again only when the search or those
 * APIs have changed: a pass over a healthy installation sends no request.
 */
export function createMonitorFinder(find: Find): (search: MonitorSearch, features: ClusterFeatures) => Promise<string> {
  let known: { question: string; answer: string } | undefined;
  return async (search, { serviceMonitor, prometheusRule }) => {
    if (!serviceMonitor && !prometheusRule) return '';
    const question = JSON.stringify([search, serviceMonitor, prometheusRule]);
    if (known?.question !== question) known = { question, answer: await findMonitorNamespace(search, find) };
    return known.answer;
  };
}
