import { createPlacementCheck } from '../../functions/validate-update/placement.ts';
import { readClientPolicy } from '../../functions/client-certificates.ts';
import { createSchemaCheck } from '../../functions/kubevirt-schema.ts';
import type { ObserveReview } from '../../functions/review.ts';
import type { RunningServer } from '../../functions/server.ts';
import { createCheckNew, createValidateCreate } from '../../functions/validate-create/index.ts';
import { createValidateDelete } from '../../functions/validate-delete/index.ts';
import { createValidateUpdate } from '../../functions/validate-update/index.ts';
import type { ApiConnection } from '../api/connection.ts';
import type { KindName } from '../api/kinds.ts';
import type { ObjectStore } from '../api/store.ts';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { connectCluster } from './cluster.ts';
import type { FunctionSources } from './function-sources.ts';
import { createRoleMetrics, serveMetricsPage, type PageParts } from './metrics-page.ts';
import { connectRedis } from './redis.ts';
import { watchObjects, type WatchedObjects } from '../watch/single-object.ts';
import type { Watches } from '../watch/watches.ts';
import { startParts, type Closers, type RoleContext, type StartRole } from './role.ts';

/** The Secret whose key pair the servers serve (spec/certificates.md §1.2). */
export const SERVING_SECRET = 'kubevirt-operator-certs';
/** Where the cluster publishes who may call aggregated servers and webhooks (spec/startup.md §5.2). */
const AUTHENTICATION = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
/** Why a pod is not ready yet. */
const CACHES_MISSING = 'the API caches are not complete yet';
/**
 * A process that has been without the API server for so long can do none of its parts and says so (spec/field-reports.md B65). Longer than an API server takes
 * to restart: that must not cost admission its endpoints.
 */
const CUT_OFF_MS = 60_000;

/** What a process lacks of the API server, as a sentence: complete caches, and watches that go on. */
export function describeCaches(caches: { isSynced(): boolean; interruptedMs(): number }): string | undefined {
  if (!caches.isSynced()) return CACHES_MISSING;
  return caches.interruptedMs() > CUT_OFF_MS
    ? 'the API server has been out of reach for more than a minute'
    : undefined;
}

/** Starts admission, metrics and probes, and nothing else. */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const metrics = createRoleMetrics(context);
    const { connection, uid } = await connectCluster(context, closers, (record) => {
      metrics.observeCall(record);
    });
    const { config, log } = context;
    const sources = watchSources(context, connection, closers);
    // Admission never asks Redis: it is for the metrics of the other processes alone.
    const redis =
      config.redisUrl === undefined && config.redisSentinel === undefined
        ? {}
        : { redis: connectRedis({ config, log, clusterUid: uid, closers }) };
    await startFunctions({ context, connection, metrics, sources, closers, ...redis });
    metrics.setReady(true);
    return undefined;
  });

/** Watches just what the servers read, for a process that has no other watches. */
function watchSources(context: RoleContext, connection: ApiConnection, closers: Closers): FunctionSources {
  const listeners = new Set<() => void>();
  const watch = watcher(context, { connection, closers, listeners });
  const page = pageSources(context, watch, listeners);
  const authentication = watch({ kind: 'ConfigMap', ...AUTHENTICATION });
  return {
    ...page,
    authentication: () => authentication.current(),
    missing: () => describeCaches(authentication) ?? page.missing(),
  };
}

/** Watches what a page of metrics needs, for a process that keeps no whole objects. */
export function watchPageSources(
  context: RoleContext,
  connection: ApiConnection,
  closers: Closers,
): Omit<FunctionSources, 'authentication'> {
  const listeners = new Set<() => void>();
  return pageSources(context, watcher(context, { connection, closers, listeners }), listeners);
}

function pageSources(
  { config }: RoleContext,
  watch: ReturnType<typeof watcher>,
  listeners: Set<() => void>,
): Omit<FunctionSources, 'authentication'> {
  const secret = watch({ kind: 'Secret', name: SERVING_SECRET, namespace: config.operatorNamespace });
  const kubeVirts = watch({ kind: 'KubeVirt' });
  return {
    secret: () => secret.current(),
    kubeVirts: () => kubeVirts.list(),
    missing: () => describeCaches(secret) ?? describeCaches(kubeVirts),
    onChange: listen(listeners),
  };
}

/** The sources of role `all`, which watches everything but the authentication ConfigMap already. */
export function storeSources(
  context: RoleContext,
  store: ObjectStore,
  parts: { connection: ApiConnection; watches: Watches; closers: Closers },
): FunctionSources {
  const listeners = new Set<() => void>();
  const authentication = watcher(context, { ...parts, listeners })({ kind: 'ConfigMap', ...AUTHENTICATION });
  const { operatorNamespace } = context.config;
  parts.closers.add(
    'listener of the servers',
    store.onChange(() => {
      for (const listener of listeners) listener();
    }),
  );
  return {
    secret: () => store.get('Secret', SERVING_SECRET, operatorNamespace),
    kubeVirts: () => store.list('KubeVirt'),
    certificates: () => store.list('Secret'),
    authentication: () => authentication.current(),
    missing: () => describeCaches(parts.watches) ?? describeCaches(authentication),
    onChange: listen(listeners),
  };
}

function watcher(
  { log }: RoleContext,
  parts: { connection: ApiConnection; closers: Closers; listeners: ReadonlySet<() => void> },
): (what: { kind: KindName; name?: string; namespace?: string }) => WatchedObjects {
  const ending = new AbortController();
  parts.closers.add('watches of the servers', () => {
    ending.abort(new Error('the process ends'));
  });
  const onChange = () => {
    for (const listener of parts.listeners) listener();
  };
  return (what) => watchObjects({ connection: parts.connection, log, signal: ending.signal, onChange, ...what });
}

function listen(listeners: Set<() => void>): (listener: () => void) => () => void {
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

/** What the functions are built from. */
export interface FunctionParts extends Omit<PageParts, 'webhooks'> {
  connection: ApiConnection;
  sources: FunctionSources;
}

/** Builds the functions and serves them over TLS (spec/startup.md §5); they stop with the role. */
export async function startFunctions(parts: FunctionParts): Promise<RunningServer> {
  const { context, sources } = parts;
  const { config } = context;
  const clientPolicy = () => readClientPolicy(sources.authentication(), config.requireClientCertificates);
  const webhooks = { port: config.webhookPort, routers: buildAdmission(parts), clientPolicy };
  return serveMetricsPage({ ...parts, webhooks });
}

function buildAdmission({ context: { config, log, trace }, connection, metrics: { own } }: FunctionParts) {
  const observe: ObserveReview = (review, seconds) => {
    own.observeAdmission(review, seconds);
  };
  const findSchemaProblems = createSchemaCheck(buildKubeVirtCrd);
  const checkPlacement = createPlacementCheck({ api: connection, operatorNamespace: config.operatorNamespace });
  const check = config.checkNewObjects ? { check: createCheckNew(checkPlacement) } : {};
  return [
    createValidateCreate({ api: connection, log, findSchemaProblems, observe, trace, ...check }),
    createValidateUpdate({ log, findSchemaProblems, checkPlacement, observe, trace }),
    createValidateDelete({ api: connection, log, observe, trace }),
  ];
}
