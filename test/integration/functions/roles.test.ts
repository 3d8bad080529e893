import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { Redis } from 'ioredis';
import { createApiClient } from '../../../sandbox/api-client.ts';
import { parseKubeconfig } from '../../../sandbox/kubeconfig.ts';
import { findFreePort } from '../../../sandbox/ports.ts';
import { VALIDATE_CREATE_PATH } from '../../../functions/validate-create/index.ts';
import { VALIDATE_DELETE_PATH } from '../../../functions/validate-delete/index.ts';
import { VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  createKubeVirt,
  KUBEVIRT_PATH,
  startOperator,
  startSite,
  whenDeployed,
  type Operator,
  type Site,
} from '../install/harness.ts';
import { buildKubeVirt, buildReview, openClient, readMetric, type HttpsClient } from './harness.ts';

let site: Site;
let functions: Operator;
let page: HttpsClient;
let admission: HttpsClient;

let leader: { operator: Operator; page: HttpsClient };

async function startWithPage(
  role: string,
  flags: readonly string[] = [],
): Promise<{ operator: Operator; page: HttpsClient }> {
  const port = await findFreePort();
  const operator = await startOperator(site, role, [`--port=${port}`, ...flags]);
  await operator.said('"functions are served"');
  const client = openClient(port);
  site.atEnd(() => {
    client.close();
  });
  return { operator, page: client };
}

before(async () => {
  site = await startSite();
  ({ operator: functions, page } = await startWithPage('functions'));
  admission = openClient(functions.webhookPort);
  site.atEnd(() => {
    admission.close();
  });
});

const placed = (zone: string) => ({ infra: { nodePlacement: { nodeSelector: { zone } } } });
const blocking = buildKubeVirt({ uninstallStrategy: 'BlockUninstallIfWorkloadsExist' }, { phase: 'Deploying' });
const reviews: { path: string; review: object; want: boolean }[] = [
  {
    path: VALIDATE_CREATE_PATH,
    review: buildReview('CREATE', { object: buildKubeVirt({ infra: { replicas: 0 } }) }),
    want: true,
  },
  {
    path: VALIDATE_UPDATE_PATH,
    review: buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt({ infra: { replicas: 0 } }) }),
    want: false,
  },
  {
    path: VALIDATE_UPDATE_PATH,
    review: buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt(placed('a')) }),
    want: true,
  },
  {
    path: VALIDATE_UPDATE_PATH,
    review: buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt(placed('not a label!')) }),
    want: false,
  },
  { path: VALIDATE_DELETE_PATH, review: buildReview('DELETE', { oldObject: blocking }), want: true },
];
const answerAll = async () => {
  const answers: string[] = [];
  for (const { path, review } of reviews) answers.push((await admission.send(path, review)).body);
  return answers;
};

test('L12: admission sends no command to Redis', async () => {
  await eventually(
    async () => (await page.send('/readyz')).code,
    (code) => code === 200,
  );
  const redis = new Redis(site.redis.url);
  const countCommands = async () => Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
  await countCommands();
  const begun = await countCommands();
  for (let i = 0; i < 5; i++) await answerAll();
  assert.equal((await countCommands()) - begun, 1, 'the question itself is the only command');
  redis.disconnect();
});

test('L12: Redis flushed or away changes no answer; probes and metrics answer in less than a second', async () => {
  const answers = await answerAll();
  const verdicts = answers.map((answer) => (JSON.parse(answer) as { response: { allowed: boolean } }).response.allowed);
  assert.deepEqual(
    verdicts,
    reviews.map(({ want }) => want),
  );
  const redis = new Redis(site.redis.url);
  await redis.flushall();
  redis.disconnect();
  assert.deepEqual(await answerAll(), answers);
  assert.equal(readMetric((await page.send('/metrics')).body, 'virt_operator_redis_up'), 1);
  await site.redis.crash();
  const begun = performance.now();
  assert.deepEqual(await answerAll(), answers);
  assert.ok(performance.now() - begun < 1000 * reviews.length, 'each in less than a second');
  for (const path of ['/metrics', '/healthz', '/readyz', '/startupz']) {
    const begun = performance.now();
    assert.equal((await page.send(path)).code, 200, path);
    assert.ok(performance.now() - begun < 1000, path);
  }
  const metrics = (await page.send('/metrics')).body;
  assert.equal(readMetric(metrics, 'virt_operator_redis_up'), 0);
  assert.doesNotMatch(metrics, /virt_operator_queue_jobs/);
  await site.redis.restart();
  await eventually(
    async () => readMetric((await page.send('/metrics')).body, 'virt_operator_redis_up'),
    (up) => up === 1,
  );
});

const present = /^\d/;
const absent = /^undefined$/;
const certificate = (name: string) =>
  `virt_operator_certificate_expiry_timestamp_seconds{namespace="kubevirt",name="${name}"}`;
/** Series of one process: in role all, which leads, and in role functions. */
const own: [series: string, leading: RegExp, following: RegExp][] = [
  ['kubevirt_virt_operator_leading_status', /^1$/, /^0$/],
  ['kubevirt_virt_operator_ready_status', /^1$/, /^1$/],
  ['kubevirt_configuration_emulation_enabled', /^0$/, /^0$/],
  [certificate('kubevirt-ca'), present, absent],
  [certificate('kubevirt-operator-certs'), present, present],
  ['kubevirt_workqueue_adds_total{name="virt-operator"}', present, absent],
  ['kubevirt_workqueue_work_duration_seconds_count{name="virt-operator"}', present, absent],
  ['kubevirt_workqueue_depth{name="virt-operator"}', present, /^0$/],
  ['virt_operator_pass_writes_count', /^[1-9]/, /^0$/],
  ['virt_operator_cache_lag_seconds_count', /^[1-9]/, /^0$/],
  ['virt_operator_event_loop_lag_seconds{quantile="0.99"}', present, present],
];

/** The lines of what comes through Redis, without ages. */
const shared = (metrics: string) =>
  metrics.split('\n').filter((line) => /^virt_operator_(redis_up|queue|lock_hel|lock_holder|last_pass)/.test(line));

test('every replica shows the same of queues, leader and passes; each its own of the rest', async () => {
  const all = await startWithPage('all');
  leader = all;
  site.plane.setWebhookPorts([functions.webhookPort, all.operator.webhookPort]);
  await all.operator.said('started leading');
  await createKubeVirt(site);
  await whenDeployed(site);
  const [here, there] = await eventually(
    async () => Promise.all([page, all.page].map(async (each) => (await each.send('/metrics')).body)),
    ([one = '', other = '']) => shared(one).join('\n') === shared(other).join('\n'),
  );
  assert.ok(here !== undefined && there !== undefined);
  assert.equal(readMetric(here, 'virt_operator_lock_held'), 1);
  assert.ok((readMetric(here, 'virt_operator_lock_age_seconds') ?? 0) > 0);
  assert.ok((readMetric(here, 'virt_operator_queue_jobs{queue="reconcile",state="completed"}') ?? 0) > 0);
  assert.ok((readMetric(here, 'virt_operator_last_pass_duration_seconds') ?? 0) > 0);
  for (const [series, leading, following] of own) {
    assert.match(String(readMetric(there, series)), leading, `${series} where passes run`);
    assert.match(String(readMetric(here, series)), following, `${series} elsewhere`);
  }
  assert.ok((readMetric(there, 'virt_operator_pass_writes_sum') ?? 0) > 200, 'the installation was written');
  assert.ok(
    (readMetric(here, 'virt_operator_admission_duration_seconds_count{function="validate-delete",verdict="allowed"}') ??
      0) > 0,
  );
});

test('the profiler follows the switch of the cluster and reaches every role', async () => {
  assert.equal((await page.send('/start-profiler')).code, 403);
  const setSwitch = (clusterProfiler: boolean) =>
    site.plane.api.expect(
      'PATCH',
      `${KUBEVIRT_PATH}/kubevirt`,
      { spec: { configuration: { developerConfiguration: { clusterProfiler } } } },
      'application/merge-patch+json',
    );
  await setSwitch(true);
  await eventually(
    async () => (await page.send('/start-profiler')).code,
    (code) => code === 200,
  );
  assert.equal((await page.send('/stop-profiler')).code, 200);
  const dump = await eventually(
    async () =>
      (JSON.parse((await page.send('/dump-profiler')).body) as { pprofData: Record<string, string> }).pprofData,
    (files) => Object.keys(files).length === 4,
  );
  const names = Object.keys(dump).map((name) => name.replace(/^all\..*?\.(?=\w+\.pprof)/, 'all…'));
  assert.deepEqual(names.sort(), ['all…cpu.pprof', 'all…heap.pprof', 'cpu.pprof', 'heap.pprof']);
  await setSwitch(false);
  await eventually(
    async () => (await page.send('/dump-profiler')).code,
    (code) => code === 403,
  );
});

test('a replica that ends under load fails no call through the API server', async () => {
  const ending = await startWithPage('functions', ['--drain-seconds=1']);
  const { server, identity } = parseKubeconfig(await readFile(site.plane.kubeconfig, 'utf8'));
  // A client of its own: the sandbox's is needed by the stand-in for the Service, which must not wait behind calls that wait for it.
  const api = createApiClient(server, identity);
  site.plane.setWebhookPorts([ending.operator.webhookPort, leader.operator.webhookPort]);
  const served = async () =>
    readMetric(
      (await ending.page.send('/metrics')).body,
      'virt_operator_admission_duration_seconds_count{function="validate-update",verdict="allowed"}',
    );
  let isOver = false;
  let calls = 0;
  const failed: string[] = [];
  const load = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const patch = { metadata: { labels: { call: String(calls++) } } };
        const path = `${KUBEVIRT_PATH}/kubevirt?dryRun=All`;
        const { status, text } = await api.call('PATCH', path, patch, 'application/merge-patch+json');
        if (status !== 200) failed.push(text);
      }
    }),
  );
  await eventually(served, (count) => (count ?? 0) > 20);
  const ended = ending.operator.end('SIGTERM');
  await eventually(
    async () => (await ending.page.send('/readyz')).body,
    (body) => body.includes('the process is ending'),
  );
  site.plane.setWebhookPorts([leader.operator.webhookPort]);
  const { code, milliseconds } = await ended;
  const callsAtEnd = calls;
  await eventually(
    () => calls,
    (count) => count > callsAtEnd + 20,
  );
  isOver = true;
  await load;
  api.close();
  assert.deepEqual(failed, []);
  assert.equal(code, 0);
  assert.ok(milliseconds >= 1000 && milliseconds < 8000, `${milliseconds} ms`);
});
