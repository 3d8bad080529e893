import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildPrometheusRules } from '../../../../src/strategy/components/prometheus-rules.ts';
import { buildInput } from './target.ts';

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  annotations?: Record<string, string>;
}

function rulesOf(...input: Parameters<typeof buildInput>): Rule[] {
  const [rule] = buildPrometheusRules(buildInput(...input));
  assert.ok(rule);
  return (rule.spec as unknown as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
}

const hasText = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

describe('buildPrometheusRules', () => {
  const absent: { name: string; input: Parameters<typeof buildInput> }[] = [
    { name: 'without monitoring', input: [{}, { monitorNamespace: '' }] },
    { name: 'with VMStatsCollector', input: [{ VMStatsCollectorEnabled: '' }] },
  ];
  for (const { name, input } of absent) {
    test(`builds nothing ${name}`, () => {
      assert.deepEqual(buildPrometheusRules(buildInput(...input)), []);
    });
  }

  test('builds 57 recording rules and 38 alerts', () => {
    const rules = rulesOf();
    assert.equal(rules.filter((rule) => hasText(rule.record)).length, 57);
    assert.equal(rules.filter((rule) => hasText(rule.alert)).length, 38);
  });

  test('the namespace of the installation is in 13 recording rules and 8 alerts, and nowhere else', () => {
    const here = rulesOf();
    const there = rulesOf({}, { namespace: 'virt-system' });
    const changed = here.filter((rule) => !there.some((other) => other.expr === rule.expr));
    assert.equal(changed.filter((rule) => hasText(rule.record)).length, 13);
    assert.equal(changed.filter((rule) => hasText(rule.alert)).length, 8);
    assert.deepEqual(
      there.map((rule) => rule.expr.replaceAll('virt-system', 'kubevirt')),
      here.map((rule) => rule.expr),
    );
  });

  test('every alert has a summary and the runbook of its name', () => {
    for (const { alert, annotations } of rulesOf().filter((rule) => hasText(rule.alert))) {
      assert.match(annotations?.['summary'] ?? '', /\w.*\.$/);
      assert.equal(annotations?.['runbook_url'], `https://runbooks.example.com/${alert ?? ''}`);
    }
  });

  test('every recorded series that an expression reads is recorded', () => {
    const rules = rulesOf();
    const recorded = new Set(rules.map((rule) => rule.record));
    const read = rules.flatMap((rule) => rule.expr.match(/\b[a-z_]+:kubevirt_\w+:\w+/g) ?? []);
    assert.ok(read.length > 50);
    assert.deepEqual(
      read.filter((series) => !recorded.has(series)),
      [],
    );
  });
});
