import { skipsMinor } from './path.ts';
import { eventSubject } from './event-subject.ts';
import { matchesTarget } from './metadata.ts';
import type { PassContext, StepPlan } from './types.ts';

/** Reason of the Event that warns of a skipped release; upstream has none. */
const REASON = 'SkippedMinorVersion';

/**
 * Warns, as long as no component has begun to change, that an update leaves out a minor release, for which KubeVirt promises nothing; it goes on all the same
 * (spec/field-reports.md B24).
 */
export function planVersionCheck({ kubeVirt, target, world }: PassContext): StepPlan {
  const observed = kubeVirt.status?.observedKubeVirtVersion ?? '';
  const hasBegun = world.list('DaemonSet').some((daemonSet) => matchesTarget(daemonSet, target));
  if (hasBegun || !skipsMinor(observed, target.kubeVirtVersion)) return { actions: [] };
  const message = `the update from ${observed} to ${target.kubeVirtVersion} leaves out a minor release; KubeVirt supports updates to the next one only`;
  return { actions: [], events: [{ type: 'Warning', reason: REASON, message, about: eventSubject(kubeVirt) }] };
}
