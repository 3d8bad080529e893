import { Agent, request } from 'node:https';

/** An answer over HTTPS. */
export interface Answer {
  code: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A client that keeps its connections and trusts every certificate. */
export interface HttpsClient {
  send(path: string, body?: unknown): Promise<Answer>;
  close(): void;
}

/** Opens a client of one loopback port: GET without a body, else POST of JSON. */
export function openClient(port: number): HttpsClient {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    send: (path, body) =>
      new Promise((resolve, reject) => {
        const data = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
        const headers =
          data === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) };
        const method = data === undefined ? 'GET' : 'POST';
        request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
          const chunks: Buffer[] = [];
          response
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('error', reject)
            .on('end', () => {
              const { statusCode: code = 0, headers: received } = response;
              resolve({ code, body: Buffer.concat(chunks).toString(), headers: received });
            });
        })
          .on('error', reject)
          .end(data);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

/** A review as an API server sends it. */
export function buildReview(
  operation: 'CREATE' | 'UPDATE' | 'DELETE',
  objects: { object?: object; oldObject?: object },
) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '00000000-0000-0000-0000-000000000001',
      operation,
      resource: { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' },
      name: 'kubevirt',
      namespace: 'kubevirt',
      ...objects,
    },
  };
}

/** A KubeVirt object with this spec. */
export function buildKubeVirt(spec: object, status?: object) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt' },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** The value of a series on a page of metrics; undefined when it is not there. */
export function readMetric(page: string, series: string): number | undefined {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
