// @ts-check
/** The run page: takes the operator's events and shows what has changed. */

import { byId, setClock, setText, setVerdict, tick } from './dom.js';
import { showInstallations, situationsOf } from './installation.js';
import { showOperator } from './operator.js';
import { offerAllPasses, showPasses } from './passes.js';
import { followEvents } from './stream.js';
import { showCertificates, showComponents } from './tables.js';
import { phaseVerdict, plural, progressOf } from './words.js';

/** @typedef {import('../live.ts').Parts} Parts */
/** @typedef {import('../overview.ts').ShownPass} ShownPass */
/** @typedef {Partial<Parts> & { older?: ShownPass[], access?: string }} State What the page knows; parts are missing until they are told. */

/** @type {State} */
const state = {};

/** How often ages go on. */
const TICK_MS = 5000;
/** How long to wait between two announcements of mere progress. */
const ANNOUNCE_MS = 8000;

/** @type {Record<string, (() => void)[]>} What shows each part. */
const VIEWS = {
  hello: [installations],
  redis: [banner, installations, () => showOperator(state)],
  progress: [installations, announce],
  situations: [installations, () => showComponents(state), () => showCertificates(state), announce],
  leader: [() => showOperator(state)],
  queue: [() => showOperator(state), () => showPasses(state)],
  wakeUps: [() => showOperator(state)],
  passes: [() => showPasses(state)],
};

function installations() {
  showInstallations(state, again);
}

/** @param {string} event @param {any} data */
function onEvent(event, data) {
  if (event === 'beat') setClock(data.now);
  else if (event === 'hello') greet(data);
  else Object.assign(state, { [event]: data });
  for (const show of VIEWS[event] ?? []) show();
}

/** @param {{ now: number, access: string, canSignIn: boolean, isSignedIn: boolean }} hello */
function greet({ now, access, canSignIn, isSignedIn }) {
  setClock(now);
  state.access = access;
  byId('sign-in').hidden = !canSignIn;
  byId('sign-out').hidden = !isSignedIn;
}

/** @type {Record<import('./stream.js').Connection, import('./words.js').Verdict>} */
const CONNECTION = {
  connecting: { tone: 'idle', text: 'Connecting…' },
  live: { tone: 'good', text: 'Live' },
  lost: { tone: 'bad', text: 'Connection lost, trying again' },
};

/** What stays true while Redis is away (design decision 3). */
const MEANWHILE =
  'What is shown below was seen before. The operator goes on without Redis after a minute, and admission does not need it.';

function banner() {
  const element = byId('banner');
  const text = bannerText(state);
  element.hidden = text === '';
  if (text !== element.textContent) say(text === '' ? 'Redis is reachable.' : text);
  setText(element, text);
}

/** @param {State} state */
function bannerText({ redis }) {
  if (redis?.state === 'searching')
    return 'Redis is not reachable, or no gateway or worker has put its queue there yet.';
  if (redis?.state !== 'away') return '';
  return `Redis is not reachable: ${redis.reason} (since ${new Date(redis.since).toLocaleTimeString()}). ${MEANWHILE}`;
}

let saidAt = 0;
let saidPhase = '';

/** Tells a screen reader how it goes on: a new phase at once, mere progress now and then. */
function announce() {
  const [situation] = situationsOf(state);
  document.title = 'KubeVirt installation';
  if (situation === undefined) return;
  const progress = progressOf(situation, state.progress);
  const { text } = phaseVerdict(situation, progress);
  document.title = `${text} · KubeVirt installation`;
  if (text === saidPhase && (text === 'Deployed' || Date.now() - saidAt < ANNOUNCE_MS)) return;
  saidPhase = text;
  saidAt = Date.now();
  say(progress === undefined ? `${text}.` : `${text}: ${progressText(progress)}.`);
}

/** @param {import('./words.js').Progress} progress */
function progressText({ step, objectsDone, objectsTotal, workloadsReady, workloadsTotal }) {
  const done = `${objectsDone} of ${plural(objectsTotal, 'object')}, ${workloadsReady} of ${plural(workloadsTotal, 'workload')} ready`;
  return step === '' ? done : `step ${step}, ${done}`;
}

/** @param {string} text */
function say(text) {
  setText(byId('announcement'), text);
}

/** Has a KubeVirt object reconciled once more, and says what came of that. @param {string} key */
async function again(key) {
  try {
    const answer = await fetch('api/again', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    if (!answer.ok) throw new Error((await answer.json()).error);
    return `Requested at ${new Date().toLocaleTimeString()}`;
  } catch (error) {
    return `No pass was started: ${error instanceof Error ? error.message : String(error)}`;
  }
}

offerAllPasses((passes) => {
  state.older = passes;
  showPasses(state);
});
setInterval(tick, TICK_MS);
followEvents(onEvent, (connection) => setVerdict(byId('connection'), CONNECTION[connection]));
