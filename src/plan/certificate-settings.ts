import type { KubeVirtSpec } from '../api/kubevirt.ts';
import { formatDuration, parseDuration, type Nanoseconds } from './duration.ts';

/** Lifetime of certificates of one group, and how long before its end they are renewed. */
export interface Lifetime {
  duration: Nanoseconds;
  renewBefore: Nanoseconds;
}

/** Lifetimes of authorities and of the certificates that they sign (spec/certificates.md §2). */
export interface CertificateSettings {
  ca: Lifetime;
  server: Lifetime;
}

const DEFAULT_CA_DURATION = parseDuration('168h', 'default');
const DEFAULT_SERVER_DURATION = parseDuration('24h', 'default');
/** Share of a lifetime that is left when a certificate is renewed, unless it is set. */
const RENEW_DIVISOR = 5n;
/** A certificate is used for a tenth of its lifetime at least, however early its renewal is asked for: else it would be renewed without end. */
const LEAST_USE_DIVISOR = 10n;
/**
 * A certificate that ends before it is served would lock the cluster out of our admission: the KubeVirt object could be neither corrected nor deleted.
 * Upstream takes any lifetime (spec/certificates.md §6).
 */
const LEAST_DURATION = parseDuration('5s', 'default');

const ROOT = 'spec.certificateRotateStrategy.selfSigned';

/**
 * The lifetimes that a KubeVirt object asks for; the deprecated fields win. Throws an error that names the field when a value is not a duration, a lifetime
 * is below five seconds, or a renewal is negative.
 */
export function readCertificateSettings(spec: KubeVirtSpec): CertificateSettings {
  const selfSigned = spec.certificateRotateStrategy?.selfSigned ?? {};
  return {
    ca: readLifetime({
      duration: firstSet([
        ['caRotateInterval', selfSigned.caRotateInterval],
        ['ca.duration', selfSigned.ca?.duration],
      ]),
      renewBefore: firstSet([
        ['caOverlapInterval', selfSigned.caOverlapInterval],
        ['ca.renewBefore', selfSigned.ca?.renewBefore],
      ]),
      byDefault: DEFAULT_CA_DURATION,
    }),
    server: readLifetime({
      duration: firstSet([
        ['certRotateInterval', selfSigned.certRotateInterval],
        ['server.duration', selfSigned.server?.duration],
      ]),
      renewBefore: firstSet([['server.renewBefore', selfSigned.server?.renewBefore]]),
      byDefault: DEFAULT_SERVER_DURATION,
    }),
  };
}

interface Setting {
  field: string;
  text: string;
}

function firstSet(candidates: readonly (readonly [field: string, text: string | undefined])[]): Setting | undefined {
  for (const [field, text] of candidates) if (text !== undefined) return { field: `${ROOT}.${field}`, text };
  return undefined;
}

function readLifetime(settings: {
  duration: Setting | undefined;
  renewBefore: Setting | undefined;
  byDefault: Nanoseconds;
}): Lifetime {
  const duration = parseSetting(settings.duration) ?? settings.byDefault;
  const field = settings.duration?.field ?? ROOT;
  if (duration <= 0n) throw new Error(`${field}: a certificate needs a positive duration`);
  if (duration < LEAST_DURATION)
    throw new Error(`${field}: a certificate has to live for at least ${formatDuration(LEAST_DURATION)}`);
  const renewBefore = parseSetting(settings.renewBefore) ?? duration / RENEW_DIVISOR;
  if (renewBefore < 0n) throw new Error(`${settings.renewBefore?.field ?? ROOT}: must not be negative`);
  return { duration, renewBefore };
}

function parseSetting(setting: Setting | undefined): Nanoseconds | undefined {
  return setting === undefined ? undefined : parseDuration(setting.text, setting.field);
}

/** The value of the annotation `kubevirt.io/duration`, in upstream's form: the text of a Go struct around the duration's. */
export function formatDurationAnnotation(duration: Nanoseconds): string {
  return `&Duration{Duration:${formatDuration(duration)},}`;
}

/** How long before its end a certificate is renewed, bounded so that a new one is not due at once. */
export function boundRenewal({ duration, renewBefore }: Lifetime): Nanoseconds {
  const most = duration - duration / LEAST_USE_DIVISOR;
  return renewBefore < most ? renewBefore : most;
}

const CLOCK_DIFFERENCE = parseDuration('10m', 'default');
const SHARE_OF_LIFETIME = 100n;

/**
 * How far an authority, and with it all that it signs, is dated back, for verifiers whose clocks are behind ours. Upstream dates leaves back to the birth of
 * their authority but not the authority itself, so that in a new installation nothing is gained.
 */
export function decideClockAllowance(duration: Nanoseconds): Nanoseconds {
  const most = duration / SHARE_OF_LIFETIME;
  return CLOCK_DIFFERENCE < most ? CLOCK_DIFFERENCE : most;
}
