/** B39 with real TLS servers on loopback in the place of operands. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { after, before, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
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
const DAY_MS = 86_400_000;
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
function lead(cluster: SmallCluster, ports: Record<string, number>) {
  const ending = new AbortController();
  const read = (endpoint: ServingEndpoint, signal: AbortSignal) =>
    readServedCertificate({ address: '127.0.0.1', port: ports[endpoint.pod] ?? 1 }, signal);
  const times = { limitMs: 0, againMs: 5 };
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

/** A tenure by a clock of the test: the one pod serves a certificate without a network, and `pass` lets time go by. */
function leadByClock(context: TestContext, served: Pair, limitMs: number) {
  let now = 0;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(performance, 'now', () => now);
  const cluster = buildCluster(['a']);
  const ending = new AbortController();
  const asked: number[] = [];
  const read = () => {
    asked.push(now);
    return Promise.resolve(new X509Certificate(served.certificatePem));
  };
  const times = { limitMs, againMs: DAY_MS };
  const certificates = new ServedCertificates({ store: cluster, operatorNamespace: 'kubevirt', read, log, times });
  certificates.watch({ signal: ending.signal, onChange: () => undefined });
  return {
    cluster,
    served: certificates,
    /** When a pod was asked. */
    asked,
    end: () => {
      ending.abort(new Error('over'));
    },
    pass: async (milliseconds: number) => {
      now += milliseconds;
      context.mock.timers.tick(milliseconds);
      // A round that has begun ends.
      await turn();
    },
  };
}

test('B39: operands are asked once after each change of a certificate, and not at all by other events', async (context) => {
  const { cluster, served, asked, pass, end } = leadByClock(context, old, 0);
  cluster.setCertificate(SECRET, old.certificatePem);
  await pass(1);
  assert.deepEqual(served.outdated(), []);
  assert.deepEqual(asked, [1]);
  for (let i = 0; i < 20; i++) cluster.setCertificate(SECRET, old.certificatePem);
  await pass(2 * DAY_MS);
  assert.deepEqual(asked, [1]);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  await pass(1);
  assert.equal(served.outdated()?.length, 1);
  assert.equal(asked.length, 2);
  end();
  cluster.setCertificate(SECRET, old.certificatePem);
  await pass(2 * DAY_MS);
  assert.equal(asked.length, 2, 'after the tenure nobody is asked');
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
  await turn();
  assert.deepEqual(served.outdated(), []);
  ending.abort(new Error('over'));
});

test('B39: a round that ends after its tenure does not stop the look-out of the next one', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const cluster = buildCluster(['a']);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  const first = Promise.withResolvers<undefined>();
  let asked = 0;
  const read = () => {
    asked++;
    return asked === 1 ? first.promise : Promise.resolve(new X509Certificate(old.certificatePem));
  };
  const times = { limitMs: 0, againMs: DAY_MS };
  const served = new ServedCertificates({ store: cluster, operatorNamespace: 'kubevirt', read, log, times });
  const [ending, next] = [new AbortController(), new AbortController()];
  served.watch({ signal: ending.signal, onChange: () => undefined });
  context.mock.timers.tick(1);
  assert.equal(asked, 1);
  ending.abort(new Error('over'));
  served.watch({ signal: next.signal, onChange: () => undefined });
  first.resolve(undefined);
  await turn();
  context.mock.timers.tick(1);
  await turn();
  assert.equal(asked, 2);
  assert.equal(served.outdated()?.length, 1);
  next.abort(new Error('over'));
});

test('B39: before the propagation limit nobody is asked', async (context) => {
  const { cluster, asked, pass, end } = leadByClock(context, fresh, 120_000);
  cluster.setCertificate(SECRET, fresh.certificatePem);
  await pass(119_999);
  assert.deepEqual(asked, []);
  await pass(1);
  assert.deepEqual(asked, [120_000]);
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
