// @ts-check
/** The card of each KubeVirt object: phase, progress, conditions, and the button that has it looked at again. */

import { build, buildVerdict, byId, setMoment, setText, setVerdict, syncChildren } from './dom.js';
import { conditionVerdict, failureOf, phaseVerdict, plural, progressOf } from './words.js';

/** @typedef {import('./words.js').Situation} Situation */
/** @typedef {import('./words.js').Progress} Progress */
/** @typedef {import('./app.js').State} State */

/** @type {(id: string) => string} Ids must not hold a slash in selectors. */
const idOf = (key) => key.replaceAll(/[^a-z0-9-]/g, '_');

/**
 * Shows all KubeVirt objects; before the first pass has ended, what its progress tells.
 * @param {State} state
 * @param {(key: string) => Promise<string>} onAgain has a key reconciled, and says in words what came of that
 */
export function showInstallations(state, onAgain) {
  const root = byId('installations');
  const situations = situationsOf(state);
  root.setAttribute('aria-busy', String(state.situations === undefined));
  let empty = root.querySelector(':scope > .empty');
  if (situations.length > 0) empty?.remove();
  else {
    empty ??= root.appendChild(build('p', 'empty card'));
    setText(empty, emptyText(state));
  }
  syncChildren(root, situations, {
    key: ({ key }) => key,
    create: (situation) => createCard(situation, onAgain),
    update: (card, situation) => updateCard(card, situation, state),
  });
}

/**
 * @param {State} state
 * @returns {Situation[]}
 */
export function situationsOf({ situations = [], progress }) {
  if (situations.length > 0 || !progress) return situations;
  const { key, phase } = progress;
  return [{ key, phase, version: { target: '', observed: '' }, conditions: [], components: [], certificates: [] }];
}

/** @param {State} state */
function emptyText({ redis, situations }) {
  if (situations !== undefined) {
    return 'No KubeVirt object has been seen. KubeVirt is installed as soon as somebody creates one.';
  }
  if (redis?.state === 'away') return 'Nothing has been seen yet, because Redis is not reachable.';
  if (redis?.state === 'searching') return 'No gateway or worker has put its queue into Redis yet.';
  return 'Waiting for the first update…';
}

/**
 * @param {Situation} situation
 * @param {(key: string) => Promise<string>} onAgain
 */
function createCard({ key }, onAgain) {
  const id = idOf(key);
  const card = build('article', 'card installation');
  const title = build('h2', '', `KubeVirt ${key}`);
  title.id = `title-${id}`;
  card.setAttribute('aria-labelledby', title.id);
  const again = build('button', 'again', 'Start a pass now');
  again.type = 'button';
  again.hidden = true;
  const answer = part('span', 'answer');
  answer.setAttribute('role', 'status');
  again.addEventListener('click', async () => setText(answer, await onAgain(key)));
  const head = build('div', 'head', title, part('span', 'phase'), part('span', 'version'), answer, again);
  const failure = part('p', 'failure');
  card.append(
    head,
    failure,
    part('p', 'step'),
    build('div', 'bars', createBar(id, 'objects', 'Objects'), createBar(id, 'workloads', 'Workloads')),
    createConditions(id, key),
  );
  return card;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} name
 */
function part(tag, name) {
  const element = build(tag);
  element.dataset['part'] = name;
  return element;
}

/** @param {string} id @param {string} name @param {string} title */
function createBar(id, name, title) {
  const label = build('label', '', title);
  const bar = /** @type {HTMLProgressElement} */ (part('progress', name));
  bar.id = `${name}-${id}`;
  label.htmlFor = bar.id;
  return build('div', 'measure', label, bar, part('span', `${name}-text`));
}

/** @param {string} id @param {string} key */
function createConditions(id, key) {
  const table = build('table', 'conditions');
  table.append(build('caption', '', `Conditions of ${key}`));
  const head = build('tr');
  for (const title of ['Condition', 'Holds', 'Reason', 'Since', 'Message']) {
    const cell = build('th', '', title);
    cell.scope = 'col';
    head.append(cell);
  }
  table.append(build('thead', '', head), part('tbody', 'conditions'));
  const scroll = build('div', 'scroll', table);
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', `Conditions of ${key}`);
  scroll.tabIndex = 0;
  scroll.id = `conditions-${id}`;
  scroll.dataset['part'] = 'conditions-box';
  return scroll;
}

/**
 * @param {HTMLElement} card
 * @param {string} name
 * @returns {HTMLElement}
 */
function partOf(card, name) {
  const element = card.querySelector(`[data-part="${name}"]`);
  if (!(element instanceof HTMLElement)) throw new Error(`the card has no part ${name}`);
  return element;
}

/**
 * @param {HTMLElement} card
 * @param {Situation} situation
 * @param {State} state
 */
function updateCard(card, situation, { progress: last, access }) {
  const progress = progressOf(situation, last);
  setVerdict(partOf(card, 'phase'), phaseVerdict(situation, progress));
  setText(partOf(card, 'version'), versionText(situation));
  const failure = partOf(card, 'failure');
  const reason = failureOf(situation);
  failure.className = 'banner bad';
  failure.hidden = reason === undefined;
  setText(failure, reason ?? '');
  const step = partOf(card, 'step');
  setText(step, stepText(situation, progress));
  step.hidden = step.textContent === '';
  updateBar(card, 'objects', progress && { done: progress.objectsDone, total: progress.objectsTotal, word: 'object' });
  updateBar(
    card,
    'workloads',
    progress && { done: progress.workloadsReady, total: progress.workloadsTotal, word: 'workload', state: ' ready' },
  );
  partOf(card, 'conditions-box').hidden = situation.conditions.length === 0;
  updateConditions(partOf(card, 'conditions'), situation);
  const again = card.querySelector('button.again');
  if (again instanceof HTMLButtonElement) again.hidden = access !== 'write';
}

/** @param {Situation} situation */
function versionText({ version: { target, observed } }) {
  if (target === '' || observed === '' || observed === target) return target || observed;
  return `${observed} → ${target}`;
}

/**
 * @param {Situation} situation
 * @param {Progress | undefined} progress
 */
function stepText({ waiting, step, phase }, progress) {
  if (waiting !== undefined) return `${waiting.step}: waiting for ${waiting.awaited}`;
  // Progress is told more often than the situation, and stays after the pass.
  const current = phase === 'Deployed' ? step : (progress?.step ?? step);
  return current ? `Step: ${current}` : '';
}

/**
 * @param {HTMLElement} card
 * @param {string} name
 * @param {{ done: number, total: number, word: string, state?: string } | undefined} measure
 */
function updateBar(card, name, measure) {
  const bar = /** @type {HTMLProgressElement} */ (partOf(card, name));
  const box = bar.parentElement;
  if (box !== null) box.hidden = measure === undefined;
  if (measure === undefined) return;
  const { done, total, word, state = '' } = measure;
  bar.max = Math.max(1, total);
  bar.value = done;
  setText(partOf(card, `${name}-text`), `${done} of ${plural(total, word)}${state}`);
}

/**
 * @param {HTMLElement} body
 * @param {Situation} situation
 */
function updateConditions(body, situation) {
  syncChildren(body, situation.conditions, {
    key: ({ type }) => type,
    create: ({ type }) => {
      const title = build('th', '', type);
      title.scope = 'row';
      return build(
        'tr',
        '',
        title,
        build('td', '', buildVerdict()),
        build('td'),
        build('td', '', build('time')),
        build('td', 'text'),
      );
    },
    update: (row, condition) => {
      const [, holds, reason, since, message] = row.children;
      if (holds?.firstElementChild) setVerdict(holds.firstElementChild, conditionVerdict(condition));
      if (reason) setText(reason, condition.reason || '–');
      const time = since?.firstElementChild;
      if (time instanceof HTMLTimeElement) setMoment(time, condition.since);
      if (message) setText(message, messageText(condition, failureOf(situation)));
    },
  });
}

/**
 * What stands in large letters above the conditions is not said again with each of them.
 * @param {{ message: string }} condition
 * @param {string | undefined} failure
 */
function messageText({ message }, failure) {
  return message === failure ? 'see above' : message || '–';
}
