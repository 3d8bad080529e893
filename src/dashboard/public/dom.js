// @ts-check
/** Small changes of the document: what is as it should be is not touched, so that focus, selection and the reading position stay. */

import { distanceText, wholeText } from './words.js';

/** @typedef {import('./words.js').Verdict} Verdict */

/**
 * An element of the page that is there for certain.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * A new element with text or children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} [className]
 * @param {...(string | Node)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function build(tag, className = '', ...children) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

/**
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Shows a state by sign, colour and words.
 * @param {Element} element
 * @param {Verdict} verdict
 */
export function setVerdict(element, { tone, text }) {
  const className = `state ${tone}`;
  if (element.className !== className) element.className = className;
  setText(element, text);
}

/**
 * A cell whose content is a state.
 * @param {string} [tag]
 */
export function buildVerdict(tag = 'span') {
  const element = document.createElement(tag);
  element.className = 'state idle';
  return element;
}

/** Difference between the operator's clock and that of this browser, in milliseconds. */
let clockOffset = 0;

/** Milliseconds since the epoch by the operator's clock. */
export function now() {
  return Date.now() + clockOffset;
}

/** @param {number} operatorNow */
export function setClock(operatorNow) {
  clockOffset = operatorNow - Date.now();
}

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY_MS = 86_400_000;

/**
 * A moment of the operator's clock by that of this browser: the time of the day, and the date unless it was lately.
 * @param {number} at
 */
export function clockText(at) {
  return (now() - at < DAY_MS / 2 ? CLOCK : MOMENT).format(at - clockOffset);
}

/**
 * Shows a moment as its distance from now, or as how long it has lasted, which goes on by itself; the moment itself as a tip.
 * @param {HTMLTimeElement} element
 * @param {number | undefined} at
 * @param {'distance' | 'duration'} [mode]
 */
export function setMoment(element, at, mode = 'distance') {
  element.dataset['mode'] = mode;
  const iso = at === undefined ? '' : new Date(at).toISOString();
  if (element.dateTime !== iso) {
    element.dateTime = iso;
    element.title = at === undefined ? '' : MOMENT.format(at - clockOffset);
  }
  if (at === undefined) setText(element, '–');
  else setText(element, momentText(element, at));
}

/** @param {HTMLTimeElement} element @param {number} at */
function momentText(element, at) {
  return element.dataset['mode'] === 'duration' ? wholeText(now() - at) : distanceText(at, now());
}

/** Moves all shown distances on. */
export function tick() {
  for (const element of document.querySelectorAll('time')) {
    if (element.dateTime !== '') setText(element, momentText(element, Date.parse(element.dateTime)));
  }
}

/**
 * Makes the children after `first` those of the given items, in their order; children of items that are still there stay the same elements.
 * @template T
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {{ key: (item: T) => string, create: (item: T) => HTMLElement, update: (element: HTMLElement, item: T) => void, first?: Element | null }} how
 */
export function syncChildren(parent, items, { key, create, update, first = null }) {
  /** @type {Map<string, HTMLElement>} */
  const left = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement && child.dataset['key'] !== undefined) left.set(child.dataset['key'], child);
  }
  let last = first;
  for (const item of items) {
    const name = key(item);
    const element = left.get(name) ?? create(item);
    left.delete(name);
    element.dataset['key'] = name;
    update(element, item);
    const place = last === null ? parent.firstElementChild : last.nextElementSibling;
    if (place !== element) parent.insertBefore(element, place);
    last = element;
  }
  for (const element of left.values()) element.remove();
}
