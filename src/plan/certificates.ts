import { DURATION_ANNOTATION } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { holdsAll, mergeBundle, type Bundle } from './ca-bundle.ts';
import { readBundle, readKeyPair, type KeyPair } from './certificate.ts';
import {
  AUTHORITIES,
  BUNDLE_KEY,
  EXTERNAL_AUTHORITIES,
  findAuthority,
  findLeaf,
  SIGNING_AUTHORITY,
  type Authority,
} from './certificate-list.ts';
import {
  boundRenewal,
  decideClockAllowance,
  formatDurationAnnotation,
  readCertificateSettings,
  type CertificateSettings,
  type Lifetime,
} from './certificate-settings.ts';
import { addDuration } from './duration.ts';
import { findHold } from './hold.ts';
import { buildPatch, setOperation } from './json-patch.ts';
import { isMetadataCurrent } from './metadata.ts';
import { decideDeadline, findRenewalReason, type RenewalRule } from './renewal.ts';
import type { Action, CertificateRequest, PassContext, StepPlan, WakeUp } from './types.ts';
import { wantedObjects } from './wanted.ts';

/** The Secrets of all authorities, made or renewed where needed, and the empty input box for foreign authorities (spec/certificates.md §1.1, §5). */
export function planAuthorities(context: PassContext): StepPlan {
  const settings = readCertificateSettings(context.kubeVirt.spec);
  const actions = secretsOf(context).flatMap((secret) => {
    const authority = findAuthority(nameOf(secret));
    return authority === undefined ? [] : planAuthority(secret, { authority, settings, context });
  });
  return { actions: [...actions, ...planExternalBox(context)] };
}

function planAuthority(
  secret: KubernetesObject,
  { authority, settings, context }: { authority: Authority; settings: CertificateSettings; context: PassContext },
): Action[] {
  const lifetime = lifetimeOf(authority, settings);
  return planSecret(secret, {
    rule: { lifetime },
    context,
    request: () => requestAuthority(authority, lifetime, context),
  });
}

/** Authorities live as long as the CA lifetime says; some are renewed as early as leaf certificates are (spec/certificates.md §1.1). */
function lifetimeOf({ renewal }: Authority, { ca, server }: CertificateSettings): Lifetime {
  return { duration: ca.duration, renewBefore: renewal === 'ca' ? ca.renewBefore : server.renewBefore };
}

function requestAuthority(
  { commonNamePrefix }: Authority,
  { duration }: Lifetime,
  { now }: PassContext,
): CertificateRequest {
  return {
    commonName: `${commonNamePrefix}@${String(Math.floor(now.getTime() / 1000))}`,
    isCa: true,
    dnsNames: [],
    notBefore: addDuration(now, -decideClockAllowance(duration)),
    notAfter: addDuration(now, duration),
  };
}

/** Leaf certificates that do not exist yet: they have to be served before a webhook configuration or an APIService points to their owner. */
export function planMissingLeaves(context: PassContext): StepPlan {
  return planLeaves(context, (secret) => findLive(secret, context) === undefined);
}

/** All leaf certificates. Renewals come after whoever verifies them has got the bundle of the authority that signs them (src/plan/hold.ts). */
export function planAllLeaves(context: PassContext): StepPlan {
  return planLeaves(context, () => true);
}

function planLeaves(context: PassContext, isConcerned: (secret: KubernetesObject) => boolean): StepPlan {
  const secrets = secretsOf(context).filter(
    (secret) => findAuthority(nameOf(secret)) === undefined && isConcerned(secret),
  );
  if (secrets.length === 0) return { actions: [] };
  const signer = readSigner(context);
  if (signer === undefined) return { actions: [], stop: `Secret ${SIGNING_AUTHORITY.name} to hold an authority` };
  const settings = readCertificateSettings(context.kubeVirt.spec);
  return { actions: secrets.flatMap((secret) => planLeaf(secret, { signer, settings, context })) };
}

function planLeaf(
  secret: KubernetesObject,
  { signer, settings, context }: { signer: KeyPair; settings: CertificateSettings; context: PassContext },
): Action[] {
  const rule = buildLeafRule(signer, settings);
  return planSecret(secret, {
    rule,
    context,
    request: () => ({
      ...findLeaf(nameOf(secret), secret.metadata.namespace ?? context.operatorNamespace),
      isCa: false,
      // Clocks of nodes may be behind; upstream dates leaves back to the birth of their authority (spec/certificates.md §1.4).
      notBefore: signer.certificate.notBefore,
      notAfter: addDuration(context.now, settings.server.duration),
      signer: { certificatePem: signer.certificate.pem, privateKeyPem: signer.privateKeyPem },
    }),
  });
}

function buildLeafRule(signer: KeyPair, settings: CertificateSettings): RenewalRule {
  return {
    lifetime: settings.server,
    signer: {
      certificate: signer.certificate,
      renewBefore: boundRenewal(settings.ca),
      overlap: lifetimeOf(SIGNING_AUTHORITY, settings).renewBefore,
    },
  };
}

function planSecret(
  secret: KubernetesObject,
  { rule, context, request }: { rule: RenewalRule; context: PassContext; request: () => CertificateRequest },
): Action[] {
  const duration = formatDurationAnnotation(rule.lifetime.duration);
  const wanted = withDuration(secret, duration);
  const live = findLive(secret, context);
  if (live === undefined) return [{ verb: 'create', kind: 'Secret', object: wanted, certificate: request() }];
  if (live.metadata.deletionTimestamp !== undefined) return [];
  const patch = ({ metadata }: KubernetesObject) =>
    buildPatch('Secret', { wanted: metadata, live, precondition: 'resourceVersion' }, []);
  const isHeld = findLeafHold(live, rule, context) !== undefined;
  const isDue = findRenewalReason(live, rule, context.now) !== undefined;
  if (isDue && !isHeld) return [{ ...patch(wanted), certificate: request() }];
  // The annotation goes with the certificate that it was made with.
  const kept = isHeld ? withDuration(secret, live.metadata.annotations?.[DURATION_ANNOTATION] ?? duration) : wanted;
  return isMetadataCurrent(kept.metadata, live.metadata) ? [] : [patch(kept)];
}

function withDuration(secret: KubernetesObject, duration: string): KubernetesObject {
  const annotations = { ...secret.metadata.annotations, [DURATION_ANNOTATION]: duration };
  return { ...secret, metadata: { ...secret.metadata, annotations } };
}

/** Until when the certificate of a leaf stays, because its new authority has to spread first; nothing for authorities. */
function findLeafHold(live: KubernetesObject, { signer }: RenewalRule, context: PassContext): Date | undefined {
  const leaf = readKeyPair(live)?.certificate;
  if (signer === undefined || leaf === undefined) return undefined;
  return findHold({
    leaf,
    signer: signer.certificate,
    trusted: readBundle(readTrustBundle(context)),
    overlap: signer.overlap,
    now: context.now,
  });
}

/** The ConfigMaps that distribute the authorities (spec/certificates.md §4). */
export function planBundles(context: PassContext): StepPlan {
  const settings = readCertificateSettings(context.kubeVirt.spec);
  const actions: Action[] = [];
  for (const authority of AUTHORITIES) {
    const configMap = configMapOf(authority.name, context);
    if (configMap === undefined) continue;
    const bundle = decideBundle(authority, settings, context);
    if (bundle === undefined) return { actions, stop: `Secret ${authority.name} to hold an authority` };
    actions.push(...planBundle(configMap, bundle, context));
  }
  return { actions };
}

function decideBundle(authority: Authority, settings: CertificateSettings, context: PassContext): Bundle | undefined {
  const secret = context.world.get('Secret', authority.name, context.operatorNamespace);
  const current = secret === undefined ? undefined : readKeyPair(secret)?.certificate;
  if (current === undefined) return undefined;
  return mergeBundle({
    stored: readKnownBundle(authority, context),
    current,
    foreign: authority === SIGNING_AUTHORITY ? readBundle(readStoredBundle(EXTERNAL_AUTHORITIES, context)) : [],
    overlap: lifetimeOf(authority, settings).renewBefore,
    now: context.now,
  });
}

function planBundle(wanted: KubernetesObject, { text }: Bundle, context: PassContext): Action[] {
  const data = { [BUNDLE_KEY]: text };
  const live = context.world.get('ConfigMap', nameOf(wanted), wanted.metadata.namespace);
  if (live === undefined) return [{ verb: 'create', kind: 'ConfigMap', object: { ...wanted, data } }];
  if (live.metadata.deletionTimestamp !== undefined) return [];
  const isStored = live.data?.[BUNDLE_KEY] === text;
  if (isStored && isMetadataCurrent(wanted.metadata, live.metadata)) return [];
  return [
    buildPatch(
      'ConfigMap',
      { wanted: wanted.metadata, live, precondition: 'resourceVersion' },
      isStored ? [] : [setOperation('/data', data)],
    ),
  ];
}

function planExternalBox(context: PassContext): Action[] {
  const wanted = configMapOf(EXTERNAL_AUTHORITIES, context);
  if (wanted === undefined) return [];
  const live = context.world.get('ConfigMap', EXTERNAL_AUTHORITIES, wanted.metadata.namespace);
  const object = { ...wanted, data: { [BUNDLE_KEY]: '' } };
  return live === undefined ? [{ verb: 'create', kind: 'ConfigMap', object }] : [];
}

/**
 * Empties the input box after its content was merged, and keeps its metadata current. Upstream does so on every pass and without a precondition, which
 * loses what somebody writes in between (spec/certificates.md §7). What came into the box after the bundle was written stays for the pass that it brings.
 */
export function planExternalReset(context: PassContext): StepPlan {
  const wanted = configMapOf(EXTERNAL_AUTHORITIES, context);
  const live = context.world.get('ConfigMap', EXTERNAL_AUTHORITIES, wanted?.metadata.namespace);
  if (wanted === undefined || live === undefined || live.metadata.deletionTimestamp !== undefined) {
    return { actions: [] };
  }
  const box = live.data?.[BUNDLE_KEY] ?? '';
  const isMerged = holdsAll(readTrustBundle(context), readBundle(box), context.now);
  return { actions: planBundle(wanted, { text: isMerged ? '' : box }, context) };
}

/** The bundle that webhooks, APIServices and the Route get: the text of ConfigMap `kubevirt-ca`. */
export function readTrustBundle(context: PassContext): string | undefined {
  const text = readStoredBundle(SIGNING_AUTHORITY.name, context);
  return text === undefined || text === '' ? undefined : text;
}

/** What is due and was not done, because its Secret is being deleted or the pass did not come so far, is looked at again after a while. */
const OVERDUE_MS = 30_000;

/** When certificates or bundles have to be looked at next; undefined when there are none (spec/certificates.md §3, §4). Always after this pass began. */
export function decideCertificateWakeUp(context: PassContext): WakeUp | undefined {
  const settings = readCertificateSettings(context.kubeVirt.spec);
  const [earliest] = [...secretWakeUps(settings, context), ...bundleWakeUps(settings, context)].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  if (earliest === undefined || earliest.at > context.now) return earliest;
  return { ...earliest, at: new Date(context.now.getTime() + OVERDUE_MS) };
}

function secretWakeUps(settings: CertificateSettings, context: PassContext): WakeUp[] {
  return deadlinesOf(settings, context).map(({ secret, renewsAt }) => ({
    at: renewsAt,
    reason: `renewal of the certificate in Secret ${secret}`,
  }));
}

/** When the certificate in a Secret is renewed. */
export interface CertificateDeadline {
  /** Name of the Secret. */
  secret: string;
  renewsAt: Date;
}

/** The deadlines of all certificates of the strategy that exist. */
export function readCertificateDeadlines(context: PassContext): CertificateDeadline[] {
  return deadlinesOf(readCertificateSettings(context.kubeVirt.spec), context);
}

function deadlinesOf(settings: CertificateSettings, context: PassContext): CertificateDeadline[] {
  const signer = readSigner(context);
  return secretsOf(context).flatMap((secret) => {
    const live = findLive(secret, context);
    const certificate = live === undefined ? undefined : readKeyPair(live)?.certificate;
    if (certificate === undefined) return [];
    const authority = findAuthority(nameOf(secret));
    const rule =
      authority === undefined
        ? signer && buildLeafRule(signer, settings)
        : { lifetime: lifetimeOf(authority, settings) };
    if (live === undefined || rule === undefined) return [];
    const renewsAt = findLeafHold(live, rule, context) ?? decideDeadline(certificate, rule);
    return [{ secret: nameOf(secret), renewsAt }];
  });
}

function bundleWakeUps(settings: CertificateSettings, context: PassContext): WakeUp[] {
  return AUTHORITIES.flatMap((authority) => {
    const changesAt = decideBundle(authority, settings, context)?.changesAt;
    return changesAt === undefined
      ? []
      : [{ at: changesAt, reason: `end of a trusted authority in ${authority.name}` }];
  });
}

function readSigner(context: PassContext): KeyPair | undefined {
  const secret = context.world.get('Secret', SIGNING_AUTHORITY.name, context.operatorNamespace);
  return secret === undefined ? undefined : readKeyPair(secret);
}

function readStoredBundle(name: string, context: PassContext): string | undefined {
  return context.world.get('ConfigMap', name, context.operatorNamespace)?.data?.[BUNDLE_KEY];
}

/**
 * What the bundle held last. Where somebody has deleted or spoilt its ConfigMap, webhook configurations still have it: what is served by certificates of
 * a replaced authority stays trusted (spec/field-reports.md B38). Upstream starts anew with the present authority alone (spec/certificates.md §4).
 */
function readKnownBundle(authority: Authority, context: PassContext): string | undefined {
  const stored = readStoredBundle(authority.name, context);
  if (authority !== SIGNING_AUTHORITY || readBundle(stored).length > 0) return stored;
  return readSpreadBundle(context) ?? stored;
}

function readSpreadBundle({ strategy, world }: PassContext): string | undefined {
  return strategy
    .ofKind('ValidatingWebhookConfiguration')
    .flatMap(({ metadata }) => {
      const live = world.get('ValidatingWebhookConfiguration', metadata.name ?? '');
      return (live?.webhooks ?? []) as JsonObject[];
    })
    .map((webhook) => Buffer.from(caBundleOf(webhook), 'base64').toString('utf8'))
    .find((text) => readBundle(text).length > 0);
}

function caBundleOf({ clientConfig }: JsonObject): string {
  const { caBundle = '' } = (clientConfig ?? {}) as { caBundle?: string };
  return caBundle;
}

function secretsOf(context: PassContext): KubernetesObject[] {
  return wantedObjects('Secret', context);
}

function configMapOf(name: string, context: PassContext): KubernetesObject | undefined {
  return wantedObjects('ConfigMap', context).find((configMap) => nameOf(configMap) === name);
}

function findLive(secret: KubernetesObject, { world }: PassContext): KubernetesObject | undefined {
  return world.get('Secret', nameOf(secret), secret.metadata.namespace);
}

function nameOf(object: KubernetesObject): string {
  return object.metadata.name ?? '';
}
