import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';

import { createSession, SESSION_MS, type DashboardTokens } from '../../../src/dashboard/access.ts';
import { startDashboard } from '../../../src/dashboard/server.ts';
import { PassLog, type PassRecord } from '../../../src/queue/pass-log.ts';
import { ProgressBoard } from '../../../src/queue/progress.ts';
import { SituationBoard, type Situation } from '../../../src/queue/situation.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';
import { testLog } from '../queue/harness.ts';
import { askPage, launchChromium, noChromium, openPage, type WatchedPage } from './chromium.ts';
import { openDashboard, type TestDashboard } from './harness.ts';

const SKIP = { skip: noChromium };
const HOUR = 3_600_000;
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';

let server: TestRedis;
let browser: Browser;
before(async () => {
  if (noChromium === false) [server, browser] = await Promise.all([startRedis(), launchChromium()]);
});
after(async () => {
  if (noChromium !== false) return;
  await browser.close();
  await server.stop();
});

/** A dashboard with a page that looks at it. */
async function open(t: TestContext, tokens?: DashboardTokens): Promise<TestDashboard & WatchedPage> {
  const dashboard = await openDashboard(t, server.url, tokens);
  const watched = await openPage(browser, dashboard.url);
  t.after(() => watched.context.close());
  return { ...dashboard, ...watched };
}

function buildSituation(change: Partial<Situation> = {}): Situation {
  return {
    key: 'kubevirt/kubevirt',
    phase: 'Deployed',
    version: { target: 'v1.9.0', observed: 'v1.9.0' },
    conditions: [{ type: 'Available', status: 'True', reason: 'AllComponentsReady', message: 'ready' }],
    components: [],
    certificates: [],
    ...change,
  };
}

function buildPass(id: number, change: Partial<PassRecord> = {}): PassRecord {
  return {
    id: String(id),
    key: 'kubevirt/kubevirt',
    causes: [{ type: 'modified', kind: 'Deployment', name: `d${id}`, at: 1 }],
    causesTotal: 1,
    startedAt: Date.now() - 1000 * (100 - id),
    durationMs: 5,
    outcome: 'done',
    writes: 0,
    worker: 'w',
    ...change,
  };
}

const rowsOf = (page: Page, table: string) => page.locator(`#${table} tbody tr:visible`).allInnerTexts();

test('whatever stands in Redis is shown as text', SKIP, async (t) => {
  const { page, redis, log, complaints } = await open(t);
  await new SituationBoard(redis, log).write(
    buildSituation({
      key: MARKUP,
      phase: MARKUP,
      version: { target: MARKUP, observed: '' },
      conditions: [{ type: MARKUP, status: 'True', reason: 'DeploymentFailed', message: MARKUP }],
      waiting: { step: MARKUP, awaited: MARKUP },
      components: [{ kind: 'Deployment', name: MARKUP, state: 'ready', wanted: 1, updated: 1, ready: 1, crashing: 0 }],
      certificates: [{ secret: MARKUP, isAuthority: true, notBefore: 1, notAfter: 2 }],
    }),
  );
  const errors = [{ object: MARKUP, error: MARKUP }];
  const written = [{ verb: MARKUP, object: MARKUP }];
  const causes = [{ type: 'timer' as const, note: MARKUP, at: 1 }];
  await new PassLog(redis, log).append(
    buildPass(1, { causes, errors, written, writes: 1, worker: MARKUP, reason: MARKUP, outcome: 'retry' }),
  );
  await page.locator('#passes .toggle').click();
  await page.locator('#passes .details', { hasText: MARKUP }).waitFor();
  await page.locator('#components', { hasText: MARKUP }).waitFor();
  assert.equal(await page.locator('b, main img').count(), 0);
  assert.deepEqual(await askPage(page, 'audit'), []);
  assert.deepEqual(complaints, []);
});

test('every state of components and certificates has its words', SKIP, async (t) => {
  const { page, redis, log } = await open(t);
  const now = Date.now();
  const component = { kind: 'Deployment', wanted: 2, updated: 2, ready: 0, crashing: 0 } as const;
  const certificate = { isAuthority: false, notBefore: now - HOUR };
  await new SituationBoard(redis, log).write(
    buildSituation({
      components: [
        { ...component, name: 'a', state: 'missing', updated: 0 },
        { ...component, name: 'b', state: 'rolling', crashing: 1 },
        { ...component, name: 'c', state: 'outdated', updated: 0, ready: 2 },
        { ...component, name: 'd', kind: 'DaemonSet', state: 'missing', wanted: 0, updated: 0 },
      ],
      certificates: [
        { ...certificate, secret: 'late', notAfter: now + 50 * HOUR, renewsAt: now + 40 * HOUR },
        { ...certificate, secret: 'ended', notAfter: now - HOUR },
        { ...certificate, secret: 'due', notAfter: now + 3.01 * HOUR, renewsAt: now - 60_500 },
      ],
    }),
  );
  await page.locator('#components tbody tr').nth(3).waitFor();
  assert.deepEqual(
    (await rowsOf(page, 'components')).map((text) => text.split(/\s*\t\s*/)),
    [
      ['a', 'Deployment', 'not created yet', '0 of 2', '0 of 2'],
      ['b', 'Deployment', 'rolling out, 1 pod crashes', '0 of 2', '2 of 2'],
      ['c', 'Deployment', 'waits for its turn', '2 of 2', '0 of 2'],
      ['d', 'DaemonSet', 'not created yet', '–', '–'],
    ],
  );
  const certificates = (await rowsOf(page, 'certificates')).map((text) => text.split(/\s*\t\s*/));
  assert.deepEqual(
    certificates.map(([secret, , state]) => [secret, state]),
    [
      ['ended', 'expired'],
      ['due', 'renewal is due'],
      ['late', 'valid'],
    ],
  );
  assert.match(certificates[1]?.join(' ') ?? '', /1 min 1?\d? ?s? ?ago in 3 h$/);
});

test('two KubeVirt objects have a card each, and the one that is gone loses its card', SKIP, async (t) => {
  const { page, redis, log } = await open(t);
  const board = new SituationBoard(redis, log);
  const conditions = [
    { type: 'Synchronized', status: 'False', reason: 'ExistingDeployment', message: 'there are two' },
  ];
  await board.write(buildSituation({ key: 'a/one', conditions }));
  await board.write(buildSituation({ key: 'b/two', conditions }));
  await page.getByRole('article', { name: 'KubeVirt b/two' }).waitFor();
  const cards = page.getByRole('article');
  assert.deepEqual(await cards.locator('[data-part="failure"]').allInnerTexts(), ['there are two', 'there are two']);
  assert.deepEqual(await cards.locator('.conditions td.text').allInnerTexts(), ['see above', 'see above']);
  assert.deepEqual(await askPage(page, 'audit'), []);
  await board.write(buildSituation({ key: 'a/one' }));
  await board.remove('b/two');
  await page.getByRole('article', { name: 'KubeVirt b/two' }).waitFor({ state: 'detached' });
  assert.equal(await cards.count(), 1);
});

test(
  'an update names both releases, and progress of a new installation is shown before its first pass has ended',
  SKIP,
  async (t) => {
    const { page, redis, log } = await open(t);
    await new ProgressBoard(redis, log).write({
      key: 'kubevirt/kubevirt',
      phase: 'Deploying',
      step: 'bindings',
      objectsDone: 1,
      objectsTotal: 240,
      workloadsReady: 0,
      workloadsTotal: 1,
      pass: '1',
      updatedAt: 1,
    });
    const card = page.getByRole('article');
    await card.getByText('Step: bindings').waitFor();
    assert.match(await card.innerText(), /1 of 240 objects[\s\S]*0 of 1 workload ready/);
    assert.equal(await card.getByRole('progressbar', { name: 'Objects' }).getAttribute('value'), '1');
    const conditions = [{ type: 'Progressing', status: 'True', reason: 'UpdateInProgress', message: '' }];
    await new SituationBoard(redis, log).write(
      buildSituation({ version: { target: 'v1.9.1', observed: 'v1.9.0' }, conditions }),
    );
    await card.getByText('v1.9.0 → v1.9.1').waitFor();
    await card.getByText('Updating', { exact: true }).waitFor();
  },
);

test('an open pass stays open, and the focus stays where it is, while new passes come', SKIP, async (t) => {
  const { page, redis, log } = await open(t);
  const history = new PassLog(redis, log);
  for (let id = 1; id <= 3; id += 1) await history.append(buildPass(id));
  const toggle = page.getByRole('button', { name: 'Pass 2', exact: true });
  await toggle.click();
  for (let id = 4; id <= 30; id += 1) await history.append(buildPass(id));
  await page.getByRole('button', { name: 'Pass 30' }).waitFor();
  assert.equal(await toggle.count(), 0, 'it is no longer among the last ones');
  await page.getByRole('button', { name: 'Pass 25' }).click();
  await history.append(buildPass(31));
  await page.getByRole('button', { name: 'Pass 31' }).waitFor();
  assert.equal((await askPage(page, 'focused')).name, 'Pass 25');
  assert.equal(await page.getByRole('button', { name: 'Pass 25' }).getAttribute('aria-expanded'), 'true');
  assert.match(await page.locator('#passes .details:visible').innerText(), /Deployment d25 changed/);
});

test('all passes that are kept can be asked for, and then stay', SKIP, async (t) => {
  const { page, redis, log } = await open(t);
  const history = new PassLog(redis, log);
  for (let id = 1; id <= 20; id += 1) await history.append(buildPass(id));
  await page.getByRole('button', { name: 'Pass 20' }).waitFor();
  assert.equal(await page.locator('#passes .toggle').count(), 12);
  await page.getByRole('button', { name: 'Show all passes that are kept' }).click();
  await page.getByRole('button', { name: 'Pass 1', exact: true }).waitFor();
  await history.append(buildPass(21));
  await page.getByRole('button', { name: 'Pass 21' }).waitFor();
  const names = await page.locator('#passes .toggle').allInnerTexts();
  assert.deepEqual(
    names,
    Array.from({ length: 21 }, (_, index) => `Pass ${21 - index}`),
  );
  assert.equal(await page.getByRole('button', { name: 'Show all passes that are kept' }).count(), 0);
  assert.equal(await page.locator('#passes-answer').innerText(), '20 passes, all that are kept');
});

test('a person signs in, may start passes, and signs out', SKIP, async (t) => {
  const { page, queue, complaints, redis, log } = await open(t, { read: 'reader', write: 'writer' });
  await new SituationBoard(redis, log).write(buildSituation());
  assert.equal(await page.title(), 'Sign in · virt-operator');
  assert.deepEqual(await askPage(page, 'audit'), []);
  // The browser gives the focus with its first picture, which may come after the page is loaded.
  await page.locator('#token:focus').waitFor();
  await page.keyboard.type('reader');
  await page.keyboard.press('Enter');
  await page.getByRole('article').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Start a pass now' }).count(), 0);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token').fill('writer');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Start a pass now' }).click();
  await page
    .getByRole('status')
    .getByText(/^Requested at /)
    .waitFor();
  const { causes } = await queue.takeCauses('kubevirt/kubevirt');
  assert.deepEqual(
    causes.map(({ type }) => type),
    ['requested'],
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  assert.deepEqual(
    complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('what cannot be done is told where it was asked for', SKIP, async (t) => {
  const own = await startRedis({ own: true });
  t.after(() => own.stop());
  const dashboard = await openDashboard(t, own.url, { write: 'writer' });
  const { redis, log } = dashboard;
  await new SituationBoard(redis, log).write(buildSituation());
  for (let id = 1; id <= 20; id += 1) await new PassLog(redis, log).append(buildPass(id));
  const { page, context } = await openPage(browser, `${dashboard.url}?token=writer`);
  t.after(() => context.close());
  await page.getByRole('button', { name: 'Pass 20' }).waitFor();
  await own.crash();
  await page.locator('#redis', { hasText: 'not reachable' }).waitFor();
  await page.getByRole('button', { name: 'Start a pass now' }).click();
  await page.getByText(/^No pass was started: Redis is not reachable/).waitFor();
  await page.getByRole('button', { name: 'Show all passes that are kept' }).click();
  await page.getByText(/^The passes could not be fetched: /).waitFor();
  assert.deepEqual(await askPage(page, 'audit'), []);
});

test('a session that ends while the page is open leads to the page to sign in', SKIP, async (t) => {
  const { page, context, url } = await open(t, { read: 'reader' });
  const session = createSession('reader', Date.now() - SESSION_MS + 2000);
  await context.addCookies([{ name: `virt-operator-${new URL(url).port}`, value: session, url }]);
  await page.goto(url);
  await page.locator('#connection', { hasText: 'Live' }).waitFor();
  await page.getByLabel('Token').waitFor();
});

test('signing out in one window leads the others to the page to sign in', SKIP, async (t) => {
  const { page, context, url } = await open(t, { read: 'reader' });
  await page.goto(`${url}?token=reader`);
  assert.equal(page.url(), url);
  await page.locator('#connection', { hasText: 'Live' }).waitFor();
  const other = await context.newPage();
  await other.goto(url);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByLabel('Token').waitFor();
  await page.getByLabel('Token').waitFor();
});

test('before anything is in Redis, the page says so', SKIP, async (t) => {
  const dashboard = await startDashboard({ host: '127.0.0.1', port: 0, tokens: {}, log: testLog() });
  t.after(() => dashboard.stop());
  const { page, context } = await openPage(browser, dashboard.url);
  t.after(() => context.close());
  await page
    .getByText('Redis is not reachable, or no gateway or worker has put its queue there yet.')
    .first()
    .waitFor();
  assert.deepEqual(await askPage(page, 'audit'), []);
});
