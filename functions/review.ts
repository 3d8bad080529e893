import express, { type RequestHandler, type Response, type Router } from 'express';
import { z } from 'zod';
import { errorText } from '../src/errors.ts';
import type { Log } from '../src/log.ts';
import { NO_TRACE, type Span, type Trace } from '../src/trace/trace.ts';
import { answerUnreadable, readReview } from './review-body.ts';
import { buildResponse, cutText, type Verdict } from './verdict.ts';

const object = z.record(z.string(), z.unknown());
/** A name that can stand in a path: Kubernetes allows no other, and a request of ours may be made with it. */
const segment = z.string().regex(/^(?!\.{1,2}$)[^/%]*$/, { error: 'not a name' });

const reviewSchema = z.object({
  apiVersion: z.literal('admission.k8s.io/v1', { error: 'only admission.k8s.io/v1 is understood' }),
  kind: z.literal('AdmissionReview', { error: 'kind must be AdmissionReview' }),
  request: z.object({
    // API servers send a UUID; it stands in the answer, the log and the trace.
    uid: z.string().min(1).max(256),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    resource: z.object({ group: z.string(), version: z.string(), resource: z.string() }),
    name: segment.optional(),
    namespace: segment.optional(),
    object: object.nullish(),
    oldObject: object.nullish(),
    dryRun: z.boolean().optional(),
  }),
});

/** The part of an AdmissionReview that the API server asks about. */
export type AdmissionRequest = z.infer<typeof reviewSchema>['request'];

/** Decides about one request. A rejected promise is answered as a refusal that carries the error's text. */
type Admit = (request: AdmissionRequest, signal: AbortSignal) => Promise<Verdict>;

/** What a router of reviews is made from. */
export interface ReviewOptions {
  path: string;
  /** Name of the function, for logs and metrics. */
  name: string;
  admit: Admit;
  log: Log;
  /** Told of each decision and how many seconds it took. */
  observe?: ObserveReview | undefined;
  /** Gets a span for each decision; the trace of an API server that sends `traceparent` goes on in it. */
  trace?: Trace | undefined;
}

/** Called after each decision. */
export type ObserveReview = (review: { function: string; verdict: Verdict['kind'] }, seconds: number) => void;

/** Milliseconds for one review; the API server has given up by then (spec/webhooks.md §1). */
const DECIDE_MS = 10_000;

/** Runs `decide` until the caller leaves or its time is over; rejects then, and `signal` tells `decide` to stop. */
async function decideInTime<T>(response: Response, decide: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (reason: string) => {
    const error = new Error(reason);
    over.reject(error);
    ending.abort(error);
  };
  const timer = setTimeout(end, DECIDE_MS, `no decision within ${DECIDE_MS} ms`);
  const onClose = () => {
    end('the caller has left');
  };
  response.once('close', onClose);
  try {
    return await Promise.race([decide(ending.signal), over.promise]);
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
}

/** V8 reports an exhausted stack as a RangeError: the object is nested deeper than any rule can follow. */
const describeFailure = (error: unknown) =>
  error instanceof RangeError ? `the object is nested too deeply: ${error.message}` : errorText(error);

const answerReview = (options: ReviewOptions): RequestHandler => {
  const { name, log, observe, trace = NO_TRACE } = options;
  return async (request, response) => {
    const review = reviewSchema.safeParse(request.body);
    if (!review.success) {
      response
        .status(400)
        .type('text/plain')
        .send(cutText(`not an AdmissionReview: ${z.prettifyError(review.error)}`));
      return;
    }
    const { apiVersion, kind } = review.data;
    const { uid, operation } = review.data.request;
    const begun = performance.now();
    const parent = request.header('traceparent');
    const verdict = await trace.span({ name, kind: 'server', attributes: { uid, operation }, parent }, (span) =>
      decide({ ...options, request: review.data.request, response, span }),
    );
    observe?.({ function: name, verdict: verdict.kind }, (performance.now() - begun) / 1000);
    if (verdict.kind !== 'allowed') log.debug({ uid, function: name, verdict: verdict.kind }, 'admission refused');
    if (!response.destroyed) response.json({ apiVersion, kind, response: buildResponse(uid, verdict) });
  };
};

/** Decides about a review, whatever happens: what cannot be decided is refused. */
async function decide({
  admit,
  name,
  log,
  request,
  response,
  span,
}: ReviewOptions & { request: AdmissionRequest; response: Response; span: Span }): Promise<Verdict> {
  try {
    const verdict = await decideInTime(response, (signal) => admit(request, signal));
    span.set({ verdict: verdict.kind });
    return verdict;
  } catch (error) {
    const reason = cutText(errorText(error));
    span.fail(reason);
    log.warn({ reason, function: name, operation: request.operation }, 'admission could not decide');
    return { kind: 'refused', message: describeFailure(error) };
  }
}

/**
 * An Express router that answers AdmissionReviews and stands alone. Anything that is not a review is answered 4xx; a review is
 * always answered 200 with the uid of the request (spec/webhooks.md §2).
 */
export function createReviewRouter(options: ReviewOptions): Router {
  const { path } = options;
  const router = express.Router();
  router.post(path, ...readReview(), answerReview(options));
  router.all(path, (_request, response) => {
    response.status(405).set('Allow', 'POST').type('text/plain').send('reviews come by POST');
  });
  router.use(answerUnreadable);
  return router;
}
