import type { CollectionEvent } from './collection.ts';

/** Tells whether an event is a reason for another pass (design decision 8). */
export type Relevance = (event: CollectionEvent) => boolean;

/** Every new resource version. */
export const anyVersion: Relevance = () => true;

/** Never: the object is only read. */
export const never: Relevance = () => false;

/** The object came or went; what is in it does not matter. */
export const presence: Relevance = (event) => event.type !== 'modified';

/**
 * What an administrator or another controller asks for has changed: generation, labels, annotations, finalizers, deletionTimestamp. A write of the
 * status, which is mostly our own, changes none of these.
 */
export const intent: Relevance = ({ type, object, previous }) => {
  if (type !== 'modified' || previous === undefined) return true;
  const [now, before] = [object.metadata, previous.metadata];
  return (
    now.generation !== before.generation ||
    now.deletionTimestamp !== before.deletionTimestamp ||
    !isSame(now.finalizers, before.finalizers) ||
    !isSame(now.labels, before.labels) ||
    !isSame(now.annotations, before.annotations)
  );
};

/** A Lease changed hands; renewals, every 2 seconds each, are no reason (spec/reconcile.md §8, point 2). */
export const holder: Relevance = ({ type, object, previous }) =>
  type !== 'modified' || object.spec?.['holderIdentity'] !== previous?.spec?.['holderIdentity'];

/** Only the named objects count. */
export function named(names: ReadonlySet<string>, relevance: Relevance): Relevance {
  return (event) => names.has(event.object.metadata.name ?? '') && relevance(event);
}

/** Holds when one of several does. */
export function either(...choices: Relevance[]): Relevance {
  return (event) => choices.some((relevance) => relevance(event));
}

/** The API server sorts the keys of maps, so equal values have equal texts; absent and empty count as the same. */
function isSame(one: object | undefined, other: object | undefined): boolean {
  return JSON.stringify(one ?? {}) === JSON.stringify(other ?? {}) || (isEmpty(one) && isEmpty(other));
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}
