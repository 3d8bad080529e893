import type { Queue } from 'bullmq';
import express, { Router } from 'express';
import { z } from 'zod';
import { parseJobData } from '../queue/job-data.ts';

/** What having a key reconciled again needs. */
export interface AgainParts {
  /** The queues by name; undefined while Redis is out of reach. */
  queues: () => readonly Queue[] | undefined;
  /** Has a key reconciled once more. */
  startAgain: (key: string) => Promise<void>;
}

/** Failed or delayed jobs that one click looks at; more are never kept (design decision 2). */
const JOBS_MAX = 1000;
const AWAY = { error: 'Redis is not reachable; nothing was started' };

/**
 * What Bull Board calls retry and promote, and the run page's button. A finished job is only a record: what has to come again is its key, with a cause of
 * its own, and as if it had never failed. A wake-up that goes off early would find nothing due; its key is queued instead, and the wake-up stays.
 */
export function serveAgain(parts: AgainParts): Router {
  const { startAgain } = parts;
  const router = Router();
  const board = '/queues/api/queues/:queue';
  router.put([`${board}/:job/retry`, `${board}/:job/promote`], async (request, response) => {
    const { queue = '', job = '' } = request.params as Record<string, string>;
    const open = parts.queues();
    if (open === undefined) return response.status(503).json(AWAY);
    const found = await open.find(({ name }) => name === queue)?.getJob(job);
    const key = readKey(found?.data);
    if (key === undefined) return response.status(404).json({ error: `there is no job ${job} with a key in ${queue}` });
    await startAgain(key);
    return response.status(204).end();
  });
  router.put([`${board}/retry/failed`, `${board}/promote`], async (request, response) => {
    const { queue = '' } = request.params as Record<string, string>;
    const open = parts.queues()?.find(({ name }) => name === queue);
    if (open === undefined) return response.status(503).json(AWAY);
    const jobs = await open.getJobs([request.path.endsWith('/failed') ? 'failed' : 'delayed'], 0, JOBS_MAX);
    const keys = [...new Set(jobs.map(({ data }) => readKey(data)).filter((key) => key !== undefined))];
    for (const key of keys) await startAgain(key);
    return response.status(200).json({ retried: jobs.length, skipped: 0 });
  });
  router.post('/api/again', express.json({ limit: '4kb' }), async (request, response) => {
    const body = again.safeParse(request.body);
    if (!body.success) return response.status(400).json({ error: 'the body must be {"key": "namespace/name"}' });
    await startAgain(body.data.key);
    return response.status(202).json({});
  });
  return router;
}

const again = z.object({ key: z.string().regex(/^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/) });

/** The key of a job of either queue; undefined for jobs of a newer build, too. */
function readKey(data: unknown): string | undefined {
  const job = parseJobData(data);
  return job.type === 'ours' ? job.key : undefined;
}
