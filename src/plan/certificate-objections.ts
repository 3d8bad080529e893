import type { KubeVirtSpec } from '../api/kubevirt.ts';
import { errorText } from '../errors.ts';
import { readCertificateSettings, type CertificateSettings } from './certificate-settings.ts';

/** Something about `spec.certificateRotateStrategy.selfSigned` that does not fit together. */
export interface CertificateObjection {
  /** `conflict`: old fields beside new ones; `misfit`: a lifetime that does not fit another, or is none. */
  kind: 'conflict' | 'misfit';
  field: string;
  message: string;
}

const ROOT = 'spec.certificateRotateStrategy.selfSigned';
const DEPRECATED = ['caRotateInterval', 'certRotateInterval', 'caOverlapInterval'] as const;

type SelfSigned = NonNullable<NonNullable<KubeVirtSpec['certificateRotateStrategy']>['selfSigned']>;

/** The two fields that a comparison is about, each under the name by which it is set (spec/certificates.md §2). */
function nameFields(selfSigned: SelfSigned) {
  const pick = (old: (typeof DEPRECATED)[number], field: string) =>
    `${ROOT}.${selfSigned[old] === undefined ? field : old}`;
  return {
    caDuration: pick('caRotateInterval', 'ca.duration'),
    caRenewBefore: pick('caOverlapInterval', 'ca.renewBefore'),
    serverDuration: pick('certRotateInterval', 'server.duration'),
    serverRenewBefore: `${ROOT}.server.renewBefore`,
  };
}

/** `field` is at fault as measured by `limit`; the message names both. */
const misfit = (message: string, field: string, limit: string): CertificateObjection => ({
  kind: 'misfit',
  field,
  message: `${message}: ${field} is longer than ${limit}`,
});

function findMisfits({ ca, server }: CertificateSettings, selfSigned: SelfSigned): CertificateObjection[] {
  const { caDuration, caRenewBefore, serverDuration, serverRenewBefore } = nameFields(selfSigned);
  return [
    ...(ca.duration < ca.renewBefore
      ? [misfit('CA RenewBefore cannot exceed Duration', caRenewBefore, caDuration)]
      : []),
    ...(server.duration < server.renewBefore
      ? [misfit('Cert RenewBefore cannot exceed Duration', serverRenewBefore, serverDuration)]
      : []),
    ...(server.duration > ca.duration
      ? [misfit('Certificate duration cannot exceed CA', serverDuration, caDuration)]
      : []),
  ];
}

/**
 * Checks 2 to 5 of spec/webhooks.md §4.3: old fields not beside new ones, effective lifetimes that fit together, both fields named
 * (spec/field-reports.md B48). A value that is not a duration is an objection that names its field.
 */
export function findCertificateObjections(spec: KubeVirtSpec): CertificateObjection[] {
  const selfSigned = spec.certificateRotateStrategy?.selfSigned;
  if (selfSigned === undefined) return [];
  const old = DEPRECATED.filter((field) => selfSigned[field] !== undefined);
  const conflict: CertificateObjection[] =
    old.length > 0 && (selfSigned.ca !== undefined || selfSigned.server !== undefined)
      ? [{ kind: 'conflict', field: ROOT, message: `${old.join(', ')} are deprecated and conflict with ca and server` }]
      : [];
  try {
    return [...conflict, ...findMisfits(readCertificateSettings(spec), selfSigned)];
  } catch (error) {
    return [...conflict, { kind: 'misfit', field: ROOT, message: errorText(error) }];
  }
}
