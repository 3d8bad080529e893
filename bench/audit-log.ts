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
}

/** Verbs that change something. */
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface AuditEvent {
  stage: string;
  verb: string;
  userAgent?: string;
  requestReceivedTimestamp: string;
  objectRef?: { resource?: string; subresource?: string; name?: string };
  responseStatus?: { code?: number };
}

function parseRequest(line: string): AuditedRequest & { stage: string } {
  const {
    stage,
    verb,
    userAgent = '',
    requestReceivedTimestamp,
    objectRef = {},
    responseStatus = {},
  } = JSON.parse(line) as AuditEvent;
  const { resource = '', subresource = '', name = '' } = objectRef;
  const at = Date.parse(requestReceivedTimestamp);
  return { stage, verb, userAgent, resource, subresource, name, code: responseStatus.code ?? 0, at };
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
