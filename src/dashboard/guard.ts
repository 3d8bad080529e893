import { isIPv4 } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import {
  createSession,
  decideAccess,
  readSessionEnd,
  SESSION_MS,
  type Access,
  type DashboardTokens,
} from './access.ts';

/** True for addresses and names that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * Without a reading token the loopback port is open to whoever is on this machine, and a web page of anybody's could make its own name point there (DNS
 * rebinding): then only requests for a name of this machine are answered.
 */
export function requireLocalName(tokens: DashboardTokens): RequestHandler {
  return (request, response, next) => {
    if (tokens.read !== undefined || isLoopback(hostName(request))) {
      next();
      return;
    }
    const text = 'without DASHBOARD_TOKEN the dashboard is there under localhost, 127.0.0.1 and [::1] only\n';
    response.status(421).type('text/plain').send(text);
  };
}

function hostName(request: Request): string {
  const { host = '' } = request.headers;
  return URL.parse(`http://${host}`)?.hostname ?? '';
}

/** What the caller may do. */
export function accessOf(request: Request, tokens: DashboardTokens): Access {
  const token = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1];
  return decideAccess({ token, session: readCookie(request) }, tokens, Date.now());
}

/** A session that a caller was given, and when it ends in milliseconds since the epoch. */
export interface Session {
  id: string;
  endsAt: number;
}

/** The caller's session; undefined for callers without a good one. */
export function sessionOf(request: Request, tokens: DashboardTokens): Session | undefined {
  const id = readCookie(request);
  const endsAt = id === undefined ? undefined : readSessionEnd(id, tokens, Date.now());
  return id === undefined || endsAt === undefined ? undefined : { id, endsAt };
}

/** Turns callers away who may not read: browsers get the page to sign in, others a sentence. */
export function requireRead(tokens: DashboardTokens, sendSignIn: (response: Response) => void): RequestHandler {
  return (request, response, next) => {
    if (accessOf(request, tokens) !== 'none') {
      next();
      return;
    }
    response.status(401).set('WWW-Authenticate', 'Bearer');
    if (request.method === 'GET' && request.accepts(['json', 'html']) === 'html') sendSignIn(response);
    else response.json({ error: 'a token is required: Authorization: Bearer …, or sign in' });
  };
}

/** Refuses changes that a page of another site asks for, whatever the browser sends along. */
export const refuseOtherSites: RequestHandler = (request, response, next) => {
  if (isReading(request) || isSameOrigin(request)) next();
  else response.status(403).json({ error: 'this was asked for by a page of another site' });
};

/** Lets changes through only with the write token: 401 for those who may become a writer by signing in, 403 for readers (spec/field-reports.md L27). */
export function requireWrite(tokens: DashboardTokens): RequestHandler {
  return (request, response, next) => {
    if (isReading(request) || accessOf(request, tokens) === 'write') {
      next();
      return;
    }
    // Whoever has come here although reading needs a token has given one.
    const canSignIn = tokens.read === undefined && tokens.write !== undefined;
    if (canSignIn) response.set('WWW-Authenticate', 'Bearer');
    response.status(canSignIn ? 401 : 403).json({ error: 'this needs the write token of the dashboard' });
  };
}

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Browsers say where a request comes from; the cookie alone does not tell ports of one host apart. */
function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || URL.parse(origin)?.host === request.get('host');
}

/** Gives the browser a session for a token. */
export function startSession(request: Request, response: Response, token: string): void {
  response.cookie(cookieName(request), createSession(token, Date.now()), {
    ...cookieOptions(request),
    maxAge: SESSION_MS,
  });
}

/** Takes the session away from the browser. */
export function endSession(request: Request, response: Response): void {
  response.clearCookie(cookieName(request), cookieOptions(request));
}

function cookieOptions(request: Request) {
  const isTls = request.secure || request.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
  return { httpOnly: true, sameSite: 'strict', secure: isTls, path: '/' } as const;
}

/** Cookies belong to a host with all its ports: two dashboards behind two forwarded ports must not share one. */
function cookieName(request: Request): string {
  return `virt-operator-${URL.parse(`http://${request.headers.host ?? ''}`)?.port || 'session'}`;
}

function readCookie(request: Request): string | undefined {
  const wanted = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}
