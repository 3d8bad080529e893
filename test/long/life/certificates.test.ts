import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import type { JsonObject } from '../../../src/api/objects.ts';
import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import { createKubeVirt, NAMESPACE, whenDeployed } from '../../integration/install/harness.ts';
import { eventually } from '../../integration/fixtures/eventually.ts';
import { AUTHORITY, fingerprintsIn, readCertificate } from '../../integration/life/certificates.ts';
import {
  describeWrite,
  editKubeVirt,
  markAudit,
  probeAdmission,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from '../../integration/life/harness.ts';

const LEAVES = ['kubevirt-virt-api-certs', 'kubevirt-operator-certs', 'kubevirt-virt-handler-server-certs'];
const ALL = [AUTHORITY, 'kubevirt-export-ca', 'kubevirt-backup-ca', ...LEAVES];
/** Seconds where days and hours stand by default; a leaf is renewed after 12 s, the authority after 25 s. */
const SHORT = {
  ca: { duration: '40s', renewBefore: '15s' },
  server: { duration: '20s', renewBefore: '8s' },
};

let site: LifeSite;

before(async () => {
  site = await startLifeSite();
  await startLeader(site);
  await createKubeVirt(site);
  await whenDeployed(site);
  await whenQuiet(site);
});

async function readSerials(): Promise<Record<string, string>> {
  const serials = await Promise.all(
    ALL.map(async (name) => [name, (await readCertificate(site, name)).serialNumber] as const),
  );
  return Object.fromEntries(serials);
}

async function readBundle(name = AUTHORITY): Promise<string[]> {
  const { data } = await site.plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}`);
  return fingerprintsIn((data as Record<string, string>)['ca-bundle'] ?? '');
}

/** What everything that calls our components trusts: by object, as `kind name`. */
async function readTrusted(): Promise<Record<string, string[]>> {
  const { api } = site.plane;
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const [validators, mutator, service] = await Promise.all([
    api.expect('GET', `${admission}/validatingwebhookconfigurations/virt-operator-validator`),
    api.expect('GET', `${admission}/mutatingwebhookconfigurations/virt-api-mutator`),
    api.expect('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1.subresources.kubevirt.io'),
  ]);
  const bundleOf = (client: unknown) =>
    fingerprintsIn(Buffer.from((client as Client).caBundle ?? '', 'base64').toString());
  const [first, second] = [validators, mutator].map((each) => (each['webhooks'] as { clientConfig: Client }[])[0]);
  return {
    'virt-operator-validator': bundleOf(first?.clientConfig),
    'virt-api-mutator': bundleOf(second?.clientConfig),
    'v1.subresources.kubevirt.io': bundleOf(service['spec']),
  };
}

interface Client {
  caBundle?: string;
}

/** Calls the webhooks of the operator and of virt-api again and again until stopped; returns what was not answered as it should be. */
function probeWebhooks(context: TestContext): () => Promise<string[]> {
  const ending = new AbortController();
  context.after(() => {
    ending.abort();
  });
  const trouble: string[] = [];
  const probing = (async () => {
    while (!ending.signal.aborted) {
      trouble.push(...(await probeAdmission(site)));
      await pause(100);
    }
  })();
  // A test that has failed does not ask for the answers any more.
  probing.catch(() => undefined);
  return async () => {
    ending.abort();
    await probing;
    return trouble;
  };
}

const setDurations = (selfSigned: JsonObject | null) =>
  editKubeVirt(site, { spec: { certificateRotateStrategy: { selfSigned } } });

test('a change of the configuration that does not concern certificates issues none anew', async () => {
  const before = await readSerials();
  const mark = await markAudit(site);
  await editKubeVirt(site, { spec: { configuration: { developerConfiguration: { cpuAllocationRatio: 3 } } } });
  await whenDeployed(site);
  await whenQuiet(site);
  assert.deepEqual(await readSerials(), before);
  const writes = (await writesSince(site, mark)).map(describeWrite);
  assert.deepEqual(
    writes.filter((write) => / (secrets|configmaps) /.test(write)),
    [],
  );
});

test('an authority of somebody else is trusted beside ours, and its box is emptied', async () => {
  const { certificatePem } = await issueCertificate({
    commonName: 'elsewhere',
    isCa: true,
    dnsNames: [],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const box = `/api/v1/namespaces/${NAMESPACE}/configmaps/kubevirt-external-ca`;
  await site.plane.api.expect('PATCH', box, { data: { 'ca-bundle': certificatePem } }, 'application/merge-patch+json');
  const own = (await readCertificate(site, AUTHORITY)).fingerprint256;
  const [foreign = ''] = fingerprintsIn(certificatePem);
  await eventually(
    () => readTrusted(),
    (trusted) => Object.values(trusted).every((bundle) => bundle.length === 2),
  );
  assert.deepEqual(await readBundle(), [own, foreign]);
  const { data } = await eventually(
    () => site.plane.api.expect('GET', box),
    (configMap) => (configMap['data'] as Record<string, string>)['ca-bundle'] === '',
  );
  assert.deepEqual(data, { 'ca-bundle': '' });
});

test('B38: other durations issue everything anew, and nobody who calls meets an unknown authority', async (context) => {
  const before = await readSerials();
  const old = (await readCertificate(site, AUTHORITY)).fingerprint256;
  const stop = probeWebhooks(context);
  await setDurations(SHORT);
  await eventually(
    () => readSerials(),
    (serials) => ALL.every((name) => serials[name] !== before[name]),
  );
  const authority = await readCertificate(site, AUTHORITY);
  for (const name of LEAVES) {
    const leaf = await readCertificate(site, name);
    assert.ok(leaf.verify(authority.publicKey), name);
    const lifetime = leaf.validToDate.getTime() - Date.now();
    assert.ok(lifetime > 0 && lifetime <= 20_000, `${name}: ${lifetime} ms`);
  }
  for (const [name, bundle] of Object.entries({ ...(await readTrusted()), [AUTHORITY]: await readBundle() })) {
    assert.equal(bundle[0], authority.fingerprint256, name);
    assert.ok(bundle.includes(old), `${name}: the old authority stays trusted`);
  }
  assert.deepEqual(await stop(), []);
});

test('B38: leaves and authorities are renewed by time, the old authority leaves the bundle after the overlap', async (context) => {
  const stop = probeWebhooks(context);
  const first = await readSerials();
  const old = (await readCertificate(site, AUTHORITY)).fingerprint256;
  const leaf = 'kubevirt-virt-api-certs';
  const second = await eventually(
    () => readSerials(),
    (serials) => serials[leaf] !== first[leaf],
    40_000,
  );
  assert.equal(second[AUTHORITY], first[AUTHORITY], 'a leaf is renewed before its authority');
  await eventually(
    () => readSerials(),
    (serials) => serials[AUTHORITY] !== first[AUTHORITY],
    40_000,
  );
  const current = (await readCertificate(site, AUTHORITY)).fingerprint256;
  const overlapping = await readBundle();
  assert.equal(overlapping[0], current);
  assert.ok(overlapping.includes(old));
  await eventually(
    () => readBundle(),
    (bundle) => !bundle.includes(old),
    40_000,
  );
  await eventually(
    () => readTrusted(),
    (trusted) => Object.values(trusted).every((bundle) => !bundle.includes(old)),
  );
  assert.deepEqual(await stop(), []);
});

test('with the usual durations again it is quiet', async () => {
  await setDurations(null);
  await eventually(
    () => readCertificate(site, 'kubevirt-operator-certs'),
    ({ validToDate }) => validToDate.getTime() - Date.now() > 3_600_000,
  );
  await whenDeployed(site);
  await whenQuiet(site, 3000);
});
