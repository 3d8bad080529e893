import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { hasSwitch } from '../target-properties.ts';
import type { GenerateInput } from '../types.ts';
import { MONITORING_LABELS, MONITORING_OBJECT } from './names.ts';
import { type AlertRule, alertRules } from './prometheus-rules-alerts.table.ts';
import { type RecordingRule, recordingRules } from './prometheus-rules-recording.table.ts';

/**
 * The PrometheusRule of an installation; none without monitoring, and none when VMStatsCollector takes the place of the metrics that it reads
 * (spec/resources.md §2.2, §7.4).
 */
export function buildPrometheusRules(input: GenerateInput): KubernetesObject[] {
  const { target, monitorNamespace, runbookUrlTemplate } = input;
  if (monitorNamespace === '' || hasSwitch(target, 'VMStatsCollectorEnabled')) return [];
  const alerts = inRuleOrder(alertRules(target.namespace), ({ alert }) => alert);
  const recordings = inRuleOrder(recordingRules(target.namespace), ({ record }) => record);
  return [
    objectOf(
      'PrometheusRule',
      { name: MONITORING_OBJECT, namespace: target.namespace, labels: MONITORING_LABELS },
      {
        spec: {
          groups: [
            { name: 'recordingRules.rules', rules: recordings.map(buildRecording) },
            { name: 'alerts.rules', rules: alerts.map((rule) => buildAlert(rule, runbookUrlTemplate)) },
          ],
        },
      },
    ),
  ];
}

/** Upstream's order: by name, then expression, by code unit. */
function inRuleOrder<Rule extends { expr: string }>(rules: Rule[], nameOf: (rule: Rule) => string): Rule[] {
  const key = (rule: Rule): string => `${nameOf(rule)}:${rule.expr}`;
  return rules.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function buildRecording({ record, expr, labels }: RecordingRule): JsonObject {
  return { record, expr, ...(labels && { labels: { ...labels } }) };
}

function buildAlert(rule: AlertRule, runbookUrlTemplate: string): JsonObject {
  const { alert, expr, severity, impact, text } = rule;
  return {
    alert,
    expr,
    ...(rule.for && { for: rule.for }),
    annotations: { ...text, runbook_url: runbookUrlTemplate.replace('%s', alert) },
    labels: {
      severity,
      operator_health_impact: impact,
      kubernetes_operator_part_of: 'kubevirt',
      kubernetes_operator_component: 'kubevirt',
    },
  };
}
