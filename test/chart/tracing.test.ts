import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTracingEnvironment } from '../../src/tracing-environment.ts';
import { environmentOf, noHelm, podOf, render, type Values } from './render.ts';

const ROLES = ['virt-operator', 'virt-operator-gateway', 'virt-operator-worker', 'virt-operator-functions'];

/** What the roles of a rendering read about tracing. */
const read = (values: Values) =>
  render(values)
    .filter(({ kind, metadata }) => kind === 'Deployment' && ROLES.includes(metadata.name ?? ''))
    .map((deployment) => environmentOf(podOf(deployment)));

describe('tracing', { skip: noHelm }, () => {
  const endpoint = 'http://collector.monitoring:4318';

  test('is off by default: no variable of OpenTelemetry', () => {
    for (const mode of ['all', 'split']) {
      const environments = read({ mode });
      assert.ok(environments.length > 0);
      assert.deepEqual(
        environments.flatMap((environment) => Object.keys(environment).filter((name) => name.startsWith('OTEL_'))),
        [],
      );
    }
  });

  test('reaches every role, and is understood there', () => {
    for (const mode of ['all', 'split']) {
      const environments = read({ mode, 'tracing.endpoint': endpoint, 'tracing.ratio': 0.25 });
      assert.equal(environments.length, mode === 'all' ? 1 : 3);
      for (const environment of environments) {
        assert.equal(environment['OTEL_EXPORTER_OTLP_ENDPOINT'], endpoint);
        assert.deepEqual(readTracingEnvironment(environment), { ratio: 0.25 });
      }
    }
    for (const environment of read({ 'tracing.endpoint': endpoint }))
      assert.deepEqual(readTracingEnvironment(environment), { ratio: 1 });
  });

  test('refuses an address that is none', () => {
    assert.throws(() => render({ 'tracing.endpoint': 'collector:4318' }), /tracing/);
  });
});
