// @ts-check
/** The tables of components and certificates. */

import { build, buildVerdict, byId, now, setMoment, setText, setVerdict, syncChildren } from './dom.js';
import { certificateVerdict, componentVerdict } from './words.js';

/** @typedef {import('./words.js').ComponentState} ComponentState */
/** @typedef {import('./words.js').CertificateState} CertificateState */
/** @typedef {import('./app.js').State} State */

/** @param {State} state */
export function showComponents({ situations = [] }) {
  const components = situations.flatMap((situation) => situation.components);
  syncTable('components', components, {
    key: ({ kind, name }) => `${kind}/${name}`,
    create: ({ kind, name }) =>
      buildRow(name, build('td', '', kind), build('td', '', buildVerdict()), number(), number()),
    update: (row, component) => {
      const [, , state, ready, updated] = row.children;
      if (state?.firstElementChild) setVerdict(state.firstElementChild, componentVerdict(component));
      if (ready) setText(ready, countText(component, component.ready));
      if (updated) setText(updated, countText(component, component.updated));
    },
  });
}

/** Before its nodes are known, a DaemonSet wants no pods. @param {ComponentState} component @param {number} count */
function countText({ wanted }, count) {
  return wanted === 0 && count === 0 ? '–' : `${count} of ${wanted}`;
}

/** @param {State} state */
export function showCertificates({ situations = [] }) {
  const certificates = situations.flatMap((situation) => situation.certificates);
  certificates.sort((a, b) => firstDate(a) - firstDate(b));
  syncTable('certificates', certificates, {
    key: ({ secret }) => secret,
    create: ({ secret, isAuthority }) =>
      buildRow(
        secret,
        build('td', '', isAuthority ? 'authority' : 'service or client'),
        build('td', '', buildVerdict()),
        build('td', '', build('time')),
        build('td', '', build('time')),
      ),
    update: (row, certificate) => {
      const [, , state, renewed, ends] = row.children;
      if (state?.firstElementChild) setVerdict(state.firstElementChild, certificateVerdict(certificate, now()));
      if (renewed?.firstElementChild instanceof HTMLTimeElement)
        setMoment(renewed.firstElementChild, certificate.renewsAt);
      if (ends?.firstElementChild instanceof HTMLTimeElement) setMoment(ends.firstElementChild, certificate.notAfter);
    },
  });
}

/** @param {CertificateState} certificate */
function firstDate({ renewsAt, notAfter }) {
  return Math.min(renewsAt ?? notAfter, notAfter);
}

/** @param {string} title @param {...HTMLElement} cells */
function buildRow(title, ...cells) {
  const head = build('th', '', title);
  head.scope = 'row';
  return build('tr', '', head, ...cells);
}

const number = () => build('td', 'number');

/**
 * Shows the rows of a table, or in its place the sentence that says why there are none.
 * @template T
 * @param {string} id
 * @param {readonly T[]} items
 * @param {Parameters<typeof syncChildren<T>>[2]} how
 */
function syncTable(id, items, how) {
  const table = /** @type {HTMLTableElement} */ (byId(id));
  byId(`${id}-empty`).hidden = items.length > 0;
  const box = table.parentElement;
  if (box !== null) box.hidden = items.length === 0;
  const body = table.tBodies[0];
  if (body !== undefined) syncChildren(body, items, how);
}
