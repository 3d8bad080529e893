import express, { type RequestHandler, type Router } from 'express';

/** One condition that a probe asks about: undefined when it holds, else what is missing. */
type Check = () => string | undefined;

/** The checks behind the three probes. Redis and leadership are never among them (design decision 12). */
export interface ProbeChecks {
  /** `/healthz`: the process can still do its work; failing restarts it. */
  live: readonly Check[];
  /** `/readyz`: webhook port, certificate and API caches are there; failing takes the pod out of Services. */
  ready: readonly Check[];
  /** `/startupz`: the process has come up; until then the other two are not asked. */
  started: readonly Check[];
}

const answer =
  (checks: readonly Check[]): RequestHandler =>
  (_request, response) => {
    const missing = checks.flatMap((check) => check() ?? []);
    response
      .status(missing.length === 0 ? 200 : 503)
      .type('text/plain')
      .send(missing.length === 0 ? 'ok\n' : `${missing.join('\n')}\n`);
  };

/** The probes of a pod, each with a meaning of its own; a failing one says what is missing. */
export function createProbes(checks: ProbeChecks): Router {
  const router = express.Router();
  router.get('/healthz', answer(checks.live));
  router.get('/readyz', answer(checks.ready));
  router.get('/startupz', answer(checks.started));
  return router;
}
