import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** One finished request, from the API server's audit log. */
export interface AuditedRequest {
  verb: string;
  userAgent: string;
  resource: string;
  subresource: string;
  name: string;
  code: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** When it was answered; of a watch, when it began. */
  answeredAt: number;
  /** With its query. */
  uri: string;
}

/** Verbs that change something. */
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface AuditEvent {
  stage: string;
  verb: string;
  userAgent?: string;
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  requestURI: string;
  objectRef?: { resource?: string; subresource?: string; name?: string };
  responseStatus?: { code?: number };
}

function parseRequest(line: string): AuditedRequest & { stage: string } {
  const {
    stage,
    verb,
    userAgent = '',
    requestReceivedTimestamp,
    stageTimestamp,
    requestURI: uri,
    objectRef = {},
    responseStatus = {},
  } = JSON.parse(line) as AuditEvent;
  const { resource = '', subresource = '', name = '' } = objectRef;
  const [at, answeredAt] = [Date.parse(requestReceivedTimestamp), Date.parse(stageTimestamp)];
  return { stage, verb, userAgent, resource, subresource, name, code: responseStatus.code ?? 0, at, answeredAt, uri };
}

/** Reads the requests of one program from the audit log; a watch counts when it begins. */
export async function readRequests(auditLog: string, userAgentPrefix: string): Promise<AuditedRequest[]> {
  const requests: AuditedRequest[] = [];
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    if (!line.includes(userAgentPrefix)) continue;
    const { stage, ...request } = parseRequest(line);
    const counts = request.verb === 'watch' ? stage === 'ResponseStarted' : stage === 'ResponseComplete';
    if (counts && request.userAgent.startsWith(userAgentPrefix)) requests.push(request);
  }
  return requests;
}

/** True for a request that changes something, a refused one included. */
export function isWrite(request: AuditedRequest): boolean {
  return WRITES.has(request.verb);
}

/** How many of the requests were being answered at the same time at most. */
export function countParallel(requests: readonly AuditedRequest[]): number {
  const edges = requests.flatMap(({ at, answeredAt }) => [
    { at, change: 1 },
    { at: answeredAt, change: -1 },
  ]);
  // Of equal times, to the millisecond, what ends comes first: it has made room.
  edges.sort((a, b) => a.at - b.at || a.change - b.change);
  let running = 0;
  return Math.max(0, ...edges.map(({ change }) => (running += change)));
}
