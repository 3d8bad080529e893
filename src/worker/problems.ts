import type { KubeVirt, KubeVirtCondition, KubeVirtStatus } from '../api/kubevirt.ts';
import { findCertificateObjections } from '../plan/certificate-objections.ts';
import { markCertificateSettings, markOutdatedCertificates } from '../plan/conditions.ts';
import type { PlannedEvent } from '../plan/types.ts';
import type { OutdatedCertificate } from './served-certificates.ts';

/** Conditions of ours, which tell of a problem for as long as it is there. */
const PROBLEMS: readonly KubeVirtCondition['type'][] = ['CertificateSettingsInvalid', 'CertificatesOutdated'];
/** A message names at most this many pods. */
const MAX_PODS = 10;

/**
 * The status with what is wrong although the installation goes on: lifetimes of certificates that do not fit together (spec/field-reports.md B48), and
 * operands that serve an old certificate (B39). `outdated` undefined: nobody knows yet, what was said stays.
 */
export function withProblems(
  status: KubeVirtStatus,
  { spec }: Pick<KubeVirt, 'spec'>,
  outdated: readonly OutdatedCertificate[] | undefined,
): KubeVirtStatus {
  const settings = findCertificateObjections(spec).map(({ message }) => message);
  const marked = markCertificateSettings(status, settings);
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
  const { name = '', namespace, uid } = kubeVirt.metadata;
  return PROBLEMS.flatMap((type): PlannedEvent[] => {
    const condition = find(after, type);
    if (condition === undefined || condition.message === find(before, type)?.message) return [];
    const { reason = '', message = '' } = condition;
    const about = {
      apiVersion: kubeVirt.apiVersion,
      kind: kubeVirt.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    };
    return [{ type: 'Warning', reason, message, about }];
  });
}
