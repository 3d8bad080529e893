import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the root of a trace. */
  parentSpanId: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number>;
  failure: string | undefined;
  /** Attributes of the process that has sent it. */
  resource: Record<string, string | number>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
}
interface Attribute {
  key: string;
  value: Value;
}
interface Payload {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'failure' | 'resource' | 'parentSpanId'> & {
        parentSpanId?: string;
        attributes: Attribute[];
        status: { code?: number; message?: string };
      })[];
    }[];
  }[];
}

const readAttributes = (attributes: Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.boolValue)]),
  );

function readSpans({ resourceSpans }: Payload): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, parentSpanId, ...span }) => ({
        ...span,
        parentSpanId: parentSpanId ?? '',
        attributes: readAttributes(attributes),
        failure: status.code === 2 ? (status.message ?? '') : undefined,
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

/** A collector for OTLP over HTTP on loopback. */
export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** Values of the header `authorization`. */
  authorizations: (string | undefined)[];
  close(): void;
}

/** Starts a collector that keeps what it gets. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      authorizations.push(request.headers.authorization);
      if (request.url === '/v1/traces') spans.push(...readSpans(JSON.parse(body.toString()) as Payload));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    authorizations,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
