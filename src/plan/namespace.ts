import type { PassContext, StepPlan } from './types.ts';

/** Makes OpenShift's monitoring look at the namespace; upstream sets it everywhere (spec/apply.md §6.1). */
const MONITORING_LABEL = 'openshift.io/cluster-monitoring';

/** Labels the namespace of the installation. Throws when the namespace is not in the caches. */
export function planNamespaceLabel({ kubeVirt, world }: PassContext): StepPlan {
  const { namespace: name = '' } = kubeVirt.metadata;
  const live = world.get('Namespace', name);
  if (live === undefined) throw new Error(`namespace ${name} is not known`);
  if (live.metadata.labels?.[MONITORING_LABEL] === 'true') return { actions: [] };
  const { resourceVersion } = live.metadata;
  const labels = { [MONITORING_LABEL]: 'true' };
  return {
    actions: [
      {
        verb: 'merge',
        kind: 'Namespace',
        name,
        // The version makes it fail when the namespace has changed since (design decision 5).
        patch: { metadata: resourceVersion === undefined ? { labels } : { labels, resourceVersion } },
      },
    ],
  };
}
