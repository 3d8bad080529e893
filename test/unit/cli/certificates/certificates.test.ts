import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { buildCertificateReport } from '../../../../src/cli/certificates/certificate-report.ts';
import { renderCertificates } from '../../../../src/cli/certificates/certificate-text.ts';
import { PLAIN } from '../../../../src/cli/text/paint.ts';
import { Installation, START } from '../../plan/drive.ts';

const HOUR = 3_600_000;
const installation = new Installation();

before(async () => {
  for (let pass = 0; pass < 4; pass++) {
    await installation.pass();
    installation.cluster.settle();
  }
});

const at = (hours: number) => ({ ...installation.context(), now: new Date(START.getTime() + hours * HOUR) });
const lineOf = (report: ReturnType<typeof buildCertificateReport>, secret: string) =>
  report.certificates.find((line) => line.secret === secret);

describe('buildCertificateReport', () => {
  test('a fresh installation is in order', () => {
    const report = buildCertificateReport(at(0));
    assert.equal(report.good, true, JSON.stringify(report));
    const api = lineOf(report, 'kubevirt-virt-api-certs');
    const authority = lineOf(report, 'kubevirt-ca');
    assert.equal(api?.issuer, authority?.subject);
    assert.equal(authority?.issuer, authority?.subject);
    assert.equal(api?.renewsAt, START.getTime() + 24 * HOUR * 0.8);
    assert.deepEqual(
      report.bundles.map(({ configMap, certificates }) => [configMap, certificates]),
      [
        ['kubevirt-ca', 1],
        ['kubevirt-export-ca', 1],
        ['kubevirt-backup-ca', 1],
      ],
    );
  });

  test('a renewal that did not come', () => {
    const report = buildCertificateReport(at(20));
    assert.match(lineOf(report, 'kubevirt-virt-api-certs')?.problem ?? '', /overdue/);
    assert.equal(report.good, false);
  });

  test('expired', () => {
    assert.equal(lineOf(buildCertificateReport(at(25)), 'kubevirt-virt-api-certs')?.problem, 'it has expired');
  });

  test('clocks that differ', () => {
    assert.match(lineOf(buildCertificateReport(at(-48)), 'kubevirt-ca')?.problem ?? '', /not valid yet/);
  });

  test('a Secret that is missing, and one without content', () => {
    const { world } = installation.context();
    const without = (name: string, replacement?: object) => ({
      ...at(0),
      world: {
        get: ((kind, wanted, namespace) =>
          wanted === name && kind === 'Secret'
            ? (replacement as never)
            : world.get(kind, wanted, namespace)) as typeof world.get,
        list: world.list.bind(world),
      },
    });
    const name = 'kubevirt-virt-api-certs';
    assert.equal(lineOf(buildCertificateReport(without(name)), name)?.problem, 'the Secret is missing');
    const empty = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: {} };
    assert.equal(
      lineOf(buildCertificateReport(without(name, empty)), name)?.problem,
      'the Secret holds no usable certificate',
    );
    const otherAuthority = world.get('Secret', 'kubevirt-export-ca', 'kubevirt');
    const report = buildCertificateReport(without('kubevirt-ca', otherAuthority));
    assert.match(lineOf(report, name)?.problem ?? '', /not signed by the authority in kubevirt-ca/);
    assert.equal(report.bundles[0]?.isCurrent, false);
  });

  test('a webhook that trusts somebody else', () => {
    const { cluster } = installation;
    const webhooks = (object: Record<string, unknown>) =>
      object['webhooks'] as { clientConfig: { caBundle: string } }[];
    const right =
      webhooks(cluster.get('ValidatingWebhookConfiguration', 'virt-api-validator') ?? {})[0]?.clientConfig.caBundle ??
      '';
    cluster.edit('ValidatingWebhookConfiguration', 'virt-api-validator', (object) => {
      for (const { clientConfig } of webhooks(object)) clientConfig.caBundle = 'b3RoZXI=';
    });
    assert.deepEqual(buildCertificateReport(at(0)).distrusting, ['ValidatingWebhookConfiguration virt-api-validator']);
    cluster.edit('ValidatingWebhookConfiguration', 'virt-api-validator', (object) => {
      for (const { clientConfig } of webhooks(object)) clientConfig.caBundle = right;
    });
  });
});

test('certificates for people', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const line = { namespace: 'kubevirt', isAuthority: false, notBefore: now, problem: '' };
  const text = renderCertificates(
    {
      certificates: [
        {
          ...line,
          secret: 'leaf',
          subject: 'api',
          issuer: 'ca@1',
          notAfter: now + 24 * HOUR,
          renewsAt: now + 20 * HOUR,
        },
        {
          ...line,
          secret: 'old',
          subject: 'x',
          issuer: 'ca@1',
          notAfter: now - HOUR,
          renewsAt: now - 2 * HOUR,
          problem: 'it has expired',
        },
        {
          ...line,
          secret: 'lost',
          subject: '',
          issuer: '',
          notBefore: null,
          notAfter: null,
          renewsAt: null,
          problem: 'the Secret is missing',
        },
        {
          ...line,
          secret: 'ca',
          isAuthority: true,
          subject: 'ca@1',
          issuer: 'ca@1',
          notAfter: now + 168 * HOUR,
          renewsAt: now + 134.4 * HOUR,
        },
      ],
      bundles: [
        { configMap: 'kubevirt-ca', namespace: 'kubevirt', certificates: 2, isCurrent: true },
        { configMap: 'kubevirt-export-ca', namespace: 'kubevirt', certificates: 1, isCurrent: false },
      ],
      distrusting: ['APIService v1.x'],
      good: false,
    },
    now,
    PLAIN,
  );
  assert.equal(
    text,
    `SECRET   KIND        SUBJECT   ISSUER   VALID FOR         RENEWED
ca       authority   ca@1      itself   7 d               in 5 d 14 h
leaf     leaf        api       ca@1     1 d               in 20 h
old      leaf        x         ca@1     expired 1 h ago   2 h ago       it has expired
lost     leaf                                                           the Secret is missing

ConfigMap kubevirt-ca makes 2 authorities known
ConfigMap kubevirt-export-ca makes 1 authority known, without the one in use
✗ APIService v1.x trusts other authorities than ConfigMap kubevirt-ca
Not all certificates are in order.
`,
  );
});
