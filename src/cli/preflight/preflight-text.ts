import type { Paint } from '../text/paint.ts';
import type { Finding } from './finding.ts';

const SIGNS = { ok: ['good', '✓'], warning: ['warn', '!'], problem: ['bad', '✗'], unknown: ['dim', '?'] } as const;

/** Findings for people, a line each, with the way out below. */
export function renderFindings(findings: readonly Finding[], paint: Paint): string {
  const lines = findings.map(({ check, level, text, remedy }) => {
    const [style, sign] = SIGNS[level];
    const way = remedy === undefined ? '' : `    ${paint('dim', '→')} ${remedy}\n`;
    return `${paint(style, sign)} ${paint('strong', check)}: ${text}\n${way}`;
  });
  return `${lines.join('')}\n${renderSum(findings, paint)}\n`;
}

function renderSum(findings: readonly Finding[], paint: Paint): string {
  const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const counts = [
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ].join(', ');
  if (problems > 0) return paint('bad', `Not ready to install: ${counts}.`);
  return counts === '' ? paint('good', 'Ready to install.') : paint('warn', `Ready to install, with ${counts}.`);
}
