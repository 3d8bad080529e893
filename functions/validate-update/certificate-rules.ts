import type { KubeVirtSpec } from '../../src/api/kubevirt.ts';
import { errorText } from '../../src/errors.ts';
import { readCertificateSettings, type CertificateSettings } from '../../src/plan/certificate-settings.ts';
import type { Violation } from '../review.ts';

const ROOT = 'spec.certificateRotateStrategy.selfSigned';
const DEPRECATED = ['caRotateInterval', 'certRotateInterval', 'caOverlapInterval'] as const;

const invalid = (message: string, field: string): Violation => ({ reason: 'FieldValueInvalid', field, message });

function findMisfits({ ca, server }: CertificateSettings): Violation[] {
  return [
    ...(ca.duration < ca.renewBefore ? [invalid('CA RenewBefore cannot exceed Duration', `${ROOT}.ca`)] : []),
    ...(server.duration < server.renewBefore
      ? [invalid('Cert RenewBefore cannot exceed Duration', `${ROOT}.server`)]
      : []),
    ...(server.duration > ca.duration ? [invalid('Certificate duration cannot exceed CA', ROOT)] : []),
  ];
}

/**
 * Checks 2 to 5 of spec/webhooks.md §4.3: old fields not beside new ones, effective lifetimes that fit together. A value that is no duration is a
 * violation that names its field.
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
    return [...conflict, ...findMisfits(readCertificateSettings(spec))];
  } catch (error) {
    return [...conflict, invalid(errorText(error), ROOT)];
  }
}
