import type { KindName } from '../api/kinds.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE, COMPONENT_LABEL } from '../api/names.ts';
import { planObject } from './compare.ts';
import { isComponentImpossible } from './components.ts';
import { buildDelete } from './json-patch.ts';
import { buildProductLabels } from './metadata.ts';
import type { PassContext, StepPlan } from './types.ts';
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
  const component = buildProductLabels(context.kubeVirt.spec)[COMPONENT_LABEL];
  const isOurs = (labels: Readonly<Record<string, string>> = {}) =>
    labels[COMPONENT_LABEL] === component && labels[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
  return {
    actions: KINDS.flatMap((kind) =>
      context.world
        .list(kind)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined && isOurs(metadata.labels))
        .map((live) => buildDelete(kind, live, {})),
    ),
  };
}
