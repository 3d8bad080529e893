import type { KubeVirt, KubeVirtCondition, KubeVirtStatus } from '../api/kubevirt.ts';
import { findCertificateObjections } from '../plan/certificate-objections.ts';
import { markCertificateSettings, markOutdatedCertificates, markWithoutRedis } from '../plan/conditions.ts';
import { eventSubject } from '../plan/event-subject.ts';
import type { PlannedEvent } from '../plan/types.ts';
import type { OutdatedCertificate } from './served-certificates.ts';

/** Conditions of ours, which tell of a problem for as long as it is there. */
const PROBLEMS: readonly KubeVirtCondition['type'][] = [
  'CertificateSettingsInvalid',
  'CertificatesOutdated',
  'RedisUnusable',
];
/** A message names at most this many pods. */
const MAX_PODS = 10;

/** What is known beside the object itself. */
export interface KnownFacts {
  /** Undefined: nobody knows yet, what was said stays. */
  outdated?: readonly OutdatedCertificate[] | undefined;
  /** The pass runs under the Lease, because Redis cannot be used. */
  isWithoutRedis?: boolean | undefined;
}

/**
 * The status with what is wrong although the installation goes on: lifetimes of certificates that do not fit together (spec/field-reports.md B48), operands
 * that serve an old certificate (B39), and a Redis that cannot be used (L09).
 */
export function withProblems(
  status: KubeVirtStatus,
  { spec }: Pick<KubeVirt, 'spec'>,
  { outdated, isWithoutRedis = false }: KnownFacts = {},
): KubeVirtStatus {
  const settings = findCertificateObjections(spec).map(({ message }) => message);
  const marked = markWithoutRedis(markCertificateSettings(status, settings), isWithoutRedis);
  return outdated === undefined ? marked : markOutdatedCertificates(marked, describe(outdated));
}

function describe(outdated: readonly OutdatedCertificate[]): string[] {
  const rest = outdated.length - MAX_PODS;
  const named = outdated
    .slice(0, MAX_PODS)
    .map(({ namespace, pod, secret }) => `pod ${namespace}/${pod} does not serve the certificate of Secret ${secret}`);
  return rest > 0 ? [...named, `and ${rest} more`] : named;
}

/** Events about the problems of a status that a former one did not tell of, or otherwise. */
export function findNewProblems(kubeVirt: KubeVirt, before: KubeVirtStatus, after: KubeVirtStatus): PlannedEvent[] {
  const find = (status: KubeVirtStatus, wanted: string) => status.conditions?.find(({ type }) => type === wanted);
  return PROBLEMS.flatMap((type): PlannedEvent[] => {
    const condition = find(after, type);
    if (condition === undefined || condition.message === find(before, type)?.message) return [];
    const { reason = '', message = '' } = condition;
    return [{ type: 'Warning', reason, message, about: eventSubject(kubeVirt) }];
  });
}
