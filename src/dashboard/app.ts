import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { DashboardTokens } from './access.ts';
import { serveAgain } from './again.ts';
import { serveBoard } from './board.ts';
import { accessOf, refuseOtherSites, requireLocalName, requireRead, requireWrite, sessionOf } from './guard.ts';
import type { Live } from './live.ts';
import { BOARD_PATH, PUBLIC_FOLDER } from './paths.ts';
import type { Shown } from './shown.ts';
import { createSignIn, createSignInPage } from './sign-in.ts';

/** What the pages are built from. */
export interface AppParts {
  tokens: DashboardTokens;
  live: Live;
  /** Undefined until the queue of a cluster is found. */
  shown: () => Shown | undefined;
  log: Log;
}

const NOWHERE = ["'none'"];
const SELF = ["'self'"];
/** Own scripts, own styles, nothing inline, and nothing from elsewhere. */
const PAGE_POLICY = {
  defaultSrc: NOWHERE,
  scriptSrc: SELF,
  styleSrc: SELF,
  imgSrc: SELF,
  connectSrc: SELF,
  formAction: SELF,
  baseUri: NOWHERE,
  frameAncestors: NOWHERE,
};
/** Bull Board names its folder in <base>, colours code in a worker, puts images into its styles, and one style into a picture. */
const BOARD_POLICY = {
  ...PAGE_POLICY,
  styleSrc: ["'self'", "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: SELF,
  workerSrc: SELF,
  baseUri: SELF,
};

function secure(directives: Record<string, string[]>): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    // Whether a host speaks nothing but TLS is for whoever terminates it to say.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'same-origin' },
  });
}

/** The pages of the dashboard, without a server. */
export function buildApp({ tokens, live, shown, log }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  const [securePage, secureBoard] = [secure(PAGE_POLICY), secure(BOARD_POLICY)];
  app.use((request, response, next) => {
    (request.path.startsWith(BOARD_PATH) ? secureBoard : securePage)(request, response, next);
  });
  app.use(requireLocalName(tokens));
  app.use(refuseOtherSites);
  app.use('/assets', express.static(PUBLIC_FOLDER, { index: false, redirect: false, cacheControl: false }));
  const sendSignIn = createSignInPage(PUBLIC_FOLDER);
  const onSignOut = (session: string): void => {
    live.endSession(session);
  };
  app.use(createSignIn({ tokens, sendPage: sendSignIn, onSignOut }));
  app.use(requireRead(tokens, sendSignIn));
  app.use(requireWrite(tokens));
  const open = () => (shown()?.isReachable() === true ? shown() : undefined);
  const startAgain = async (key: string): Promise<void> => {
    const found = open();
    if (found === undefined) throw new Error('Redis is not reachable');
    await found.startAgain(key);
  };
  app.use(serveAgain({ queues: () => open()?.queues, startAgain }));
  app.use(serveRunPage({ tokens, live, shown }));
  app.use(
    BOARD_PATH,
    serveBoard(
      () => open()?.queues,
      (request) => (accessOf(request, tokens) === 'write' ? 'write' : 'read'),
    ),
  );
  app.use((request, response) => {
    response.status(404).json({ error: `there is nothing at ${request.path}` });
  });
  app.use(answerErrors(log));
  return app;
}

/** The page at the root, its events, and the whole history. */
function serveRunPage({ tokens, live, shown }: Omit<AppParts, 'log'>): express.Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    response.set('Cache-Control', 'no-cache').sendFile('index.html', { root: PUBLIC_FOLDER, cacheControl: false });
  });
  router.get('/events', (request, response) => {
    const access = accessOf(request, tokens);
    // Who may read without a token can still sign in for more, and who has signed in can sign out.
    const canSignIn = access !== 'write' && tokens.write !== undefined;
    const session = sessionOf(request, tokens);
    const isSignedIn = session !== undefined;
    live.join(response, { access, canSignIn, isSignedIn }, session);
  });
  router.get('/api/passes', async (_request, response) => {
    const source = shown()?.source;
    if (source === undefined) response.status(503).json({ error: 'no queue of a cluster was found in Redis yet' });
    else response.set('Cache-Control', 'no-store').json(await source.readPasses());
  });
  return router;
}

function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status = 503 } = error as { status?: number };
    if (status >= 500) log.debug({ err: error, path: request.path }, 'the dashboard could not answer');
    response.status(status).json({ error: errorText(error) });
  };
}
