import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';

import { findFreePort } from '../../../sandbox/ports.ts';
import {
  createKubeVirt,
  KUBEVIRT_PATH,
  startOperator,
  startSite,
  type Operator,
  type Site,
} from '../install/harness.ts';
import { askPage, launchChromium, noChromium, openPage, type WatchedPage } from './chromium.ts';

/** A folder for the pictures of the documents, docs/screenshots; by default none are taken. */
const PICTURES = process.env['SCREENSHOTS'];
/** What a picture shows: small enough for a page of documentation. */
const PICTURE_SIZE = { width: 1080, height: 860 };
const WRITE_TOKEN = 'a token for writing';
const SKIP = { skip: noChromium };
const LONG = { timeout: 120_000 };
const SKIP_LONG = { ...SKIP, ...LONG };

let site: Site;
let operator: Operator;
let browser: Browser;
let url: string;
let watched: WatchedPage;

// The tests follow one installation from nothing to nothing, in one page that is never loaded again.
before(
  async () => {
    if (noChromium !== false) return;
    process.env['DASHBOARD_WRITE_TOKEN'] = WRITE_TOKEN;
    [site, browser] = await Promise.all([startSite(), launchChromium()]);
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}/`;
    operator = await startOperator(site, 'all', [`--dashboard-port=${port}`]);
    site.plane.setWebhookPorts([operator.webhookPort]);
    await operator.said('started leading');
    watched = await openPage(browser, url);
  },
  { timeout: 180_000 },
);
after(async () => {
  if (noChromium === false) await browser.close();
});

async function takePicture(page: Page, name: string, wanted = PICTURE_SIZE): Promise<void> {
  if (PICTURES === undefined) return;
  const size = page.viewportSize();
  await page.setViewportSize(wanted);
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  if (size !== null) await page.setViewportSize(size);
}

const textOf = (page: Page, selector: string) => page.locator(selector).innerText();
const phase = (page: Page) => page.locator('[data-part="phase"]');

test('an empty cluster is described in words', SKIP, async () => {
  const { page } = watched;
  await page.getByText('No KubeVirt object has been seen').waitFor();
  assert.equal(await textOf(page, '#connection'), 'Live');
  assert.equal(await textOf(page, '#redis'), 'reachable');
  await page.locator('#leader', { hasText: hostname() }).waitFor();
  assert.deepEqual(await askPage(page, 'audit'), []);
});

test('L26: an installation is followed to Deployed in a page that is loaded once', SKIP_LONG, async () => {
  const { page, complaints } = watched;
  await askPage(page, 'watch');
  await createKubeVirt(site, { imagePullPolicy: 'IfNotPresent' });
  await page.locator('[data-part="workloads-text"]', { hasText: /^[1-4] of/ }).waitFor(LONG);
  if (PICTURES !== undefined) await page.locator('#components .state.good').first().waitFor();
  await takePicture(page, 'run-page');
  await phase(page)
    .filter({ hasText: /^Deployed$/ })
    .waitFor(LONG);
  const seen = await askPage(page, 'seen');
  assert.ok(seen.objects.length >= 3, `progress was shown as ${seen.objects.join('; ')}`);
  assert.ok(
    seen.said.some((text) => /^Deploying: .*objects/.test(text)),
    seen.said.join('; '),
  );
  assert.match(await textOf(page, '#announcement'), /^Deployed: /);
  assert.match(await page.title(), /^Deployed · /);
  const [, done, total] = /^(\d+) of (\d+) objects$/.exec(await textOf(page, '[data-part="objects-text"]')) ?? [];
  assert.ok(done === total && Number(total) > 100, `${String(done)} of ${String(total)}`);
  assert.equal(await textOf(page, '[data-part="version"]'), 'v1.9.0');
  assert.deepEqual(complaints, []);
});

test('components, certificates, conditions and passes are shown', SKIP, async () => {
  const { page } = watched;
  const rows = page.locator('#components tbody tr');
  await page.locator('#components tbody tr', { hasText: 'ready' }).nth(2).waitFor();
  const components = await rows.allInnerTexts();
  for (const name of ['virt-api', 'virt-controller', 'virt-handler']) {
    const row = components.find((text) => text.startsWith(name));
    assert.match(row ?? '', /ready\s+(\d+) of \1\s+(\d+) of \2$/, components.join('\n'));
  }
  const certificates = await page.locator('#certificates tbody tr').allInnerTexts();
  assert.ok(certificates.length >= 10, certificates.join('\n'));
  for (const text of certificates) assert.match(text, /valid\s+in \d+ .*\s+in \d+ /);
  const conditions = await page.locator('table.conditions tbody tr').allInnerTexts();
  assert.ok(
    conditions.some((text) => /^Available\s+yes\s+AllComponentsReady/.test(text)),
    conditions.join('\n'),
  );
  assert.ok((await page.locator('#passes tbody').count()) >= 1);
  await page.locator('#wake-ups', { hasText: /^in .*\(.*certificate/ }).waitFor();
});

test('the page can be read and used by everybody, in both colour schemes and on a narrow screen', SKIP, async () => {
  const { page } = watched;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 320]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 960 });
      assert.deepEqual(await askPage(page, 'audit'), [], `${colorScheme}, ${width} pixels`);
    }
    await page.setViewportSize({ width: 1280, height: 960 });
    if (colorScheme === 'dark') await takePicture(page, 'dark');
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const snapshot = await page.locator('body').ariaSnapshot();
  for (const want of [
    '- banner:',
    '- navigation "Pages":',
    '- main:',
    '- contentinfo:',
    '- heading "KubeVirt installation" [level=1]',
    '- article "KubeVirt kubevirt/kubevirt":',
    '- progressbar "Objects"',
    '- region "Components":',
    '- rowheader "virt-handler"',
  ]) {
    assert.ok(snapshot.includes(want), `${want} is not in\n${snapshot}`);
  }
});

test('the keyboard reaches everything in the order of reading, with a visible focus', SKIP, async () => {
  const { page } = watched;
  await askPage(page, 'leave');
  const walked: string[] = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('Tab');
    const { name, outline } = await askPage(page, 'focused');
    walked.push(name);
    assert.equal(outline, 'solid 3px', name);
  }
  assert.deepEqual(walked.slice(0, 7), [
    'Skip to the installation',
    'Installation',
    'Queues',
    'Sign in',
    'Conditions of kubevirt/kubevirt',
    'Components',
    'Passes',
  ]);
  assert.match(walked[7] ?? '', /^Pass \d+$/);
  await page.keyboard.press('Enter');
  const details = page.locator('#passes tr.details:visible');
  assert.match(await details.innerText(), /reconciled by [\s\S]*\d+ causes?/);
  const first = page.locator('#passes tbody', { hasText: 'KubeVirt kubevirt created' });
  await first.getByRole('button').click();
  assert.match(
    await first.locator('.details').innerText(),
    /\d+ writes\ncreate \w+ [\s\S]*\d+ are of the KubeVirt object/,
  );
  await first.getByRole('button').click();
  await page.locator('#passes .toggle').first().focus();
  assert.deepEqual(await askPage(page, 'audit'), []);
  await page.keyboard.press('Space');
  assert.equal(await details.count(), 0);
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  assert.equal((await askPage(page, 'focused')).id, 'main');
});

test('a failure is told with its reason, and each error with its object', SKIP_LONG, async () => {
  const { page, complaints } = watched;
  const patches = [
    {
      resourceName: 'virt-controller',
      resourceType: 'Deployment',
      type: 'json',
      patch: '[{"op":"remove","path":"/spec/nothing"}]',
    },
  ];
  await patchKubeVirt({ customizeComponents: { patches } });
  await phase(page).filter({ hasText: 'Failing' }).waitFor(LONG);
  assert.match(await textOf(page, '[data-part="failure"]'), /virt-controller[\s\S]*\/spec\/nothing/);
  // New passes come on top meanwhile: the row is held by its key.
  const key = await page
    .locator('#passes tbody', { hasText: 'failed, will be retried' })
    .first()
    .getAttribute('data-key');
  const failed = page.locator(`#passes tbody[data-key="${key ?? ''}"]`);
  await failed.getByRole('button').click();
  assert.match(await failed.locator('.details').innerText(), /1 error\s.*virt-controller: .*\/spec\/nothing/);
  await takePicture(page, 'failing');
  assert.deepEqual(await askPage(page, 'audit'), []);
  await patchKubeVirt({ customizeComponents: { patches: null } });
  await phase(page)
    .filter({ hasText: /^Deployed$/ })
    .waitFor(LONG);
  assert.deepEqual(complaints, []);
});

async function patchKubeVirt(spec: Record<string, unknown>): Promise<void> {
  await site.plane.api.expect('PATCH', `${KUBEVIRT_PATH}/kubevirt`, { spec }, 'application/merge-patch+json');
}

test(
  'L26: Bull Board asks nothing of others and complains of nothing; it offers nothing to those who may only read',
  SKIP,
  async () => {
    const { page, context, complaints } = await openPage(browser, `${url}queues/queue/reconcile?status=failed`);
    await page.getByText('virt-operator queues').waitFor();
    await page.getByText('dedup kubevirt/kubevirt').first().waitFor();
    assert.deepEqual(await askPage(page, 'actions'), []);
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

test(
  'L28: with the write token a pass can be asked for, on the page and by a failed job, and nothing else is offered',
  SKIP_LONG,
  async () => {
    const { page, context, complaints } = await openPage(browser, `${url}sign-in`);
    assert.deepEqual(await askPage(page, 'audit'), []);
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    assert.equal(complaints.length, 1, 'the browser itself tells of the answer 401');
    await page.getByLabel('Token').fill(WRITE_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Start a pass now' }).click();
    const byHand = page.locator('#passes tbody', { hasText: 'by hand, in the dashboard' });
    await byHand.first().waitFor(LONG);
    const before = await byHand.count();
    for (const path of ['', '?status=failed', '?status=completed']) {
      await page.goto(`${url}queues/queue/reconcile${path}`);
      await page.locator('[class*="jobActions-"]').first().waitFor({ state: 'attached' });
      for (const action of await askPage(page, 'actions')) assert.match(action, /lucide-refresh-cw$/, path);
    }
    await page.goto(`${url}queues/queue/timers?status=delayed`);
    await page.locator('[class*="jobActions-"]').first().waitFor({ state: 'attached' });
    assert.deepEqual(await askPage(page, 'actions'), ['lucide lucide-corner-up-left']);
    await page.goto(`${url}queues/queue/reconcile?status=completed`);
    await page.locator('[class*="jobActions-"]').first().waitFor({ state: 'attached' });
    await takePicture(page, 'queues', { width: 1440, height: 760 });
    await page.goto(`${url}queues/queue/reconcile?status=failed`);
    await page.locator('[class*="jobActions-"] button:visible').first().click();
    await page
      .getByRole('button', { name: /confirm|yes|retry/i })
      .last()
      .click();
    await page.goto(url);
    await byHand.nth(before).waitFor(LONG);
    assert.deepEqual(complaints.slice(1), []);
    await context.close();
  },
);

test('Redis that is away is told, and the page goes on by itself when it is back', SKIP_LONG, async () => {
  const { page, complaints } = watched;
  await site.redis.crash();
  await page.locator('#banner', { hasText: /^Redis is not reachable: .*ECONNREFUSED/ }).waitFor(LONG);
  assert.equal(await textOf(page, '#redis'), 'not reachable');
  assert.deepEqual(await askPage(page, 'audit'), []);
  await site.redis.restart();
  await page.locator('#redis', { hasText: /^reachable$/ }).waitFor(LONG);
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await page.locator('#leader', { hasText: hostname() }).waitFor(LONG);
  await phase(page)
    .filter({ hasText: /^Deployed$/ })
    .waitFor(LONG);
  assert.deepEqual(complaints, []);
});

test('a removal is followed until nothing is left', SKIP_LONG, async () => {
  const { page, complaints } = watched;
  await site.plane.api.expect('DELETE', `${KUBEVIRT_PATH}/kubevirt`);
  await phase(page)
    .filter({ hasText: /Being removed|Removed/ })
    .waitFor(LONG);
  await takePicture(page, 'removal');
  await page.getByText('No KubeVirt object has been seen').waitFor(LONG);
  assert.equal(await page.locator('#components tbody tr').count(), 0);
  assert.deepEqual(complaints, []);
});

test('an operator that ends is told, and one that comes back is followed', SKIP_LONG, async () => {
  const { page } = watched;
  await operator.end('SIGTERM');
  await page.locator('#connection', { hasText: 'Connection lost' }).waitFor();
  operator = await startOperator(site, 'dashboard', [`--dashboard-port=${new URL(url).port}`]);
  await page.locator('#connection', { hasText: 'Live' }).waitFor(LONG);
  await page.getByText('Nobody: nothing is installed or repaired until a worker leads.').waitFor();
});
