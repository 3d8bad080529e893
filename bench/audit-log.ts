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

/** Reads the finished requests of one program from the audit log; watches are in it when they end. */
export async function readRequests(auditLog: string, userAgentPrefix: string): Promise<AuditedRequest[]> {
  const requests: AuditedRequest[] = [];
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    if (!line.includes(userAgentPrefix)) continue;
    const event = JSON.parse(line) as AuditEvent;
    const userAgent = event.userAgent ?? '';
    if (event.stage !== 'ResponseComplete' || !userAgent.startsWith(userAgentPrefix)) continue;
    const { resource = '', subresource = '', name = '' } = event.objectRef ?? {};
    const at = Date.parse(event.requestReceivedTimestamp);
    requests.push({
      verb: event.verb,
      userAgent,
      resource,
      subresource,
      name,
      code: event.responseStatus?.code ?? 0,
      at,
    });
  }
  return requests;
}

/** True for a request that changes something, a refused one included. */
export function isWrite(request: AuditedRequest): boolean {
  return WRITES.has(request.verb);
}
