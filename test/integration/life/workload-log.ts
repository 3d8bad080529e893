import type { ApiClient } from '../../../sandbox/api-client.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { compareResourceVersions } from '../../../src/api/store.ts';
import { NAMESPACE } from '../install/harness.ts';

/** Every state that the Deployments and DaemonSets of a site have gone through. */
export interface WorkloadLog {
  /** States of one workload, oldest first. */
  of(name: string): readonly KubernetesObject[];
  /** The state of `name` at the moment when `at` was written: resource versions of one cluster are one sequence. */
  before(name: string, at: KubernetesObject): KubernetesObject | undefined;
  stop(): Promise<void>;
}

/** Begins to record. */
export function recordWorkloads(api: ApiClient): WorkloadLog {
  const ending = new AbortController();
  const states: KubernetesObject[] = [];
  const follow = async (plural: string) => {
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/${plural}?watch=true`;
    for await (const { object } of api.watch(path, ending.signal)) states.push(object as unknown as KubernetesObject);
  };
  const following = Promise.all(['deployments', 'daemonsets'].map(follow));
  const of = (name: string) => states.filter(({ metadata }) => metadata.name === name);
  return {
    of,
    before: (name, at) => of(name).findLast((state) => compareResourceVersions(versionOf(state), versionOf(at)) < 0),
    stop: async () => {
      ending.abort();
      await following;
    },
  };
}

const versionOf = ({ metadata }: KubernetesObject) => metadata.resourceVersion ?? '';

/** The first state whose spec differs from the one before it; undefined when the spec stayed as it was. */
export function firstChange(states: readonly KubernetesObject[]): KubernetesObject | undefined {
  return states.find(
    ({ metadata }, index) => index > 0 && metadata.generation !== states[index - 1]?.metadata.generation,
  );
}

/** Whether a DaemonSet was on every node with its present template, and nothing but its usual number of pods may be down. */
export function isRolledOut({ spec, status, metadata }: KubernetesObject): boolean {
  const { desiredNumberScheduled, updatedNumberScheduled, numberReady, observedGeneration } = (status ?? {}) as Record<
    string,
    number
  >;
  const { updateStrategy } = (spec ?? {}) as { updateStrategy?: { rollingUpdate?: { maxUnavailable?: unknown } } };
  return (
    observedGeneration === metadata.generation &&
    updatedNumberScheduled === desiredNumberScheduled &&
    numberReady === desiredNumberScheduled &&
    updateStrategy?.rollingUpdate?.maxUnavailable === 1
  );
}
