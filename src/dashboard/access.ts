import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Tokens of the dashboard. Without a reading token it may only listen on loopback. */
export interface DashboardTokens {
  /** Needed for every page; absent: whoever reaches the loopback port may read. */
  read?: string | undefined;
  /** Needed to have a key reconciled again; absent: nobody may. It is good for reading as well. */
  write?: string | undefined;
}

/** What a caller may do. */
export type Access = 'none' | 'read' | 'write';

/** What a caller brings: a token, or the session that signing in with one has given. */
export interface Credentials {
  token?: string | undefined;
  session?: string | undefined;
}

/** A day: long enough to watch an update, short enough to be forgotten. */
export const SESSION_MS = 24 * 3_600_000;

/** Decides what credentials are good for at a time in milliseconds since the epoch. Takes equally long whatever is wrong with them. */
export function decideAccess(given: Credentials, tokens: DashboardTokens, now: number): Access {
  if (isGoodFor(tokens.write, given, now)) return 'write';
  if (isGoodFor(tokens.read, given, now)) return 'read';
  return tokens.read === undefined ? 'read' : 'none';
}

/** True for a token that gives any right beyond what everybody has; only such a one starts a session. */
export function isKnownToken(token: string, tokens: DashboardTokens): boolean {
  return [tokens.write, tokens.read].some((wanted) => isGoodFor(wanted, { token }, 0));
}

function isGoodFor(wanted: string | undefined, { token, session }: Credentials, now: number): boolean {
  if (wanted === undefined) return false;
  const isToken = token !== undefined && isEqual(token, wanted);
  const isSession = session !== undefined && isSessionOf(wanted, session, now);
  return isToken || isSession;
}

/**
 * The session that a token gives: when it ends, and proof that whoever made it knew the token. So every replica knows it, a changed token ends it, and the
 * browser need not keep the token itself.
 */
export function createSession(token: string, now: number): string {
  const end = String(now + SESSION_MS);
  return `${end}.${sign(token, end)}`;
}

/** When a session ends, in milliseconds since the epoch; undefined for one that is not good for anything now. */
export function readSessionEnd(session: string, tokens: DashboardTokens, now: number): number | undefined {
  const isGood = [tokens.write, tokens.read].some((wanted) => isGoodFor(wanted, { session }, now));
  return isGood ? Number(session.split('.')[0]) : undefined;
}

function isSessionOf(token: string, session: string, now: number): boolean {
  const [end = '', proof = ''] = session.split('.');
  return isEqual(proof, sign(token, end)) && Number(end) > now;
}

function sign(token: string, end: string): string {
  return createHmac('sha256', token).update(`virt-operator dashboard ${end}`).digest('base64url');
}

/** Compares in constant time whatever the lengths are. */
function isEqual(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
