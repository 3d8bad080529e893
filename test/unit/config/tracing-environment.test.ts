import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError } from '../../../src/errors.ts';
import { readTracingEnvironment } from '../../../src/tracing-environment.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const rows: { name: string; env: Record<string, string>; want: number | undefined | RegExp }[] = [
  { name: 'nothing is said', env: {}, want: undefined },
  { name: 'the endpoint is empty', env: { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, want: undefined },
  { name: 'there is a collector', env: endpoint, want: 1 },
  { name: 'there is one for traces', env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/v1/traces' }, want: 1 },
  { name: 'the SDK is disabled', env: { ...endpoint, OTEL_SDK_DISABLED: 'True' }, want: undefined },
  { name: 'traces are not exported', env: { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, want: undefined },
  {
    name: 'a share is kept',
    env: { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    want: 0.25,
  },
  { name: 'a share is kept without a number', env: { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio' }, want: 1 },
  {
    name: 'the share is no number',
    env: { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    want: /number from 0 to 1, not "2"/,
  },
  {
    name: 'the endpoint is none',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    want: /not "collector:4318"/,
  },
];
for (const { name, env, want } of rows) {
  test(`tracing when ${name}`, () => {
    if (want instanceof RegExp) {
      assert.throws(
        () => readTracingEnvironment(env),
        (error) => error instanceof ConfigurationError && want.test(error.message),
      );
    } else assert.equal(readTracingEnvironment(env)?.ratio, want);
  });
}
