import { setTimeout as delay } from 'node:timers/promises';
import { issueCertificate } from '../src/apply/issue-certificate.ts';
import { readReleaseEnvironment } from '../src/release-environment.ts';
import { asKubeVirt } from '../src/api/kubevirt.ts';
import { generateStrategy } from '../src/strategy/generate.ts';
import { decideTarget } from '../src/strategy/target.ts';
import { readExample } from '../sandbox/start/installation.ts';
import { isWrite, readRequests } from './audit-log.ts';
import { measureFloor, readCredentials } from './floor.ts';
import { quantile, type Figure } from './figure.ts';
import { openInstallation, until, type Installation } from './installation.ts';

/** Pairs of floor and operator; the median of their ratios counts. */
const RUNS = 3;
const IDLE_MS = 60_000;
/** No pass for this long means that the operator has come to rest. */
const REST_MS = 5_000;
const OPERATOR = 'virt-operator/';

async function renderObjects() {
  const environment = readReleaseEnvironment({
    VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0',
    KUBEVIRT_VERSION: 'v1.9.0',
  });
  const target = decideTarget(asKubeVirt(await readExample()), environment);
  const { runbookUrlTemplate } = environment;
  return generateStrategy({ target, operatorNamespace: 'kubevirt', monitorNamespace: '', runbookUrlTemplate }).objects;
}

/** Any valid pair does: nothing serves or checks it on the floor. */
async function buildKeyPair(): Promise<Record<string, string>> {
  const now = Date.now();
  const lifetime = { notBefore: new Date(now), notAfter: new Date(now + 86_400_000) };
  const pair = await issueCertificate({ commonName: 'floor', isCa: true, dnsNames: [], ...lifetime });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return { 'tls.crt': encode(pair.certificatePem), 'tls.key': encode(pair.privateKeyPem) };
}

async function measureFloorOnce(): Promise<number> {
  const installation = await openInstallation();
  try {
    const times = await measureFloor(
      await renderObjects(),
      readCredentials(installation.plane.kubeconfig),
      await buildKeyPair(),
    );
    return times.total;
  } finally {
    await installation.stop();
  }
}

interface Install {
  seconds: number;
  writes: number;
  megabytes: number;
  passesAfter: number;
  requestsByLastPass: number;
}

/** Reads what the operator did after Deployed, once it has come to rest. */
async function measureAftermath(installation: Installation, deployedAt: number) {
  const { passes, plane } = installation;
  await installation.untilRest(REST_MS);
  const after = (await passes.read()).filter(({ startedAt }) => startedAt > deployedAt);
  const [newest] = after;
  const requests = await readRequests(plane.auditLog, OPERATOR);
  const byLast = requests.filter(
    ({ at, verb }) =>
      newest !== undefined && verb !== 'watch' && at >= newest.startedAt && at <= newest.startedAt + newest.durationMs,
  );
  return { passesAfter: after.length, requestsByLastPass: byLast.length };
}

async function installOnce(installation: Installation): Promise<Install> {
  const { plane } = installation;
  const operator = await installation.startOperator('all');
  plane.setWebhookPorts([operator.webhookPort]);
  await until('the operator leads', () => operator.hasLogged('started leading'));
  const createdAt = await installation.createKubeVirt();
  await installation.untilDeployed();
  const deployedAt = Date.now();
  const megabytes = await operator.residentMegabytes();
  const aftermath = await measureAftermath(installation, deployedAt);
  const writes = (await readRequests(plane.auditLog, OPERATOR)).filter(isWrite).length;
  return { seconds: (deployedAt - createdAt) / 1000, writes, megabytes, ...aftermath };
}

async function measureIdleMinute({ plane }: Installation): Promise<{ requests: number; writes: number }> {
  const from = Date.now();
  await delay(IDLE_MS);
  const requests = (await readRequests(plane.auditLog, OPERATOR)).filter(({ at }) => at >= from);
  return { requests: requests.length, writes: requests.filter(isWrite).length };
}

/** First install against the floor, in pairs; then an idle minute of the last installation. */
export async function measureInstall(): Promise<Figure[]> {
  const pairs: { floor: number; install: Install }[] = [];
  let idle = { requests: Number.NaN, writes: Number.NaN };
  for (let run = 0; run < RUNS; run++) {
    const floor = await measureFloorOnce();
    const installation = await openInstallation();
    try {
      pairs.push({ floor, install: await installOnce(installation) });
      if (run === RUNS - 1) idle = await measureIdleMinute(installation);
    } finally {
      await installation.stop();
    }
  }
  const median = (read: (pair: (typeof pairs)[number]) => number) => quantile(pairs.map(read), 0.5);
  const most = (read: (install: Install) => number) => Math.max(...pairs.map(({ install }) => read(install)));
  return [
    { name: 'floor: the same objects by a bare client (median)', value: median(({ floor }) => floor), unit: 's' },
    { name: 'CR applied → Deployed, all ready (median)', value: median(({ install }) => install.seconds), unit: 's' },
    {
      name: 'the same, × the floor of its pair (median)',
      value: median(({ floor, install }) => install.seconds / floor),
      unit: '×',
      must: 1.4,
    },
    { name: 'writes for a first install (most)', value: most(({ writes }) => writes), unit: '', must: 262 },
    { name: 'passes after Deployed (most)', value: most(({ passesAfter }) => passesAfter), unit: '', must: 2 },
    {
      name: 'requests by the last of them (most)',
      value: most(({ requestsByLastPass }) => requestsByLastPass),
      unit: '',
      must: 0,
    },
    { name: 'requests in an idle minute', value: idle.requests, unit: '', must: 6 },
    { name: 'writes among them', value: idle.writes, unit: '', must: 0 },
    {
      name: 'resident memory, role all, at Deployed (most)',
      value: most(({ megabytes }) => megabytes),
      unit: 'MB',
      must: 230,
    },
  ];
}
