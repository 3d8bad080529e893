import type { KubeVirtSpec } from '../../src/api/kubevirt.ts';
import { errorText } from '../../src/errors.ts';
import { readCertificateSettings, type CertificateSettings } from '../../src/plan/certificate-settings.ts';
import type { Violation } from '../verdict.ts';

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

const invalid = (message: string, field: string): Violation => ({ reason: 'FieldValueInvalid', field, message });

/** `field` is at fault as measured by `limit`; the message names both. */
const misfit = (message: string, field: string, limit: string) =>
  invalid(`${message}: ${field} is longer than ${limit}`, field);

function findMisfits({ ca, server }: CertificateSettings, selfSigned: SelfSigned): Violation[] {
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
 * (spec/field-reports.md B48). A value that is no duration is a violation that names its field.
 */
export function findCertificateViolations(spec: KubeVirtSpec): Violation[] {
  const selfSigned = spec.certificateRotateStrategy?.selfSigned;
  if (selfSigned === undefined) return [];
  const old = DEPRECATED.filter((field) => selfSigned[field] !== undefined);
  const conflict: Violation[] =
    old.length > 0 && (selfSigned.ca !== undefined || selfSigned.server !== undefined)
      ? [
          {
            reason: 'FieldValueNotSupported',
            field: ROOT,
            message: `${old.join(', ')} are deprecated and conflict with ca and server`,
          },
        ]
      : [];
  try {
    return [...conflict, ...findMisfits(readCertificateSettings(spec), selfSigned)];
  } catch (error) {
    return [...conflict, invalid(errorText(error), ROOT)];
  }
}
