import type { Queue } from 'bullmq';
import { Router, type Express, type Request, type RequestHandler } from 'express';
import { stripPage } from './board-page.ts';
import { BOARD_PATH } from './paths.ts';

/** What a visitor of Bull Board may do decides which buttons there are. */
export type BoardAccess = 'read' | 'write';

/** Bull Board for both kinds of visitors. */
type Boards = Record<BoardAccess, Express>;

async function createBoards(queues: readonly Queue[]): Promise<Boards> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const build = (access: BoardAccess): Express => {
    const serverAdapter = new ExpressAdapter();
    serverAdapter.setBasePath(BOARD_PATH);
    const options = { readOnlyMode: access === 'read', allowCompletedRetries: false };
    createBullBoard({
      queues: queues.map((queue) => new BullMQAdapter(queue, options)),
      serverAdapter,
      options: {
        uiConfig: {
          boardTitle: 'virt-operator queues',
          favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
          miscLinks: [{ text: 'Installation', url: '../' }],
          hideDocsLink: true,
          // Our workers take jobs by themselves; a list of BullMQ's own would say that there are none.
          showWorkers: false,
          locale: { lng: 'en-US' },
          environment: {
            label: access === 'read' ? 'read only' : 'retry allowed',
            color: '#2f5d8a',
            textColor: '#fff',
          },
        },
      },
    });
    return (serverAdapter.getRouter() as Express).disable('x-powered-by');
  };
  return { read: build('read'), write: build('write') };
}

/**
 * Bull Board, loaded at its first visit: a process whose dashboard nobody opens does not pay for it. It only ever shows: what changes something is
 * answered before it comes here, and everything but reading is refused.
 */
export function serveBoard(
  queues: () => readonly Queue[] | undefined,
  accessOf: (request: Request) => BoardAccess,
): Router {
  const router = Router();
  let boards: Promise<Boards> | undefined;
  router.use(refuseChanges);
  router.use((request, response, next) => {
    const open = queues();
    if (open === undefined) {
      response.status(503).json({ error: 'Redis is not reachable, or holds no queue of a cluster yet' });
      return;
    }
    boards ??= createBoards(open);
    return boards.then((loaded) => {
      stripPage(response);
      loaded[accessOf(request)](request, response, next);
    });
  });
  return router;
}

/** The queue is never paused, emptied, cleaned, obliterated or edited by a click (design decision 2), whatever the page sends. */
const refuseChanges: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else response.status(403).json({ error: 'this dashboard starts passes again and changes nothing else in the queue' });
};
