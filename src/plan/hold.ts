import { birthOf, isValidAt, type Certificate } from './certificate.ts';
import { addDuration, parseDuration, type Nanoseconds } from './duration.ts';

/** Long enough for kubelets to have brought a ConfigMap into every pod, and for the API server to have read it (spec/field-reports.md B38). */
const SPREAD = parseDuration('2m', 'default');
/** Share of the overlap that may pass so: what the old authority has signed must be replaced well before its trust ends. */
const SHARE_OF_OVERLAP = 3n;

/** What a leaf certificate is held against. */
export interface HoldInput {
  /** The certificate that is served. */
  leaf: Certificate;
  /** The authority in use. */
  signer: Certificate;
  /** What the verifiers of the leaf trust. */
  trusted: readonly Certificate[];
  /** How long a replaced authority stays trusted, counted from the birth of its successor. */
  overlap: Nanoseconds;
  now: Date;
}

/**
 * Until when a leaf is left as it is although it should be renewed; undefined when it need not wait. A new authority is trusted everywhere before anything
 * that it signed is served: whoever verifies reads its bundle some time after it was written, at his own pace. Upstream renews the leaves in the same
 * round (spec/certificates.md §3). Nothing waits that would not be trusted meanwhile.
 */
export function findHold({ leaf, signer, trusted, overlap, now }: HoldInput): Date | undefined {
  const until = addDuration(birthOf(signer), decideSpread(overlap));
  if (until <= now || !isValidAt(leaf, now) || isSigned(leaf, signer)) return undefined;
  const issuer = trusted.find((authority) => authority.fingerprint !== signer.fingerprint && isSigned(leaf, authority));
  if (issuer === undefined) return undefined;
  const trustEnds = [leaf.notAfter, issuer.notAfter, addDuration(birthOf(signer), overlap)];
  return trustEnds.every((end) => until < end) ? until : undefined;
}

function decideSpread(overlap: Nanoseconds): Nanoseconds {
  const most = overlap / SHARE_OF_OVERLAP;
  return SPREAD < most ? SPREAD : most;
}

function isSigned(leaf: Certificate, authority: Certificate): boolean {
  return leaf.x509.checkIssued(authority.x509) && leaf.x509.verify(authority.x509.publicKey);
}
