import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router, type RequestHandler, type Response } from 'express';
import { isKnownToken, type DashboardTokens } from './access.ts';
import { endSession, sessionOf, startSession } from './guard.ts';

const MESSAGE = '<!-- message -->';
const WRONG = '<p class="banner bad" role="alert">This is not a token of this dashboard.</p>';
/** No token is longer than this. */
const BODY_MAX = '4kb';

/** Sends the page that asks for a token; the status is the caller's. */
export function createSignInPage(publicFolder: string): (response: Response, isWrong?: boolean) => void {
  const page = readFileSync(join(publicFolder, 'sign-in.html'), 'utf8');
  return (response, isWrong = false) => {
    response
      .type('html')
      .set('Cache-Control', 'no-store')
      .send(page.replace(MESSAGE, isWrong ? WRONG : ''));
  };
}

/** What signing in and out needs. */
export interface SignInParts {
  tokens: DashboardTokens;
  sendPage: ReturnType<typeof createSignInPage>;
  /** Told the session of whoever signs out. */
  onSignOut: (session: string) => void;
}

/** Signing in and out by form, and by `?token=` once, after which the address bar does not keep it. */
export function createSignIn({ tokens, sendPage, onSignOut }: SignInParts): Router {
  const router = Router();
  router.use(takeTokenFromAddress(tokens));
  router.get('/sign-in', (_request, response) => {
    sendPage(response);
  });
  router.post('/sign-in', express.urlencoded({ extended: false, limit: BODY_MAX }), (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    if (typeof token === 'string' && isKnownToken(token.trim(), tokens)) {
      startSession(request, response, token.trim());
      response.redirect(303, './');
      return;
    }
    response.status(401);
    sendPage(response, true);
  });
  router.post('/sign-out', (request, response) => {
    const session = sessionOf(request, tokens);
    if (session !== undefined) onSignOut(session.id);
    endSession(request, response);
    response.redirect(303, './');
  });
  return router;
}

function takeTokenFromAddress(tokens: DashboardTokens): RequestHandler {
  return (request, response, next) => {
    const { token } = request.query;
    if (typeof token !== 'string' || request.method !== 'GET') {
      next();
      return;
    }
    if (isKnownToken(token, tokens)) startSession(request, response, token);
    response.set('Cache-Control', 'no-store').redirect(303, withoutToken(request.originalUrl));
  };
}

/** The same page of this server: an address that begins with two slashes would be another server's. */
function withoutToken(address: string): string {
  const { pathname = '/', searchParams } = URL.parse(address, 'http://this') ?? {};
  searchParams?.delete('token');
  const query = searchParams?.size ? `?${searchParams.toString()}` : '';
  return pathname.replace(/^\/+/, '/') + query;
}
