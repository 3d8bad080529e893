import { describeSpan, describeTime } from '../text/duration.ts';
import type { Paint } from '../text/paint.ts';
import { renderTable } from '../text/table.ts';
import type { CertificateLine, CertificateReport } from './certificate-report.ts';

/** Certificates for people, as seen at `now`: authorities first, each with what is left of it. */
export function renderCertificates(report: CertificateReport, now: number, paint: Paint): string {
  const { certificates, bundles, distrusting, good } = report;
  const ordered = [...certificates].sort((a, b) => Number(b.isAuthority) - Number(a.isAuthority));
  const rows = ordered.map((line) => [
    line.secret,
    line.isAuthority ? 'authority' : 'leaf',
    line.subject,
    line.issuer !== '' && line.issuer === line.subject ? 'itself' : line.issuer,
    renderRest(line, now, paint),
    line.renewsAt === null ? '' : describeTime(line.renewsAt, now),
    line.problem === '' ? '' : paint('bad', line.problem),
  ]);
  const heading = ['secret', 'kind', 'subject', 'issuer', 'valid for', 'renewed', ''];
  return [
    renderTable(heading, rows, paint),
    ...bundles.map(({ configMap, certificates: count, isCurrent }) => {
      const state = isCurrent ? '' : paint('bad', ', without the one in use');
      return `\nConfigMap ${configMap} makes ${count} ${count === 1 ? 'authority' : 'authorities'} known${state}`;
    }),
    ...distrusting.map((name) => `\n${paint('bad', '✗')} ${name} trusts other authorities than ConfigMap kubevirt-ca`),
    `\n${good ? paint('good', 'All certificates are in order.') : paint('bad', 'Not all certificates are in order.')}\n`,
  ].join('');
}

function renderRest({ notAfter }: CertificateLine, now: number, paint: Paint): string {
  if (notAfter === null) return '';
  return notAfter > now ? describeSpan(notAfter - now) : paint('bad', `expired ${describeTime(notAfter, now)}`);
}
