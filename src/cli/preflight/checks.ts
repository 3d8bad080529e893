import { KINDS, apiVersionOf, type KindName } from '../../api/kinds.ts';
import { customizeStrategy } from '../../customize/customize.ts';
import { titleOf } from '../cluster/kubevirts.ts';
import { findUngrantableRoles, OPERATOR_ACCOUNT } from '../planning/operator-rights.ts';
import { checkDefinitions } from './definition-checks.ts';
import { servicesOf, type Facts } from './facts.ts';
import type { Check, Finding } from './finding.ts';
import { describeLeftover, isWebhookLeftover } from './leftovers.ts';
import { checkNamespace, checkNodes } from './place-checks.ts';
import { describeUserRight } from './user-rights.ts';

/** All checks in the order in which they are told. */
const CHECKS: readonly { name: string; check: Check; fine: (facts: Facts) => string }[] = [
  { name: 'Kubernetes', check: checkVersion, fine: ({ version }) => `${version} serves every API that is needed` },
  {
    name: 'nodes',
    check: checkNodes,
    fine: ({ nodes }) => `${nodes.length} nodes, of architectures that KubeVirt runs on`,
  },
  {
    name: 'namespace',
    check: checkNamespace,
    fine: ({ operatorNamespace }) => `${operatorNamespace} is there and lets privileged pods in`,
  },
  { name: 'priority class', check: checkPriorityClass, fine: () => 'kubevirt-cluster-critical is there' },
  { name: 'definitions', check: checkDefinitions, fine: () => 'no CustomResourceDefinition is in the way' },
  { name: 'webhooks', check: checkWebhooks, fine: () => 'no webhook leads to a Service that is gone' },
  { name: 'API services', check: checkApiServices, fine: () => 'no APIService leads to a Service that is gone' },
  { name: 'KubeVirt objects', check: checkKubeVirts, fine: ({ kubeVirts }) => describeObjects(kubeVirts.length) },
  { name: 'customizations', check: checkCustomizations, fine: () => 'every patch can be applied' },
  {
    name: "operator's rights",
    check: checkOperatorRights,
    fine: ({ release }) => `enough for every role of ${release}`,
  },
  { name: 'your rights', check: checkUserRights, fine: () => 'enough to install' },
  { name: 'other operators', check: checkOtherOperators, fine: () => 'none' },
];

/** Runs all checks. Pure. */
export function runChecks(facts: Facts): Finding[] {
  return CHECKS.flatMap(({ name, check, fine }): Finding[] => {
    const found = check(facts);
    return found.length === 0
      ? [{ check: name, level: 'ok', text: fine(facts) }]
      : found.map((finding) => ({ check: name, ...finding }));
  });
}

function describeObjects(count: number): string {
  return count === 0 ? 'none yet' : 'one, as it should be';
}

/** Admission policies are served since then. */
const OLDEST_MINOR = 30;

function checkVersion({ version, apis }: Facts): ReturnType<Check> {
  const needed = (Object.keys(KINDS) as KindName[]).filter((kind) => KINDS[kind].source === 'core').map(apiVersionOf);
  const missing = [...new Set(needed)].filter((api) => !apis.has(api));
  const minor = Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? NaN);
  return [
    ...missing.map((api) => ({
      level: 'problem' as const,
      text: `the API ${api} is not served`,
      remedy: 'use a newer Kubernetes, or switch the API on',
    })),
    ...(minor < OLDEST_MINOR
      ? [
          {
            level: 'warning' as const,
            text: `${version} is older than 1.${OLDEST_MINOR}`,
            remedy: 'update Kubernetes first',
          },
        ]
      : []),
  ];
}

function checkPriorityClass({ hasPriorityClass }: Facts): ReturnType<Check> {
  if (hasPriorityClass) return [];
  return [
    {
      level: 'problem',
      text: 'kubevirt-cluster-critical is not there: no pod of KubeVirt can be created',
      remedy: 'the chart creates it (value priorityClass.create)',
    },
  ];
}

function checkWebhooks(facts: Facts): ReturnType<Check> {
  return facts.webhooks
    .filter((webhook) => isWebhookLeftover(webhook, facts))
    .map((webhook) => describeLeftover(webhook, facts));
}

function checkApiServices({ apiServices, missingServices }: Facts): ReturnType<Check> {
  return apiServices
    .filter(({ spec }) => typeof spec?.['group'] === 'string' && /(^|\.)kubevirt\.io$/.test(spec['group']))
    .filter((apiService) => servicesOf(apiService).some((service) => missingServices.has(service)))
    .map((apiService) => ({
      level: 'warning',
      text: `${apiService.metadata.name ?? ''} leads to Service ${servicesOf(apiService).join(', ')}, which is not there`,
      remedy: `if no installation is under way: kubectl delete apiservice ${apiService.metadata.name ?? ''}`,
    }));
}

function checkKubeVirts({ kubeVirts, operatorNamespace }: Facts): ReturnType<Check> {
  if (kubeVirts.length > 1) {
    const names = kubeVirts.map(titleOf).join(' and ');
    return [
      { level: 'problem', text: `there are several, ${names}: none is reconciled`, remedy: 'delete all but one' },
    ];
  }
  return kubeVirts
    .filter(({ metadata }) => metadata.namespace !== operatorNamespace)
    .map((kubeVirt) => ({
      level: 'problem',
      text: `${titleOf(kubeVirt)} is outside of the operator's namespace ${operatorNamespace}`,
      remedy: 'create it in the namespace of the operator',
    }));
}

function checkCustomizations({ kubeVirt, strategy }: Facts): ReturnType<Check> {
  if (kubeVirt === undefined || strategy === undefined) return [];
  const { failures } = customizeStrategy(strategy, kubeVirt.spec.customizeComponents);
  return failures.map(({ message }) => ({ level: 'problem', text: message, remedy: 'correct the patch' }));
}

/** The API server lets nobody create a role with rights that he lacks (spec/field-reports.md B06). */
function checkOperatorRights({ operatorRights, strategy, operatorNamespace, release }: Facts): ReturnType<Check> {
  if (operatorRights === undefined) {
    const text = `ServiceAccount ${operatorNamespace}/${OPERATOR_ACCOUNT} is not there yet; the chart creates it`;
    return [{ level: 'unknown', text }];
  }
  if (strategy === undefined)
    return [{ level: 'unknown', text: `the roles of ${release} are not known here; see "plan --to ${release}"` }];
  return findUngrantableRoles(strategy, operatorRights).map(({ role, rights }) => ({
    level: 'problem',
    text: `${role} cannot be created: the operator lacks ${rights.join(', ')}`,
    remedy: 'give them to it (chart value rbac.extraClusterRules), or the verb escalate (rbac.escalate)',
  }));
}

function checkUserRights({ deniedRights }: Facts): ReturnType<Check> {
  if (deniedRights.length === 0) return [];
  const text = `you may not ${deniedRights.map(describeUserRight).join(', ')}`;
  return [{ level: 'warning', text, remedy: 'needed to install, not to use; let an administrator do it' }];
}

/** Upstream's pods run the image that they take the release from; ours have one of their own (spec/deployment.md §2). */
function checkOtherOperators({ deployments }: Facts): ReturnType<Check> {
  type Container = { image?: string; env?: { name: string; value?: string }[] };
  return deployments
    .filter(({ spec }) => {
      const template = (spec?.['template'] ?? {}) as { spec?: { containers?: Container[] } };
      return (template.spec?.containers ?? []).some(({ image, env = [] }) =>
        env.some(({ name, value }) => name === 'VIRT_OPERATOR_IMAGE' && value === image),
      );
    })
    .map(({ metadata }) => ({
      level: 'warning',
      text: `Deployment ${metadata.name ?? ''} is KubeVirt's own operator; two must not look after one installation`,
      remedy: `to hand over: kubectl --namespace ${metadata.namespace ?? ''} delete deployment ${metadata.name ?? ''}, then install the chart`,
    }));
}
