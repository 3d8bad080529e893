import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of a real browser: `CHROMIUM`, else what distributions install; undefined where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM: given } = process.env;
  return given !== undefined && given !== '' ? given : PATHS.find((path) => existsSync(path));
}

/** Why tests are skipped, or false. */
export const noChromium =
  findChromium() === undefined ? 'there is no Chromium: install the Debian package chromium, or set CHROMIUM' : false;

/** Starts it with a profile of its own that ends with it; it asks nothing of the network by itself. */
export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(executablePath !== undefined);
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A page, and what went wrong in it. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the console, uncaught errors, requests to anybody but the given server, and answers that are errors. */
  complaints: string[];
}

/** Opens a page that takes note of everything that must not happen; requests elsewhere are not sent. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 960 },
    reducedMotion: 'reduce',
    ...options,
  });
  const { origin } = new URL(url);
  const complaints: string[] = [];
  await context.route(
    (address) => address.origin !== origin,
    async (route) => {
      complaints.push(`request to ${route.request().url()}`);
      await route.abort();
    },
  );
  await context.addInitScript({ path: join(import.meta.dirname, 'in-page.js') });
  const page = await context.newPage();
  page.on('console', (message) => {
    const text = `${message.type()}: ${message.text()}`;
    if (['error', 'warning'].includes(message.type()) && !isSlowness(text)) complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  await page.goto(url);
  return { page, context, complaints };
}

/** Bull Board fetches scripts ahead; on a busy machine the browser wonders what for. */
function isSlowness(text: string): boolean {
  return text.startsWith('warning: The resource') && text.includes('was preloaded using link preload but not used');
}

/** What in-page.js answers, by question. */
interface Answers {
  audit: string[];
  watch: undefined;
  seen: { objects: string[]; said: string[] };
  leave: undefined;
  focused: { name: string; id: string; outline: string };
  actions: string[];
}

/** Asks in-page.js. */
export function askPage<Q extends keyof Answers>(page: Page, question: Q): Promise<Answers[Q]> {
  return page.evaluate<Answers[Q]>(`inPage.${question}()`);
}
