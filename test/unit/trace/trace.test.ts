import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import express from 'express';
import { startCollector, type ReceivedSpan } from './collector.ts';

/** Packages of which something was loaded. */
const loaded = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(resolved.url)?.[1];
    if (name !== undefined) loaded.add(name);
    return resolved;
  },
});
const { createReviewRouter } = await import('../../../functions/review.ts');
const { createLog } = await import('../../../src/log.ts');
const { openTrace } = await import('../../../src/trace/open-trace.ts');
const { tracePass } = await import('../../../src/roles/measured.ts');
await import('../../../src/roles/all.ts');

const lines: string[] = [];
const log = createLog({
  role: 'test',
  verbosity: 0,
  destination: { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream,
});
const config = { hostname: 'pod-a', role: 'all', tracing: { ratio: 1 } };
/** What tracing needs beyond the API, which the metrics library loads anyway. */
const SDK = ['sdk-trace', 'exporter-trace-otlp-http', 'context-async-hooks', 'resources', 'core'];
const loadedSdk = () => SDK.filter((name) => loaded.has(`@opentelemetry/${name}`));

const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    operation: 'UPDATE',
    resource: { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' },
  },
});
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

test('tracing that is off loads nothing of the SDK and runs tasks as they are', async () => {
  const { trace, close } = await openTrace({ ...config, tracing: undefined }, '1.2.3', log);
  const value = await trace.span({ name: 'a' }, (span) => {
    span.set({ x: 1 });
    span.fail('no');
    return Promise.resolve(7);
  });
  await close();
  assert.equal(value, 7);
  await assert.rejects(
    trace.span({ name: 'a' }, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.ok(loaded.has('express'), 'the test sees what is loaded');
  assert.deepEqual(loadedSdk(), []);
});

async function sendReview(router: express.Router, headers: Record<string, string>): Promise<void> {
  const server = createServer(express().use(router));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: review,
  });
  assert.equal(response.status, 200);
}

test('spans of passes, steps, calls and admission arrive at a collector, each within what it is a part of', async () => {
  const collector = await startCollector();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  process.env.OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20secret';
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'k8s.cluster.name=mine';
  const { trace, close } = await openTrace(config, '1.2.3', log);
  assert.deepEqual(loadedSdk(), SDK);

  const call = () => trace.span({ name: 'PATCH pods', kind: 'client', isPart: true }, () => Promise.resolve());
  const pass = tracePass(async () => {
    await trace.span({ name: 'rbac', isPart: true }, () => Promise.all([call(), call()]));
    return { type: 'retry', error: new Error('refused'), wrote: 2 };
  }, trace);
  const signal = new AbortController().signal;
  const causes = [{ type: 'added' as const, kind: 'KubeVirt' as const, name: 'kubevirt', at: 0 }];
  await pass('kubevirt/kubevirt', { causes, versions: {}, deletes: [], pass: '7', fence: 1, signal });
  await call();

  const common = { path: '/check', name: 'validate-check', log, trace };
  const allow = createReviewRouter({ ...common, admit: () => Promise.resolve({ kind: 'allowed' }) });
  await sendReview(allow, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
  await sendReview(allow, { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00` });
  await sendReview(allow, { traceparent: 'nonsense' });
  await sendReview(
    createReviewRouter({ ...common, admit: () => Promise.reject(new Error('the API server is away')) }),
    {},
  );
  await close();
  collector.close();

  const { spans } = collector;
  const named = (name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
  const [root] = named('pass');
  const [step] = named('rbac');
  assert.ok(root !== undefined && step !== undefined);
  assert.equal(root.parentSpanId, '');
  assert.equal(root.failure, 'refused');
  assert.deepEqual(root.attributes, {
    key: 'kubevirt/kubevirt',
    pass: '7',
    causes: 'added KubeVirt kubevirt',
    outcome: 'retry',
    writes: 2,
  });
  assert.equal(step.parentSpanId, root.spanId);
  const calls = named('PATCH pods');
  assert.deepEqual(
    calls.map(({ parentSpanId, traceId, kind }) => [parentSpanId, traceId, kind]),
    [step, step].map(({ spanId, traceId }) => [spanId, traceId, 3]),
    'two within the step; the one outside of everything is not traced',
  );
  const reviews = named('validate-check');
  assert.deepEqual(
    reviews.map(({ attributes, failure }) => [attributes['verdict'], failure]),
    [
      ['allowed', undefined],
      ['allowed', undefined],
      [undefined, 'the API server is away'],
    ],
    'a caller that does not want its trace kept is heeded',
  );
  assert.deepEqual([reviews[0]?.traceId, reviews[0]?.parentSpanId], ['a'.repeat(32), 'b'.repeat(16)]);
  assert.equal(reviews[1]?.parentSpanId, '');
  assert.deepEqual(
    [...new Set(spans.map(({ resource }) => JSON.stringify(resource)))].map((text) => JSON.parse(text) as object),
    [
      {
        'service.name': 'virt-operator',
        'service.version': '1.2.3',
        'service.instance.id': 'pod-a',
        'virt_operator.role': 'all',
        'k8s.cluster.name': 'mine',
      },
    ],
  );
  assert.deepEqual([...new Set(collector.authorizations)], ['Bearer secret']);
});

test('a collector that is away costs a line in the log, and a second at the end', async () => {
  const collector = await startCollector();
  collector.close();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  const { trace, close } = await openTrace(config, '1.2.3', log);
  for (let i = 0; i < 10; i++) await trace.span({ name: 'a' }, () => Promise.resolve());
  const begun = performance.now();
  await close();
  assert.ok(performance.now() - begun < 8000);
});
