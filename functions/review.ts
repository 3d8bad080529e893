import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import { errorText } from '../src/errors.ts';
import type { Log } from '../src/log.ts';

/** Largest review that is read, in bytes: an old and a new object of etcd's maximum size each, with room to spare. */
const MAX_REVIEW_BYTES = 7 * 1024 * 1024;

const object = z.record(z.string(), z.unknown());

const reviewSchema = z.object({
  apiVersion: z.literal('admission.k8s.io/v1', { error: 'only admission.k8s.io/v1 is understood' }),
  kind: z.literal('AdmissionReview', { error: 'kind must be AdmissionReview' }),
  request: z.object({
    uid: z.string().min(1),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    resource: z.object({ group: z.string(), version: z.string(), resource: z.string() }),
    name: z.string().optional(),
    namespace: z.string().optional(),
    object: object.nullish(),
    oldObject: object.nullish(),
    dryRun: z.boolean().optional(),
  }),
});

/** The part of an AdmissionReview that the API server asks about. */
export type AdmissionRequest = z.infer<typeof reviewSchema>['request'];

/** One violated rule, as it stands in `status.details.causes` (spec/webhooks.md §2). */
export interface Violation {
  reason: 'FieldValueInvalid' | 'FieldValueNotSupported' | 'FieldValueForbidden';
  /** Path of the field in the KubeVirt object; absent where no single field is at fault. */
  field?: string;
  message: string;
}

/** The answer of a validation: one of four shapes (spec/webhooks.md §2). */
export type Verdict =
  | { kind: 'allowed'; warnings?: string[] }
  | { kind: 'refused'; message: string }
  | { kind: 'schema'; problems: string[] }
  | { kind: 'violations'; violations: Violation[]; warnings?: string[] };

/** Decides about one request. A rejected promise is answered as a refusal that carries the error's text. */
export type Admit = (request: AdmissionRequest, signal: AbortSignal) => Promise<Verdict>;

/** At most this many causes stand in a schema rejection; the message tells how many more there are (spec/webhooks.md §2). */
const MAX_SCHEMA_CAUSES = 10;

interface Cause {
  reason?: string;
  field?: string;
  message: string;
}

const invalid = (message: string, causes: Cause[]) => ({
  metadata: {},
  status: 'Failure',
  message,
  reason: 'Invalid',
  code: 422,
  details: { causes },
});

/** Builds the `response` of a review from a verdict. */
export function buildResponse(uid: string, verdict: Verdict): Record<string, unknown> {
  const warned = 'warnings' in verdict && verdict.warnings.length > 0 ? { warnings: verdict.warnings } : {};
  switch (verdict.kind) {
    case 'allowed':
      return { uid, allowed: true, ...warned };
    case 'refused':
      return { uid, allowed: false, status: { metadata: {}, message: verdict.message, code: 400 } };
    case 'schema': {
      const shown = verdict.problems.slice(0, MAX_SCHEMA_CAUSES);
      const rest = verdict.problems.length - shown.length;
      const message = `${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
      return {
        uid,
        allowed: false,
        status: invalid(
          message,
          shown.map((problem) => ({ message: problem })),
        ),
      };
    }
    case 'violations': {
      const message = verdict.violations.map((violation) => violation.message).join(', ');
      return { uid, allowed: false, status: invalid(message, verdict.violations), ...warned };
    }
  }
}

const answerReview =
  (admit: Admit, log: Log): RequestHandler =>
  async (request, response) => {
    const review = reviewSchema.safeParse(request.body);
    if (!review.success) {
      response
        .status(400)
        .type('text/plain')
        .send(`not an AdmissionReview: ${z.prettifyError(review.error)}`);
      return;
    }
    const { apiVersion, kind } = review.data;
    const { uid, operation } = review.data.request;
    const aborted = new AbortController();
    response.once('close', () => {
      aborted.abort();
    });
    const verdict = await admit(review.data.request, aborted.signal).catch((error: unknown): Verdict => {
      log.warn({ reason: errorText(error), operation }, 'admission could not decide');
      return { kind: 'refused', message: errorText(error) };
    });
    if (verdict.kind !== 'allowed') log.debug({ uid, operation, verdict: verdict.kind }, 'admission refused');
    response.json({ apiVersion, kind, response: buildResponse(uid, verdict) });
  };

/** Body-parser's errors carry the status to answer with: 400 malformed, 413 too large, 415 wrong encoding. */
const answerUnreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const status = z.object({ status: z.number().int().min(400).max(499) }).safeParse(error);
  response
    .status(status.success ? status.data.status : 500)
    .type('text/plain')
    .send(errorText(error));
};

const requireJson: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === 'application/json') next();
  else response.status(415).type('text/plain').send('the content type of a review is application/json');
};

/**
 * An Express router that answers AdmissionReviews at `path` by `admit` and stands alone. Anything that is not a review is answered 4xx; a review is
 * always answered 200 with the uid of the request (spec/webhooks.md §2).
 */
export function createReviewRouter(path: string, admit: Admit, log: Log): Router {
  const router = express.Router();
  // Under a serverless host the body may have been parsed already; express.json leaves it alone then.
  router.post(path, requireJson, express.json({ limit: MAX_REVIEW_BYTES, strict: false }), answerReview(admit, log));
  router.all(path, (_request, response) => {
    response.status(405).set('Allow', 'POST').type('text/plain').send('reviews come by POST');
  });
  router.use(answerUnreadable);
  return router;
}
