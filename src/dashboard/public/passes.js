// @ts-check
/** The history of passes: one row each, opened by its button for causes, steps and errors. */

import { build, buildVerdict, byId, setMoment, setText, setVerdict, syncChildren } from './dom.js';
import { causeText, causesText, durationText, outcomeVerdict, plural } from './words.js';

/** @typedef {import('./words.js').ShownPass} ShownPass */
/** @typedef {import('./app.js').State} State */

/** As many passes are told without being asked for; fewer are all that there are. */
const RECENT_PASSES = 12;

/** A step that writes nothing is of interest only if it has taken so long. */
const SLOW_MS = 100;

/** @type {(pass: ShownPass) => string} Redis may start to count anew, so that the number alone names no pass. */
const keyOf = ({ id, startedAt }) => `pass-${id}-${startedAt}`;

/** @param {State} state */
export function showPasses({ passes, older = [], queue }) {
  const all = merge(passes ?? [], older);
  const table = /** @type {HTMLTableElement} */ (byId('passes'));
  const empty = byId('passes-empty');
  empty.hidden = all.length > 0;
  setText(empty, queue?.active ? 'The first pass is running.' : 'No pass has run yet.');
  const box = table.parentElement;
  if (box !== null) box.hidden = all.length === 0;
  byId('all-passes').hidden = older.length > 0 || all.length < RECENT_PASSES;
  syncChildren(table, all, { key: keyOf, create: createPass, update: updatePass, first: table.tHead });
}

/**
 * @param {readonly ShownPass[]} recent
 * @param {readonly ShownPass[]} older
 */
function merge(recent, older) {
  const known = new Set(recent.map(keyOf));
  return [...recent, ...older.filter((pass) => !known.has(keyOf(pass)))];
}

/** @param {ShownPass} pass */
function createPass(pass) {
  const id = keyOf(pass);
  const button = build('button', 'toggle', `Pass ${pass.id}`);
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', id);
  const title = build('th', '', button);
  title.scope = 'row';
  const began = build('time');
  const cells = [began, causesText(pass), buildVerdict(), durationText(pass.durationMs)];
  const row = build('tr', '', title, ...cells.map((cell) => build('td', '', cell)));
  const errors = build('td', pass.errorsTotal > 0 ? 'number bad' : 'number', String(pass.errorsTotal));
  row.append(build('td', 'number', String(pass.writes)), errors);
  row.children[2]?.classList.add('text');
  row.children[4]?.classList.add('number');
  const details = build('tr', 'details');
  details.id = id;
  details.hidden = true;
  button.addEventListener('click', () => {
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!isOpen));
    details.hidden = isOpen;
    if (!isOpen && details.childElementCount === 0) details.append(createDetails(pass));
  });
  return build('tbody', '', row, details);
}

/**
 * A pass that is over does not change; only its age does.
 * @param {HTMLElement} body
 * @param {ShownPass} pass
 */
function updatePass(body, pass) {
  const cells = body.firstElementChild?.children;
  const began = cells?.[1]?.firstElementChild;
  if (began instanceof HTMLTimeElement) setMoment(began, pass.startedAt);
  const outcome = cells?.[3]?.firstElementChild;
  if (outcome) setVerdict(outcome, outcomeVerdict(pass));
}

/** @param {ShownPass} pass */
function createDetails(pass) {
  const { causes, causesTotal, errors = [], errorsTotal, steps = [], written = [], writes, reason, worker, key } = pass;
  const cell = build('td');
  cell.colSpan = 7;
  cell.append(build('p', '', `KubeVirt ${key}, reconciled by ${worker} as job ${pass.id} of the queue.`));
  if (reason !== undefined) cell.append(build('p', '', build('strong', '', 'Reason: '), reason));
  const lists = build('div', 'lists');
  const errorTexts = errors.map(({ object, error }) => `${object}: ${error}`);
  if (errorsTotal > 0) lists.append(createList(plural(errorsTotal, 'error'), errorTexts, errorsTotal));
  lists.append(createList(plural(causesTotal, 'cause'), causes.map(causeText), causesTotal));
  const objects = written.map(({ verb, object }) => `${verb} ${object}`);
  if (writes > 0)
    lists.append(
      createList(plural(writes, 'write'), objects, writes, 'are of the KubeVirt object itself, or not listed'),
    );
  const busy = steps.filter(({ actions, durationMs }) => actions > 0 || durationMs >= SLOW_MS);
  const stepTexts = busy.map(({ name, actions, durationMs }) => {
    return `${name}: ${plural(actions, 'write')}, ${durationText(durationMs)}`;
  });
  if (steps.length > 0)
    lists.append(createList(plural(steps.length, 'step'), stepTexts, steps.length, 'had nothing to do'));
  cell.append(lists);
  return cell;
}

/**
 * @param {string} title
 * @param {readonly string[]} items
 * @param {number} total
 * @param {string} [rest] what is to be said of those that are not listed
 */
function createList(title, items, total, rest = 'are not listed') {
  const list = build('ul');
  for (const item of items) list.append(build('li', '', item));
  const more = total - items.length;
  if (more > 0) list.append(build('li', 'hint', `${items.length === 0 ? 'all' : more} ${rest}`));
  return build('section', '', build('h3', '', title), list);
}

/**
 * Lets the button fetch what is kept beyond the recent passes.
 * @param {(passes: ShownPass[]) => void} onPasses
 */
export function offerAllPasses(onPasses) {
  const told = byId('passes-answer');
  byId('all-passes').addEventListener('click', async () => {
    try {
      const answer = await fetch('api/passes');
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error);
      onPasses(body);
      setText(told, `${plural(body.length, 'pass', 'passes')}, all that are kept`);
    } catch (error) {
      setText(told, `The passes could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
