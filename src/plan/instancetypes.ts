import type { KindName } from '../api/kinds.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE, COMPONENT_LABEL } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { planObject } from './compare.ts';
import { isComponentImpossible } from './components.ts';
import { buildDelete } from './json-patch.ts';
import { buildProductLabels } from './metadata.ts';
import type { Action, PassContext, StepPlan } from './types.ts';
import { wantedObjects } from './wanted.ts';

const KINDS: readonly KindName[] = ['VirtualMachineClusterInstancetype', 'VirtualMachineClusterPreference'];

/** Whether the common instance types and preferences are to exist; on unless switched off. */
export function isInstancetypesWanted({ kubeVirt }: Pick<PassContext, 'kubeVirt'>): boolean {
  return kubeVirt.spec.configuration?.commonInstancetypesDeployment?.enabled !== false;
}

/**
 * Creates and changes the common instance types and preferences when virt-api, which validates them, is there, or removes ours when they are switched off
 * (spec/apply.md §5.18).
 */
export function planInstancetypes(context: PassContext): StepPlan {
  if (isInstancetypesWanted(context)) {
    const actions = KINDS.flatMap((kind) => wantedObjects(kind, context)).flatMap((object) =>
      planObject(object, context),
    );
    return actions.length === 0 || !isComponentImpossible('api', context)
      ? { actions }
      : { actions: [], stop: 'virt-api to be created' };
  }
  return { actions: KINDS.flatMap((kind) => planRemoval(kind, context)) };
}

/**
 * What bears our labels goes. Upstream asks for the component of the moment alone (spec/apply.md §5.18), which finds nothing any more when the product was
 * renamed in the same edit; what the strategy names is known to be ours.
 */
function planRemoval(kind: KindName, { strategy, world, kubeVirt }: PassContext): Action[] {
  const component = buildProductLabels(kubeVirt.spec)[COMPONENT_LABEL];
  const names = new Set(strategy.ofKind(kind).map(({ metadata }) => metadata.name));
  const isOurs = ({ name, labels = {} }: KubernetesObject['metadata']) =>
    labels[MANAGED_BY_LABEL] === MANAGED_BY_VALUE && (labels[COMPONENT_LABEL] === component || names.has(name));
  return world
    .list(kind)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && isOurs(metadata))
    .map((live) => buildDelete(kind, live, {}));
}
