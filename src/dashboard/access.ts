import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';

/** Tokens of the dashboard. Without a reading token it may only listen on loopback. */
export interface DashboardTokens {
  /** Needed for every page; absent: whoever reaches the loopback port may read. */
  read?: string | undefined;
  /** Needed to retry or promote jobs; absent: nobody may. */
  write?: string | undefined;
}

/** What a caller may do. */
export type Access = 'none' | 'read' | 'write';

const COOKIE = 'virt-operator-token';
/** A day: long enough to watch an update, short enough to be forgotten. */
const COOKIE_SECONDS = 24 * 3600;

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Compares in constant time whatever the lengths are. */
const isEqual = (given: string, wanted: string | undefined) =>
  wanted !== undefined && timingSafeEqual(digest(given), digest(wanted));

function readCookie(header: string | undefined): string {
  const pair = (header ?? '')
    .split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === COOKIE);
  return decodeURIComponent(pair?.[1] ?? '');
}

/** Decides what a token is good for. */
export function decideAccess(token: string, tokens: DashboardTokens): Access {
  if (isEqual(token, tokens.write)) return 'write';
  if (tokens.read === undefined || isEqual(token, tokens.read)) return 'read';
  return 'none';
}

/** The token that comes with a request, and whether it stood in the address. */
function readToken(request: Request): { token: string; inAddress: boolean } {
  if (typeof request.query.token === 'string') return { token: request.query.token, inAddress: true };
  const bearer = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1];
  return { token: bearer ?? readCookie(request.get('cookie')), inAddress: false };
}

/** The jobs that a click may start again; pausing, emptying, cleaning and editing are never allowed (design decision 2). */
const WRITABLE = /\/(retry|promote)(\/[a-z-]+)?$/;

/**
 * Guards all pages by token: `Authorization: Bearer`, or once `?token=`, which becomes a cookie so that the address bar does not keep it. Changes need the
 * write token and are limited to retry and promote.
 */
export function requireAccess(tokens: DashboardTokens): RequestHandler {
  return (request, response, next) => {
    const { token, inAddress } = readToken(request);
    const access = decideAccess(token, tokens);
    if (access === 'none') {
      response
        .status(401)
        .set('WWW-Authenticate', 'Bearer')
        .type('text/plain')
        .send('a token is required: Authorization: Bearer …, or ?token=… once\n');
      return;
    }
    const isReading = ['GET', 'HEAD'].includes(request.method);
    if (!isReading && (access !== 'write' || !WRITABLE.test(request.path))) {
      response.status(403).json({ error: 'this dashboard does not change the queue' });
      return;
    }
    if (inAddress) {
      response.cookie(COOKIE, token, { httpOnly: true, sameSite: 'strict', maxAge: COOKIE_SECONDS * 1000 });
      response.redirect(303, request.path);
      return;
    }
    next();
  };
}
