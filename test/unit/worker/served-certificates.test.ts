/** B39 with real TLS servers on loopback in the place of operands. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { after, before, test } from 'node:test';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import { createLog } from '../../../src/log.ts';
import { readServedCertificate } from '../../../src/observe/served-certificate.ts';
import { listServingEndpoints, SERVED_SECRETS, type ServingEndpoint } from '../../../src/plan/served-certificates.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { ServedCertificates } from '../../../src/worker/served-certificates.ts';
import { generateInput } from '../strategy/builders.ts';
import { SmallCluster } from './small-cluster.ts';

const SECRET = 'kubevirt-virt-api-certs';
const log = createLog({ role: 'test', verbosity: 0 });
log.level = 'silent';

type Pair = Awaited<ReturnType<typeof issueCertificate>>;
const issue = (commonName: string): Promise<Pair> =>
  issueCertificate({
    commonName,
    isCa: true,
    dnsNames: [],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });

let old: Pair;
let fresh: Pair;
let foreign: Pair;
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

before(async () => {
  [old, fresh, foreign] = await Promise.all([issue('virt-api'), issue('virt-api'), issue('a certificate of mine')]);
});
after(() => {
  for (const server of servers) server.close();
});

const RUNNING = { phase: 'Running', podIP: '10.0.0.1' };
const LABELS = { 'kubevirt.io': 'virt-api' };
function buildCluster(pods: readonly string[]): SmallCluster {
  const cluster = new SmallCluster();
  cluster.put('Deployment', 'virt-api', { spec: { selector: { matchLabels: LABELS } } });
  for (const [index, name] of pods.entries()) {
    cluster.put('Pod', name, {
      metadata: { labels: LABELS },
      status: { phase: 'Running', podIP: `10.0.0.${index + 1}` },
    });
  }
  return cluster;
}

/** A tenure over this cluster, whose pods listen on loopback ports. */
function lead(cluster: SmallCluster, ports: Record<string, number>, limitMs = 0) {
  const ending = new AbortController();
  let asked = 0;
  const read = (endpoint: ServingEndpoint, signal: AbortSignal) => {
    asked++;
    return readServedCertificate({ address: '127.0.0.1', port: ports[endpoint.pod] ?? 1 }, signal);
  };
  const times = { limitMs, againMs: 5 };
  const served = new ServedCertificates({ store: cluster, operatorNamespace: 'kubevirt', read, log, times });
  const news = { waiting: Promise.withResolvers<undefined>() };
  served.watch({
    signal: ending.signal,
    onChange: () => {
      news.waiting.resolve(undefined);
    },
  });
  return {
    served,
    end: () => {
      ending.abort(new Error('over'));
    },
    asked: () => asked,
    /** Resolves at the next news. */
    next: async () => {
      await news.waiting.promise;
      news.waiting = Promise.withResolvers();
    },
  };
}

test('B39: a pod that goes on serving the replaced certificate is found, and forgotten when it serves the new one', async () => {
  const server = createTlsServer({ cert: old.certificatePem, key: old.privateKeyPem });
  const stale = await listen(server);
  const good = await listen(createTlsServer({ cert: fresh.certificatePem, key: fresh.privateKeyPem }));
  const own = await listen(createTlsServer({ cert: foreign.certificatePem, key: foreign.privateKeyPem }));
  const cluster = buildCluster(['stale', 'good', 'own', 'silent']);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  const { served, next, end } = lead(cluster, { stale, good, own });
  assert.equal(served.outdated(), undefined, 'before anybody was asked nobody knows');
  assert.equal(served.counts().size, 0);
  await next();
  assert.deepEqual(served.outdated(), [{ secret: SECRET, namespace: 'kubevirt', pod: 'stale' }]);
  assert.deepEqual([...served.counts()], [[SECRET, 1]]);
  server.setSecureContext({ cert: fresh.certificatePem, key: fresh.privateKeyPem });
  await next();
  assert.deepEqual(served.outdated(), []);
  assert.deepEqual([...served.counts()], [[SECRET, 0]]);
  end();
});

test('B39: operands are asked once after each change of a certificate, and not at all by other events', async () => {
  const server = createTlsServer({ cert: old.certificatePem, key: old.privateKeyPem });
  const port = await listen(server);
  const cluster = buildCluster(['a']);
  cluster.setCertificate(SECRET, old.certificatePem);
  const { served, next, asked, end } = lead(cluster, { a: port });
  await next();
  assert.deepEqual(served.outdated(), []);
  assert.equal(asked(), 1);
  for (let i = 0; i < 20; i++) cluster.setCertificate(SECRET, old.certificatePem);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(asked(), 1);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  await next();
  assert.equal(served.outdated()?.length, 1);
  end();
  const before = asked();
  cluster.setCertificate(SECRET, old.certificatePem);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(asked(), before, 'after the tenure nobody is asked');
});

test('B39: only who served the old certificate or was silent is asked again, and an old one is not forgotten for a silence', async () => {
  const cluster = buildCluster(['stale', 'good', 'silent']);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  const certificates: Record<string, Pair | undefined> = { stale: old, good: fresh };
  const asked: Record<string, number> = { stale: 0, good: 0, silent: 0 };
  const waits: { pod: string; count: number; resolve: () => void }[] = [];
  const read = ({ pod }: ServingEndpoint) => {
    asked[pod] = (asked[pod] ?? 0) + 1;
    for (const each of waits.filter((wait) => wait.pod === pod && wait.count <= (asked[pod] ?? 0))) each.resolve();
    const pair = certificates[pod];
    return Promise.resolve(pair && new X509Certificate(pair.certificatePem));
  };
  const untilAsked = (pod: string, count: number) =>
    new Promise<void>((resolve) => {
      waits.push({ pod, count, resolve });
    });
  const ending = new AbortController();
  const times = { limitMs: 0, againMs: 1 };
  const served = new ServedCertificates({ store: cluster, operatorNamespace: 'kubevirt', read, log, times });
  served.watch({ signal: ending.signal, onChange: () => undefined });
  await untilAsked('stale', 2);
  certificates['stale'] = undefined;
  await untilAsked('stale', 20);
  assert.equal(asked['good'], 1);
  assert.equal(asked['silent'], 5);
  assert.deepEqual(
    served.outdated()?.map(({ pod }) => pod),
    ['stale'],
  );
  certificates['stale'] = fresh;
  const count = (asked['stale'] ?? 0) + 1;
  await untilAsked('stale', count);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(served.outdated(), []);
  ending.abort(new Error('over'));
});

test('B39: before the propagation limit nobody is asked', async () => {
  const cluster = buildCluster(['a']);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  const { asked, end } = lead(cluster, {}, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(asked(), 0);
  end();
});

test('a server that asks for a certificate of ours shows its own; one that speaks no TLS, or is not there, shows none', async () => {
  const { signal } = new AbortController();
  const demanding = createTlsServer({
    cert: old.certificatePem,
    key: old.privateKeyPem,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const [demands, speaksHttp] = await Promise.all([listen(demanding), listen(plain)]);
  const read = (port: number) => readServedCertificate({ address: '127.0.0.1', port }, signal);
  assert.equal((await read(demands))?.subject, 'CN=virt-api');
  assert.equal(await read(speaksHttp), undefined);
  assert.equal(await read(1), undefined);
  const gone = new AbortController();
  gone.abort(new Error('over'));
  assert.equal(await readServedCertificate({ address: '127.0.0.1', port: demands }, gone.signal), undefined);
});

test('every endpoint is a port that the generated workload opens, with the Secret among its volumes', () => {
  const { objects } = generateStrategy(generateInput({}));
  const world = {
    get: (kind: string, name: string) => objects.find((each) => each.kind === kind && each.metadata.name === name),
    list: () =>
      objects.flatMap(({ kind, metadata, spec }) => {
        const { labels } = (spec?.['template'] as KubernetesObject | undefined)?.metadata ?? {};
        const name = `${kind}/${metadata.name ?? ''}`;
        if (labels === undefined) return [];
        return [{ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name, labels }, status: RUNNING }];
      }),
  };
  for (const secret of SERVED_SECRETS) {
    const endpoints = listServingEndpoints(world, secret, 'kubevirt');
    assert.equal(endpoints.length, 1, secret);
    const { pod, port } = endpoints[0] ?? { pod: '', port: 0 };
    const workload = JSON.stringify(objects.find(({ kind, metadata }) => pod === `${kind}/${metadata.name ?? ''}`));
    assert.ok(workload.includes(`"secretName":"${secret}"`), secret);
    assert.ok(workload.includes(`"containerPort":${port},`), secret);
  }
});

test('endpoints are the running pods of the workload that serves a Secret', () => {
  const cluster = buildCluster(['a']);
  cluster.put('Pod', 'pending', { metadata: { labels: LABELS }, status: { phase: 'Pending' } });
  cluster.put('Pod', 'other', { metadata: { labels: { x: 'y' } }, status: { phase: 'Running', podIP: '10.1.1.1' } });
  cluster.put('Pod', 'leaving', {
    metadata: { labels: LABELS, deletionTimestamp: 'now' },
    status: { phase: 'Running', podIP: '10.1.1.2' },
  });
  const list = (secret: string) =>
    listServingEndpoints(cluster, secret, 'kubevirt').map(({ pod, port }) => [pod, port]);
  assert.deepEqual(list(SECRET), [['a', 8443]]);
  assert.deepEqual(list('kubevirt-controller-certs'), [], 'a workload that is not there');
  assert.deepEqual(list('kubevirt-ca'), [], 'a Secret that nobody serves');
});
