import type { ApiConnection } from '../api/connection.ts';
import type { ClusterFeatures } from '../api/features.ts';
import { apiVersionOf, KINDS, type KindName } from '../api/kinds.ts';
import { ApiError, isNotFound } from '../errors.ts';

/** Which resource shows that a feature is there (spec/startup.md §4.2). */
const EVIDENCE: Record<keyof ClusterFeatures, KindName> = {
  openshift: 'SecurityContextConstraints',
  serviceMonitor: 'ServiceMonitor',
  prometheusRule: 'PrometheusRule',
  validatingAdmissionPolicy: 'ValidatingAdmissionPolicy',
  validatingAdmissionPolicyBinding: 'ValidatingAdmissionPolicyBinding',
};

/** Names of the features. */
export const FEATURES = Object.keys(EVIDENCE) as (keyof ClusterFeatures)[];

/** What the discovery of one group version says: its resources, or that the group is there and does not answer. */
type GroupAnswer = ReadonlySet<string> | 'unavailable';

/**
 * Asks the API server which optional APIs it serves: one call per group version. A group that is not there counts as not served; one whose server
 * does not answer (503) counts as served for OpenShift and as not served else (spec/startup.md §4.2). Rejects when the API server itself fails.
 */
export async function readFeatures(connection: ApiConnection, signal: AbortSignal): Promise<ClusterFeatures> {
  const versions = [...new Set(FEATURES.map((feature) => apiVersionOf(EVIDENCE[feature])))];
  const answers = new Map(
    await Promise.all(
      versions.map(async (version) => [version, await readGroup(connection, version, signal)] as const),
    ),
  );
  return decideFeatures(answers);
}

async function readGroup(connection: ApiConnection, version: string, signal: AbortSignal): Promise<GroupAnswer> {
  const answer = await readDiscovery(connection, `/apis/${version}`, signal);
  if (answer === 'unavailable') return (await isKnownGroup(connection, version, signal)) ? answer : new Set();
  return new Set((answer?.resources ?? []).map(({ name }) => name));
}

/** The part of a discovery answer that is read here. */
type Discovery = { resources?: { name: string }[] | null } | 'unavailable' | undefined;

/** A discovery document; undefined when there is none at that path. */
async function readDiscovery(connection: ApiConnection, path: string, signal: AbortSignal): Promise<Discovery> {
  try {
    return await connection.request({ method: 'GET', path, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (error instanceof ApiError && error.status === 503) return 'unavailable';
    throw error;
  }
}

/** An API server that starts answers 503 for paths that it does not know either; groups with a server of their own are known by name. */
async function isKnownGroup(connection: ApiConnection, version: string, signal: AbortSignal): Promise<boolean> {
  const path = `/apis/${version.split('/')[0] ?? ''}`;
  const group = await readDiscovery(connection, path, signal);
  if (group === 'unavailable') throw new Error(`GET ${path}: the API server does not list its groups yet`);
  return group !== undefined;
}

/** The features that discovery answers, by group version, show. */
export function decideFeatures(answers: ReadonlyMap<string, GroupAnswer>): ClusterFeatures {
  const isServed = (feature: keyof ClusterFeatures): boolean => {
    const answer = answers.get(apiVersionOf(EVIDENCE[feature])) ?? new Set();
    return answer === 'unavailable' ? feature === 'openshift' : answer.has(KINDS[EVIDENCE[feature]].plural);
  };
  return {
    openshift: isServed('openshift'),
    serviceMonitor: isServed('serviceMonitor'),
    prometheusRule: isServed('prometheusRule'),
    validatingAdmissionPolicy: isServed('validatingAdmissionPolicy'),
    validatingAdmissionPolicyBinding: isServed('validatingAdmissionPolicyBinding'),
  };
}

/** The feature that a CRD of this name brings, if any. */
export function featureOfCrd(name: string): keyof ClusterFeatures | undefined {
  return FEATURES.find((feature) => {
    const { plural, group, source } = KINDS[EVIDENCE[feature]];
    return source !== 'core' && name === `${plural}.${group}`;
  });
}
