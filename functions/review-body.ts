import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { errorText } from '../src/errors.ts';
import { createGate, GateFull, type Gate } from './gate.ts';
import { hasTooManyMarks } from './marks.ts';
import { cutText } from './verdict.ts';

/** Largest review that is read, in bytes: an old object of etcd's maximum size and a new one of the API server's, with room to spare. */
const MAX_REVIEW_BYTES = 5 * 1024 * 1024;
/** Beyond this a review is large: a KubeVirt object with all that people set is a tenth of it. */
const LARGE_BYTES = 128 * 1024;
/** A large review that takes longer to arrive is given up: others wait behind it. */
const LARGE_READ_MS = 5000;

class TooComplex extends Error {
  readonly status = 413;
}

function requireSimple(body: Buffer): void {
  if (hasTooManyMarks(body)) throw new TooComplex('a review has fewer parts than that');
}

class WrongCharset extends Error {
  readonly status = 415;
}

const answer = (response: Response, status: number, text: string) => {
  response.status(status).type('text/plain').send(cutText(text));
};

const requireJson: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === 'application/json') next();
  else answer(response, 415, 'the content type of a review is application/json');
};

const sizeOf = (body: unknown) => (typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0);

/** A host that reads bodies itself has limits of its own; the size that the caller has announced is there all the same. */
const refuseHuge: RequestHandler = (request, response, next) => {
  if (Number(request.headers['content-length'] ?? 0) <= MAX_REVIEW_BYTES && sizeOf(request.body) <= MAX_REVIEW_BYTES)
    next();
  else answer(response, 413, 'a review is smaller than that');
};

/** A review whose size nobody knows before it is read counts as large. */
function isLarge({ headers }: Parameters<RequestHandler>[0]): boolean {
  const isUnknown =
    headers['content-length'] === undefined || (headers['content-encoding'] ?? 'identity') !== 'identity';
  return isUnknown || Number(headers['content-length']) > LARGE_BYTES;
}

/** Large reviews are few at a time, from their first byte to the answer. */
const takeTurn =
  (gate: Gate): RequestHandler =>
  async (request, response, next) => {
    if (!isLarge(request)) {
      next();
      return;
    }
    if (response.destroyed) return;
    const left = new AbortController();
    const closed = new Promise<void>((resolve) => {
      const end = () => {
        left.abort(new Error('the caller has left'));
        resolve();
      };
      // Not every serverless host closes a response.
      response.once('close', end).once('finish', end);
    });
    try {
      await gate(async () => {
        giveUpWhenSlow(request);
        next();
        await closed;
      }, left.signal);
    } catch (error) {
      // The only other reason is that the caller has left.
      if (error instanceof GateFull) answer(response.set('Retry-After', '1'), 429, error.message);
    }
  };

function giveUpWhenSlow(request: Parameters<RequestHandler>[0]): void {
  // What a serverless host has read already needs no time.
  if (request.readableEnded || request.body !== undefined) return;
  const timer = setTimeout(() => {
    request.socket.destroy();
  }, LARGE_READ_MS);
  const stop = () => {
    clearTimeout(timer);
  };
  request.once('end', stop).once('close', stop);
}

/** A serverless host may hand over the body as it came, in one piece, and leave the parser nothing to read. */
const parseGivenBody: RequestHandler = (request, response, next) => {
  const body: unknown = request.body;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    next();
    return;
  }
  try {
    requireSimple(Buffer.from(body));
    request.body = JSON.parse(body.toString()) as unknown;
  } catch (error) {
    answer(response, error instanceof TooComplex ? error.status : 400, errorText(error));
    return;
  }
  next();
};

/** Body-parser's errors carry the status to answer with: 400 malformed, 413 too large, 415 wrong encoding. */
export const answerUnreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const status = z.object({ status: z.number().int().min(400).max(499) }).safeParse(error);
  answer(response, status.success ? status.data.status : 500, errorText(error));
};

/** Large reviews that are dealt with at a time, and that wait. */
const LARGE = { running: 2, waiting: 16, what: 'large reviews' };

/**
 * Reads the JSON of a review into `request.body`, or answers 4xx: wrong content type, malformed, too large, too many large ones at a time. Under a serverless
 * host the body may have been read or parsed already; it is left alone then. Bounds what anybody who reaches the port can make the process hold in memory.
 */
export function readReview(): RequestHandler[] {
  const readBody = express.json({
    limit: MAX_REVIEW_BYTES,
    strict: false,
    verify: (_request, _response, body, charset) => {
      // Parts are counted in bytes, which mean something else in UTF-16. API servers write UTF-8.
      if (charset !== 'utf-8') throw new WrongCharset('the charset of a review is utf-8');
      requireSimple(body);
    },
  });
  return [requireJson, refuseHuge, takeTurn(createGate(LARGE)), parseGivenBody, readBody];
}
