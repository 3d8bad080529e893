import type { PassContext, StepPlan } from './types.ts';

const PRIVILEGED = 'privileged';
/** Accounts that very old releases put into OpenShift's own SCC. */
const ACCOUNTS = ['kubevirt-handler', 'kubevirt-apiserver', 'kubevirt-controller', 'kubevirt-operator'] as const;

/** Takes the accounts of this installation out of the SCC `privileged` (spec/apply.md §6.3). */
export function planPrivilegedScc({ kubeVirt, world }: PassContext): StepPlan {
  const users = world.get('SecurityContextConstraints', PRIVILEGED)?.users;
  if (!Array.isArray(users)) return { actions: [] };
  const before = users as string[];
  const namespace = kubeVirt.metadata.namespace ?? '';
  const ours: readonly string[] = ACCOUNTS.map((account) => `system:serviceaccount:${namespace}:${account}`);
  const after = before.filter((user) => !ours.includes(user));
  if (after.length === before.length) return { actions: [] };
  return {
    actions: [
      {
        verb: 'patch',
        kind: 'SecurityContextConstraints',
        name: PRIVILEGED,
        operations: [
          { op: 'test', path: '/users', value: before },
          { op: 'replace', path: '/users', value: after },
        ],
      },
    ],
  };
}
