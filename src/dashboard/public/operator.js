// @ts-check
/** Who leads, whether Redis answers, how many jobs there are, and when the next pass is planned. */

import { build, buildVerdict, byId, clockText, setMoment, setText, setVerdict, syncChildren } from './dom.js';

/** @typedef {import('./words.js').Verdict} Verdict */
/** @typedef {import('./app.js').State} State */

/** @param {State} state */
export function showOperator(state) {
  showLeader(state);
  const redis = byId('redis');
  const verdict = redis.firstElementChild ?? redis.appendChild(buildVerdictIn(redis));
  setVerdict(verdict, redisVerdict(state));
  setText(byId('queue'), queueText(state));
  showWakeUps(state);
}

const NOBODY = 'Nobody: nothing is installed or repaired until a worker leads.';
/** A Redis that has lost the lock knows of no leader, although one is at work. */
const HANDING_OVER = 'Not known at the moment; a pass is running.';

/** @param {HTMLElement} parent */
function buildVerdictIn(parent) {
  parent.replaceChildren();
  return buildVerdict();
}

/** @param {State} state */
function showLeader({ leader, queue }) {
  const cell = byId('leader');
  if (!leader) {
    const nobody = queue?.active ? HANDING_OVER : NOBODY;
    cell.replaceChildren(leader === undefined ? '–' : nobody);
    return;
  }
  if (cell.firstElementChild === null) {
    cell.replaceChildren(build('strong'), ', for ', build('time'), ', since ', build('span'));
  }
  const [name, lasted, since] = cell.children;
  if (name) setText(name, leader.holder);
  if (lasted instanceof HTMLTimeElement) setMoment(lasted, leader.since, 'duration');
  if (since) setText(since, clockText(leader.since));
}

/**
 * @param {State} state
 * @returns {Verdict}
 */
function redisVerdict({ redis }) {
  switch (redis?.state) {
    case 'ready':
      return { tone: 'good', text: 'reachable' };
    case 'away':
      return { tone: 'bad', text: 'not reachable' };
    case 'searching':
      return { tone: 'busy', text: 'no queue found yet' };
    default:
      return { tone: 'idle', text: 'unknown' };
  }
}

/** @param {State} state */
function queueText({ queue }) {
  if (queue === undefined) return '–';
  const { waiting, active, failed, completed } = queue;
  return `${waiting} waiting, ${active} running · last day: ${completed} done, ${failed} failed`;
}

/** @param {State} state */
function showWakeUps({ wakeUps }) {
  const cell = byId('wake-ups');
  if (wakeUps === undefined || wakeUps.length === 0) {
    cell.replaceChildren(wakeUps === undefined ? '–' : 'when something changes');
    return;
  }
  if (cell.firstElementChild === null) cell.replaceChildren(build('ul', 'plain'));
  const list = cell.firstElementChild;
  if (list === null) return;
  syncChildren(list, wakeUps, {
    key: ({ key }) => key,
    create: () => build('li', '', build('time'), ' ', build('span')),
    update: (item, { at, reason }) => {
      const [time, text] = item.children;
      if (time instanceof HTMLTimeElement) setMoment(time, at);
      if (text) setText(text, reason === '' ? '' : `(${reason})`);
    },
  });
}
