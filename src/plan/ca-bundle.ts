import { birthOf, isValidAt, readBundle, type Certificate } from './certificate.ts';
import { addDuration, type Nanoseconds } from './duration.ts';

/** Certificates that a bundle holds at most. */
const MOST_CERTIFICATES = 50;

/** What a bundle is made from. */
export interface BundleInput {
  /** The text that is stored now; undefined when there is no bundle yet. */
  stored: string | undefined;
  /** The authority in use. */
  current: Certificate;
  /** Authorities of others that are to be trusted as well. */
  foreign: readonly Certificate[];
  /** How long a replaced authority stays trusted. */
  overlap: Nanoseconds;
  now: Date;
}

/** The content that a bundle is to have. */
export interface Bundle {
  /** The stored text itself when it has this content already. */
  text: string;
  /** When a certificate has to leave the bundle; undefined when none has to. */
  changesAt?: Date;
}

/**
 * The bundle of an authority: the current one first, then those that were there before it for as long as the overlap lasts, counted from its birth, then
 * foreign ones (spec/certificates.md §4).
 */
export function mergeBundle(input: BundleInput): Bundle {
  const { stored, current, foreign, now } = input;
  const present = readBundle(stored);
  const { kept, changesAt } = decideKept(present, input);
  // A bundle that does not exist yet starts with the foreign ones, as upstream's does.
  const own = [current, ...kept];
  const wanted = withoutDoubles(
    stored === undefined ? [...usable(foreign, now), ...own] : [...own, ...usable(foreign, now)],
  );
  const isStored = stored !== undefined && isSameList(present, wanted);
  return {
    text: isStored ? stored : wanted.map(({ pem }) => pem).join(''),
    ...(changesAt === undefined ? {} : { changesAt }),
  };
}

/**
 * What is in the bundle beside the current authority. Upstream lets each certificate go when the next younger one is older than the overlap; a foreign one
 * that is younger than our last authority would then take that one's place as its successor, and end its trust at once.
 */
function decideKept(
  present: readonly Certificate[],
  { current, overlap, now }: BundleInput,
): { kept: Certificate[]; changesAt?: Date } {
  const end = addDuration(birthOf(current), overlap);
  if (end <= now) return { kept: [] };
  const kept = present
    .filter(({ notAfter, fingerprint }) => notAfter >= now && fingerprint !== current.fingerprint)
    .sort((a, b) => b.notBefore.getTime() - a.notBefore.getTime())
    .slice(0, MOST_CERTIFICATES);
  const times = kept.map(({ notAfter }) => Math.min(end.getTime(), notAfter.getTime()));
  return times.length === 0 ? { kept } : { kept, changesAt: new Date(Math.min(...times)) };
}

/** Whether a stored bundle holds every one of these that is valid. */
export function holdsAll(stored: string | undefined, foreign: readonly Certificate[], now: Date): boolean {
  const present = new Set(readBundle(stored).map(({ fingerprint }) => fingerprint));
  return usable(foreign, now).every(({ fingerprint }) => present.has(fingerprint));
}

function usable(foreign: readonly Certificate[], now: Date): Certificate[] {
  return foreign.filter((certificate) => isValidAt(certificate, now));
}

function withoutDoubles(certificates: readonly Certificate[]): Certificate[] {
  return [...new Map(certificates.map((certificate) => [certificate.fingerprint, certificate])).values()];
}

function isSameList(a: readonly Certificate[], b: readonly Certificate[]): boolean {
  return a.length === b.length && a.every(({ fingerprint }, index) => fingerprint === b[index]?.fingerprint);
}
