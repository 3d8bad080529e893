import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import type { RunReport } from '../apply/execute.ts';
import { recordGeneration } from '../apply/generations.ts';
import { isGenerationRecorded } from '../plan/generations.ts';

/** Kinds whose content a pass compares in full; a CRD that is not recorded is written instead. */
const COMPARED: readonly KindName[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'Deployment',
  'DaemonSet',
  'PodDisruptionBudget',
];

/**
 * `status.generations` after a run. When the run has come to its end, everything that is managed is as wanted, also what it did not have to write: an object
 * whose answer was lost on its way is recorded like the others. Upstream, should it take over, would write what it does not find there.
 */
export function adoptGenerations({ completed, context, generations }: RunReport): readonly GenerationStatus[] {
  if (!completed) return generations;
  return COMPARED.flatMap((kind) => context.world.list(kind).map((live) => ({ kind, live })))
    .filter(
      ({ kind, live }) =>
        live.metadata.deletionTimestamp === undefined && !isGenerationRecorded(generations, kind, live),
    )
    .reduce((recorded, { kind, live }) => recordGeneration(recorded, kind, live), generations);
}
