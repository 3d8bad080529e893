import { describeSpan } from '../text/duration.ts';
import type { Paint, Style } from '../text/paint.ts';
import { indent, renderTable } from '../text/table.ts';
import type { StatusReport } from './status-report.ts';

/** A status for people, as seen at `now`. */
export function renderStatus(report: StatusReport, now: number, paint: Paint): string {
  const { kubeVirt, ready, reason, phase, remarks } = report;
  const sign = ready ? paint('good', '✓') : paint('warn', '…');
  const head = `${sign} ${paint('strong', kubeVirt)}: ${phase === '' ? 'nothing yet' : phase}, ${describeVersion(report)}\n`;
  return [
    head,
    ready ? '' : `  ${reason}\n`,
    remarks.map((remark) => `${paint('bad', '✗')} ${remark}\n`).join(''),
    renderConditions(report, now, paint),
    renderComponents(report, paint),
    renderOperator(report),
  ]
    .filter((part) => part !== '')
    .join('');
}

function describeVersion({ version }: StatusReport): string {
  if (version.observed === '') return `to become ${version.target}`;
  return version.observed === version.target ? version.observed : `${version.observed}, to become ${version.target}`;
}

const GOOD: Readonly<Record<string, string>> = { Progressing: 'False', Degraded: 'False' };

function renderConditions({ conditions }: StatusReport, now: number, paint: Paint): string {
  if (conditions.length === 0) return '';
  const rows = conditions.map(({ type, status, reason, message, since }, index) => [
    type,
    paint(status === (GOOD[type] ?? 'True') ? 'good' : 'bad', status),
    reason,
    since === undefined ? '' : describeSpan(now - since),
    message !== '' && message === conditions[index - 1]?.message ? paint('dim', 'the same') : message,
  ]);
  return `\n${indent(renderTable(['condition', 'status', 'reason', 'for', 'message'], rows, paint))}`;
}

const STYLES: Readonly<Record<string, Style>> = { ready: 'good', rolling: 'warn', outdated: 'warn' };

function renderComponents({ components }: StatusReport, paint: Paint): string {
  if (components.length === 0) return '';
  const rows = components.map(({ kind, name, state, wanted, updated, ready, crashing }) => [
    `${kind} ${name}`,
    `${ready}/${wanted}`,
    `${updated}/${wanted}`,
    paint(STYLES[state] ?? 'bad', crashing > 0 ? `${state}, ${crashing} crashing` : state),
  ]);
  return `\n${indent(renderTable(['component', 'ready', 'updated', 'state'], rows, paint))}`;
}

function renderOperator({ operator, version }: StatusReport): string {
  const by = version.operator === '' ? '' : `, last reconciled by ${version.operator}`;
  if (operator.length === 0) return `\n  The operator runs outside of Deployments, or not at all${by}\n`;
  const list = operator.map(({ name, ready, wanted }) => `${name} ${ready}/${wanted} ready`).join(', ');
  return `\n  Operator: ${list}${by}\n`;
}
