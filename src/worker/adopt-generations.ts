import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { RunReport } from '../apply/execute.ts';
import { recordGeneration } from '../apply/generations.ts';
import { isGenerationRecorded, isUnrecordedSinceCreation } from '../plan/generations.ts';

/** Kinds whose content a pass compares in full. */
const COMPARED: readonly KindName[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'Deployment',
  'DaemonSet',
  'PodDisruptionBudget',
];
/** The kind whose content a pass infers from the record; without one it trusts only what is as it was created. */
const INFERRED: KindName = 'CustomResourceDefinition';

/**
 * `status.generations` after a run. When the run has come to its end, everything that is managed is as wanted, also what it did not have to write: an object
 * whose answer was lost on its way is recorded like the others. Upstream, should it take over, would write what it does not find there.
 */
export function adoptGenerations({ completed, context, generations }: RunReport): readonly GenerationStatus[] {
  if (!completed) return generations;
  const isCompared = (kind: KindName, live: KubernetesObject) => !isGenerationRecorded(generations, kind, live);
  const isAsCreated = (kind: KindName, live: KubernetesObject) => isUnrecordedSinceCreation(generations, kind, live);
  const kinds = [...COMPARED.map((kind) => [kind, isCompared] as const), [INFERRED, isAsCreated] as const];
  return kinds
    .flatMap(([kind, isMissing]) => {
      const alive = context.world.list(kind).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      return alive.filter((live) => isMissing(kind, live)).map((live) => ({ kind, live }));
    })
    .reduce((recorded, { kind, live }) => recordGeneration(recorded, kind, live), generations);
}
