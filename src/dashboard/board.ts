import type { Queue } from 'bullmq';
import type { RequestHandler } from 'express';

/** Where Bull Board lives below the dashboard's root. */
export const BOARD_PATH = '/queues';

async function createBoard(queues: readonly Queue[], readOnly: boolean): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BOARD_PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: readOnly, allowRetries: !readOnly })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'virt-operator' } },
  });
  return serverAdapter.getRouter() as RequestHandler;
}

/** Bull Board, loaded at its first visit: a process whose dashboard nobody opens does not pay for it. */
export function serveBoard(queues: readonly Queue[], readOnly: boolean): RequestHandler {
  let board: Promise<RequestHandler> | undefined;
  return async (request, response, next) => {
    board ??= createBoard(queues, readOnly);
    await (
      await board
    )(request, response, next);
  };
}
