import type { KubernetesObject } from '../../api/objects.ts';
import { isManaged } from '../../plan/managed.ts';
import { isTemporary } from '../../plan/temporary-webhook.ts';
import type { Finding } from './finding.ts';
import { servicesOf, type Facts } from './facts.ts';

interface Webhook {
  failurePolicy?: string;
  rules?: { apiGroups?: string[] }[];
}

/**
 * Whether a webhook configuration leads to a Service that is gone, so that whatever it has a say in is refused (spec/field-reports.md B44). Others' are
 * looked at too when they have a say about KubeVirt. The operator itself makes one that leads nowhere for as long as virt-api is not there.
 */
export function isWebhookLeftover(object: KubernetesObject, { missingServices, kubeVirts }: Facts): boolean {
  if (!servicesOf(object).some((service) => missingServices.has(service))) return false;
  if (isTemporary(object)) return kubeVirts.length === 0;
  return isManaged(object) || webhooksOf(object).some(concernsKubeVirt);
}

/** The leftover with the command that removes it. */
export function describeLeftover(object: KubernetesObject, { missingServices }: Facts): Omit<Finding, 'check'> {
  const { name = '' } = object.metadata;
  const gone = [...new Set(servicesOf(object).filter((service) => missingServices.has(service)))];
  const isStrict = webhooksOf(object).some(({ failurePolicy = 'Fail' }) => failurePolicy === 'Fail');
  return {
    level: isStrict ? 'problem' : 'warning',
    text: `${object.kind} ${name} leads to Service ${gone.join(', ')}, which is not there${isStrict ? ': what it has a say in is refused' : ''}`,
    remedy: `kubectl delete ${object.kind.toLowerCase()} ${name}`,
  };
}

function webhooksOf(object: KubernetesObject): Webhook[] {
  return (object['webhooks'] ?? []) as Webhook[];
}

function concernsKubeVirt({ rules = [] }: Webhook): boolean {
  return rules.some(({ apiGroups = [] }) => apiGroups.some((group) => /(^|\.)kubevirt\.io$/.test(group)));
}
