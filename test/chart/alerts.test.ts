/** The alerts of the chart: each is about metrics that we export, and each has its paragraph in docs/operations.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ClusterMetrics } from '../../functions/metrics/cluster-metrics.ts';
import { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import { createLog } from '../../src/log.ts';
import { find, noHelm, render, type Values } from './render.ts';

interface Alert {
  alert: string;
  expr: string;
  annotations: Record<string, string>;
}

const OPERATIONS = new URL('../../docs/operations.md', import.meta.url);

function listAlerts(values: Values = {}): Alert[] {
  const rule = find(render({ 'monitoring.rules': 'enabled', ...values }), 'PrometheusRule', 'virt-operator');
  return (rule.spec as unknown as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);
}

/** Names on the pages of metrics, of series whose values are not known yet as well. */
async function listMetrics(): Promise<Set<string>> {
  const metrics = new OperatorMetrics({ role: 'test', version: '0' });
  const leader = { holder: 'a-pod', ageMs: 1 };
  const read = () => Promise.resolve({ queues: {}, leader, lastPass: undefined } as never);
  const cluster = new ClusterMetrics({ read, log: createLog({ role: 'test', verbosity: 0 }) });
  try {
    const pages = [metrics.registry.metrics(), metrics.own.registry.metrics(), cluster.metrics()];
    const text = (await Promise.all(pages)).join('\n');
    return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
  } finally {
    metrics.own.close();
  }
}

describe('alerts', { skip: noHelm }, () => {
  test('ask for metrics that are exported', async () => {
    const known = await listMetrics();
    assert.ok(known.size > 20);
    for (const { alert, expr } of listAlerts()) {
      const asked = [...expr.matchAll(/\b(?:kubevirt|virt_operator)_\w+/g)].map(([name]) =>
        name.replace(/_count$/, ''),
      );
      assert.ok(asked.length > 0, alert);
      assert.deepEqual(
        asked.filter((name) => !known.has(name)),
        [],
        alert,
      );
    }
  });

  test('each has a paragraph of the administrator’s page, and links to it when its address is known', () => {
    const headings = [...readFileSync(OPERATIONS, 'utf8').matchAll(/^### (VirtOperator\w+)$/gm)].map(
      ([, name = '']) => name,
    );
    const alerts = listAlerts({ 'monitoring.runbookUrl': 'https://docs.example.com/operations.md' });
    assert.deepEqual(alerts.map(({ alert }) => alert).toSorted(), headings.toSorted());
    for (const { alert, annotations } of alerts) {
      assert.equal(annotations['runbook_url'], `https://docs.example.com/operations.md#${alert.toLowerCase()}`);
    }
    for (const { annotations } of listAlerts()) assert.equal(annotations['runbook_url'], undefined);
  });

  test('the one about certificates can be left out', () => {
    const names = listAlerts({ 'monitoring.certificateExpirySeconds': 0 }).map(({ alert }) => alert);
    assert.equal(names.length, listAlerts().length - 1);
    assert.ok(!names.includes('VirtOperatorCertificateExpiring'));
  });
});
