/** What users have reported about admission, certificates and traces, on a real API server that calls our webhooks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { before, test } from 'node:test';
import { parseKubeconfig } from '../../../sandbox/kubeconfig.ts';
import { startCollector, type Collector, type ReceivedSpan } from '../../unit/trace/collector.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createKubeVirt,
  KUBEVIRT_PATH,
  NAMESPACE,
  readKubeVirt,
  startOperator,
  startSite,
  whenDeployed,
  type Operator,
  type Site,
} from '../install/harness.ts';

const MERGE = 'application/merge-patch+json';
const PATH = `${KUBEVIRT_PATH}/kubevirt`;

let site: Site;
let collector: Collector;
let replicas: readonly Operator[];

/** A call whose answer is wanted with its warnings. */
async function call(method: string, path: string, body?: object) {
  const { server, identity } = parseKubeconfig(await readFile(site.plane.kubeconfig, 'utf8'));
  const type = method === 'PATCH' ? MERGE : 'application/json';
  const headers = body === undefined ? {} : { 'content-type': type };
  return new Promise<{ status: number; body: string; warnings: string[] }>((resolve, reject) => {
    request(`${server}${path}`, { method, headers, agent: false, ...(identity as object) }, (response) => {
      const warnings = (response.headers.warning ?? '').split(/, (?=299 )/).filter((each) => each !== '');
      text(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, body: answer, warnings });
      }, reject);
    })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}
const patch = (change: object) => call('PATCH', PATH, change);
const condition = async (wanted: string) =>
  (await readKubeVirt(site)).status?.conditions?.find(({ type }) => type === wanted);

before(async () => {
  [site, collector] = await Promise.all([startSite(), startCollector()]);
  site.atEnd(() => {
    collector.close();
  });
  // As an operator finds it that let it in: the authority lives shorter than what it signs.
  await createKubeVirt(site, { certificateRotateStrategy: { selfSigned: { ca: { duration: '12h' } } } });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  replicas = [await startOperator(site, 'all', [], env), await startOperator(site, 'functions', [], env)];
  site.plane.setWebhookPorts(replicas.map(({ webhookPort }) => webhookPort));
});

test('B48: inconsistent lifetimes that are stored already are told with the first status, and by an Event', async () => {
  const first = await eventually(
    () => readKubeVirt(site),
    ({ status }) => status?.phase !== undefined,
    60_000,
  );
  const told = first.status?.conditions?.find(({ type }) => type === 'CertificateSettingsInvalid');
  assert.equal(told?.reason, 'InconsistentLifetimes');
  await whenDeployed(site);
  await eventually(
    () => call('GET', `/api/v1/namespaces/${NAMESPACE}/events?fieldSelector=reason=InconsistentLifetimes`),
    ({ body }) => /server\.duration is longer than [\w.]*ca\.duration/.test(body),
  );
});

test('B48: another change of the spec is refused with both paths, a label is not; the condition goes with its cause', async () => {
  const refused = await patch({ spec: { imagePullPolicy: 'Always' } });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /selfSigned\.server\.duration is longer than .*selfSigned\.ca\.duration/);
  assert.equal((await patch({ metadata: { labels: { mine: 'yes' } } })).status, 200);
  assert.equal((await condition('CertificateSettingsInvalid'))?.status, 'True');
  assert.equal((await patch({ spec: { certificateRotateStrategy: null } })).status, 200);
  await eventually(
    () => condition('CertificateSettingsInvalid'),
    (found) => found === undefined,
  );
});

test('B46: a second KubeVirt object is refused; zero infra replicas are not looked at in a new one', async () => {
  await site.plane.api.expect('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'elsewhere' },
  });
  const second = await call('POST', '/apis/kubevirt.io/v1/namespaces/elsewhere/kubevirts', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'second' },
    spec: { infra: { replicas: 0 } },
  });
  assert.equal(second.status, 400);
  assert.match(second.body, /already created/);
  assert.doesNotMatch(second.body, /replica/);
});

test('B47: gates that are on their way out are let in with a warning each, unknown and living ones without', async () => {
  const featureGates = ['GPU', 'HotplugVolumes', 'Macvtap', 'NobodyKnowsThisOne', 'Sidecar'];
  const { status, warnings } = await patch({ spec: { configuration: { developerConfiguration: { featureGates } } } });
  assert.equal(status, 200);
  assert.equal(warnings.length, 3, warnings.join('\n'));
  for (const [index, pattern] of [
    /GPU.*General Availability/,
    /HotplugVolumes.*deprecated/,
    /Macvtap.*discontinued/,
  ].entries())
    assert.match(warnings[index] ?? '', pattern);
  const removed = await patch({ spec: { configuration: { developerConfiguration: { featureGates: [] } } } });
  assert.deepEqual([removed.status, removed.warnings], [200, []]);
  await whenDeployed(site);
});

test('B31: with a virtual machine the removal is refused by its name, if that is wanted', async () => {
  const machines = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
  await eventually(
    () =>
      call('POST', machines, {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name: 'one' },
        spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
      }),
    ({ status }) => status === 201,
  );
  assert.equal((await patch({ spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } })).status, 200);
  const remove = () => call('DELETE', `${PATH}?dryRun=All`);
  const refused = await remove();
  assert.equal(refused.status, 400);
  assert.match(refused.body, /still Virtual Machines\b/);
  assert.equal((await patch({ spec: { uninstallStrategy: 'RemoveWorkloads' } })).status, 200);
  assert.equal((await remove()).status, 200);
  assert.equal((await patch({ spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } })).status, 200);
  await call('DELETE', `${machines}/one`);
  await eventually(remove, ({ status }) => status === 200);
});

const open = (port: number) =>
  new Promise<TLSSocket>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket);
    });
    socket.once('error', reject);
  });

async function readServed(port: number): Promise<string> {
  const socket = await open(port);
  const served = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return served.trim();
}

test('B40: a new serving certificate is served by every replica within five seconds; connections live on', async () => {
  const secret = `/api/v1/namespaces/${NAMESPACE}/secrets/kubevirt-operator-certs`;
  const readSecret = async () => {
    const { data } = JSON.parse((await call('GET', secret)).body) as { data?: Record<string, string> };
    return Buffer.from(data?.['tls.crt'] ?? '', 'base64')
      .toString()
      .trim();
  };
  const old = await readSecret();
  const ports = replicas.flatMap(({ port, webhookPort }) => [port, webhookPort]);
  assert.deepEqual([...new Set(await Promise.all(ports.map(readServed)))], [old]);
  const kept = await open(ports[1] ?? 0);
  await call('DELETE', secret);
  const fresh = await eventually(readSecret, (pem) => pem !== '' && pem !== old);
  await eventually(
    () => Promise.all(ports.map(readServed)),
    (served) => served.every((each) => each === fresh),
    5000,
  );
  kept.write('GET /none HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = (await once(kept, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 404 /);
  kept.destroy();
});

test('the passes of the installation and the admission of changes have been traced', async () => {
  const find = (name: string) => collector.spans.filter((span) => span.name === name);
  /** Names of the spans above one, the nearest first. */
  const above = ({ parentSpanId }: ReceivedSpan): string[] => {
    const parent = collector.spans.find(({ spanId }) => spanId === parentSpanId);
    return parent === undefined ? [] : [parent.name, ...above(parent)];
  };
  // Spans are sent every five seconds; those within come before the one around them.
  const look = () => find('LIST virtualmachines').filter((span) => above(span).join() === 'validate-delete');
  await eventually(look, ({ length }) => length > 0, 30_000);
  const isWhole = ({ attributes }: ReceivedSpan) =>
    attributes['outcome'] === 'done' && Number(attributes['writes']) > 0;
  await eventually(
    () => find('pass').filter(isWhole),
    ({ length }) => length > 0,
    30_000,
  );
  const created = find('CREATE deployments').filter(({ failure }) => failure === undefined);
  assert.ok(created.length >= 3, String(created.length));
  for (const span of created) {
    assert.equal(span.attributes['http.response.status_code'], 201);
    const [step, pass, ...others] = above(span);
    assert.notEqual(step, 'pass');
    assert.deepEqual([pass, others], ['pass', []]);
  }
});

test('every line of the log is JSON with the keys of upstream; the KubeVirt object says how much is told', async () => {
  const hasDebug = ({ lines }: Operator) => lines.some((line) => line.includes('"level":"debug"'));
  assert.deepEqual(replicas.map(hasDebug), [false, false]);
  const tell = (virtOperator: number) =>
    patch({ spec: { configuration: { developerConfiguration: { logVerbosity: { virtOperator } } } } });
  assert.equal((await tell(3)).status, 200);
  await eventually(
    () => replicas.filter(({ lines }) => lines.some((line) => line.includes('"to":"debug"'))),
    ({ length }) => length === 2,
  );
  await patch({ spec: { infra: { replicas: 0 } } });
  await eventually(() => replicas.some(hasDebug), Boolean);
  assert.equal((await tell(2)).status, 200);
  for (const { lines, role } of replicas) {
    assert.ok(lines.length > 1, role);
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      assert.equal(entry['component'], 'virt-operator');
      assert.match(String(entry['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.match(String(entry['level']), /^(debug|info|warning|error)$/);
      assert.equal(typeof entry['msg'], 'string');
    }
  }
});
