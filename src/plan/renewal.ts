import { DURATION_ANNOTATION } from '../api/names.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isSignedBy, readKeyPair, type Certificate } from './certificate.ts';
import { boundRenewal, formatDurationAnnotation, type Lifetime } from './certificate-settings.ts';
import { addDuration, toMilliseconds, type Nanoseconds } from './duration.ts';

/** What the certificate of one Secret is measured against. */
export interface RenewalRule {
  lifetime: Lifetime;
  /** The authority that has to have signed it, and how long what it replaces stays trusted; absent for an authority. */
  signer?: { certificate: Certificate; renewBefore: Nanoseconds; overlap: Nanoseconds };
}

/** Why a new certificate has to be made. */
export type RenewalReason = 'absent' | 'unreadable' | 'lifetime changed' | 'other signer' | 'due';

/** Why the Secret needs a new certificate now; undefined when it does not (spec/certificates.md §3). The first reason that holds wins. */
export function findRenewalReason(
  secret: KubernetesObject | undefined,
  rule: RenewalRule,
  now: Date,
): RenewalReason | undefined {
  if (secret === undefined) return 'absent';
  const certificate = readKeyPair(secret)?.certificate;
  if (certificate === undefined) return 'unreadable';
  if (hasOtherLifetime(secret, certificate, rule, now)) return 'lifetime changed';
  if (rule.signer !== undefined && !isSignedBy(certificate, rule.signer.certificate, now)) return 'other signer';
  return decideDeadline(certificate, rule) <= now ? 'due' : undefined;
}

/**
 * The lifetime that a certificate was made with stands in an annotation. Upstream loses it with every change of metadata and then issues anew; without
 * it we keep a certificate that does not outlive what is configured, and only write the annotation.
 */
function hasOtherLifetime(secret: KubernetesObject, certificate: Certificate, rule: RenewalRule, now: Date): boolean {
  const { duration } = rule.lifetime;
  const annotation = secret.metadata.annotations?.[DURATION_ANNOTATION];
  if (annotation !== undefined) return annotation !== formatDurationAnnotation(duration);
  return certificate.notAfter.getTime() - now.getTime() > toMilliseconds(duration);
}

/** When a certificate is to be renewed (spec/certificates.md §3). */
export function decideDeadline(certificate: Certificate, { lifetime, signer }: RenewalRule): Date {
  if (signer !== undefined && signer.certificate.notAfter < certificate.notAfter) {
    return addDuration(signer.certificate.notAfter, -signer.renewBefore / 2n);
  }
  return addDuration(certificate.notAfter, -boundRenewal(lifetime));
}
