import type { KubernetesObject } from '../../api/objects.ts';
import { readBundle, readKeyPair, type KeyPair } from '../../plan/certificate.ts';
import { AUTHORITIES, BUNDLE_KEY, findAuthority, SIGNING_AUTHORITY } from '../../plan/certificate-list.ts';
import { readCertificateDeadlines } from '../../plan/certificates.ts';
import type { PassContext, World } from '../../plan/types.ts';
import { wantedObjects } from '../../plan/wanted.ts';

/** One certificate. Times are milliseconds since the epoch. */
export interface CertificateLine {
  /** Name of the Secret that holds it. */
  secret: string;
  namespace: string;
  isAuthority: boolean;
  /** Common names; empty for one that cannot be read. */
  subject: string;
  issuer: string;
  notBefore: number | null;
  notAfter: number | null;
  /** When the operator renews it. */
  renewsAt: number | null;
  /** What is wrong with it; empty when nothing is. */
  problem: string;
}

/** The authorities that a ConfigMap makes known. */
interface BundleLine {
  configMap: string;
  namespace: string;
  certificates: number;
  /** The authority in use is among them. */
  isCurrent: boolean;
}

/** All certificates of an installation, as programs read it. */
export interface CertificateReport {
  certificates: CertificateLine[];
  bundles: BundleLine[];
  /** Webhook configurations and APIServices that trust something else than the bundle says. */
  distrusting: string[];
  good: boolean;
}

/** How late a renewal may be before it is a problem: a pass needs its time. */
const GRACE_MS = 60_000;

/** Looks over the certificates that the operator looks after (spec/certificates.md). Pure. */
export function buildCertificateReport(context: PassContext): CertificateReport {
  const renewals = new Map(
    readCertificateDeadlines(context).map(({ secret, renewsAt }) => [secret, renewsAt.getTime()]),
  );
  const certificates = wantedObjects('Secret', context).map((secret) => describeSecret(secret, renewals, context));
  const bundles = AUTHORITIES.map(({ name }) => describeBundle(name, context));
  const distrusting = findDistrusting(context);
  const good =
    distrusting.length === 0 &&
    certificates.every(({ problem }) => problem === '') &&
    bundles.every(({ isCurrent }) => isCurrent);
  return { certificates, bundles, distrusting, good };
}

function describeSecret(
  wanted: KubernetesObject,
  renewals: ReadonlyMap<string, number>,
  context: PassContext,
): CertificateLine {
  const { name = '', namespace = '' } = wanted.metadata;
  const line = { secret: name, namespace, isAuthority: findAuthority(name) !== undefined };
  const live = context.world.get('Secret', name, namespace);
  const pair = live === undefined ? undefined : readKeyPair(live);
  if (pair === undefined) {
    const problem = live === undefined ? 'the Secret is missing' : 'the Secret holds no usable certificate';
    return { ...line, subject: '', issuer: '', notBefore: null, notAfter: null, renewsAt: null, problem };
  }
  const { x509, notBefore, notAfter } = pair.certificate;
  const renewsAt = renewals.get(name) ?? null;
  return {
    ...line,
    subject: commonName(x509.subject),
    issuer: commonName(x509.issuer),
    notBefore: notBefore.getTime(),
    notAfter: notAfter.getTime(),
    renewsAt,
    problem: findProblem(pair, { ...line, renewsAt }, context),
  };
}

function findProblem(
  { certificate }: KeyPair,
  { isAuthority, renewsAt }: { isAuthority: boolean; renewsAt: number | null },
  context: PassContext,
): string {
  const now = context.now.getTime();
  if (certificate.notAfter.getTime() <= now) return 'it has expired';
  if (certificate.notBefore.getTime() > now) return 'it is not valid yet: clocks differ';
  const signer = readPair(SIGNING_AUTHORITY.name, context);
  if (!isAuthority && signer !== undefined && !certificate.x509.verify(signer.certificate.x509.publicKey)) {
    return `it is not signed by the authority in ${SIGNING_AUTHORITY.name}`;
  }
  return renewsAt !== null && renewsAt < now - GRACE_MS ? 'its renewal is overdue: does the operator run?' : '';
}

function readPair(name: string, { world, operatorNamespace }: PassContext): KeyPair | undefined {
  const secret = world.get('Secret', name, operatorNamespace);
  return secret === undefined ? undefined : readKeyPair(secret);
}

/** `CN=…` of a name as Node prints it, a line each. */
function commonName(name: string): string {
  return /^CN=(.*)$/m.exec(name)?.[1] ?? name.replaceAll('\n', ', ');
}

function describeBundle(name: string, context: PassContext): BundleLine {
  const { world, operatorNamespace } = context;
  const known = readBundle(world.get('ConfigMap', name, operatorNamespace)?.data?.[BUNDLE_KEY]);
  const current = readPair(name, context)?.certificate.fingerprint;
  return {
    configMap: name,
    namespace: operatorNamespace,
    certificates: known.length,
    isCurrent: current !== undefined && known.some(({ fingerprint }) => fingerprint === current),
  };
}

const TRUSTING = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'APIService'] as const;

function findDistrusting({ world, operatorNamespace }: PassContext): string[] {
  const text = world.get('ConfigMap', SIGNING_AUTHORITY.name, operatorNamespace)?.data?.[BUNDLE_KEY] ?? '';
  const bundle = Buffer.from(text).toString('base64');
  return TRUSTING.flatMap((kind) =>
    listTrusting(kind, world)
      .filter((object) => bundlesOf(object).some((each) => each !== bundle))
      .map(({ metadata }) => `${kind} ${metadata.name ?? ''}`),
  );
}

function listTrusting(kind: (typeof TRUSTING)[number], world: World): readonly KubernetesObject[] {
  return world.list(kind).filter((object) => bundlesOf(object).length > 0);
}

function bundlesOf(object: KubernetesObject): string[] {
  const webhooks = (object['webhooks'] ?? []) as { clientConfig?: { caBundle?: string } }[];
  const own = object.spec?.['caBundle'];
  return [...webhooks.map(({ clientConfig }) => clientConfig?.caBundle), own].filter(
    (bundle) => typeof bundle === 'string' && bundle !== '',
  ) as string[];
}
