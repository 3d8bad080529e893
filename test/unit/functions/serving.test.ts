import assert from 'node:assert/strict';
import { getCiphers } from 'node:tls';
import { test } from 'node:test';
import { CIPHERS } from '../../../functions/tls/ciphers.table.ts';
import { createFallbackCertificate } from '../../../functions/tls/fallback-certificate.ts';
import { ServingCertificate } from '../../../functions/tls/serving.ts';
import { decideTlsSettings } from '../../../functions/tls/settings.ts';
import { asKubeVirt } from '../../../src/api/kubevirt.ts';
import { createLog } from '../../../src/log.ts';

const SUITES_13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

const rows: {
  name: string;
  tls: { minTLSVersion?: string; ciphers?: string[] } | undefined;
  want: { minVersion: string; ciphers?: string[]; dropped?: string[] };
}[] = [
  { name: 'nothing', tls: undefined, want: { minVersion: 'TLSv1.2' } },
  { name: 'an empty version', tls: { minTLSVersion: '' }, want: { minVersion: 'TLSv1.2' } },
  { name: 'an unknown version', tls: { minTLSVersion: 'VersionTLS14' }, want: { minVersion: 'TLSv1.2' } },
  { name: 'a name of every object', tls: { minTLSVersion: 'toString' }, want: { minVersion: 'TLSv1.2' } },
  { name: 'TLS 1.0', tls: { minTLSVersion: 'VersionTLS10' }, want: { minVersion: 'TLSv1' } },
  { name: 'TLS 1.1', tls: { minTLSVersion: 'VersionTLS11' }, want: { minVersion: 'TLSv1.1' } },
  { name: 'TLS 1.3', tls: { minTLSVersion: 'VersionTLS13' }, want: { minVersion: 'TLSv1.3' } },
  {
    name: 'a suite, beside one that cannot be chosen, one that nobody has and one that is none',
    tls: {
      minTLSVersion: 'VersionTLS12',
      ciphers: [
        'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
        'TLS_AES_128_GCM_SHA256',
        'TLS_RSA_WITH_RC4_128_SHA',
        'constructor',
      ],
    },
    want: {
      minVersion: 'TLSv1.2',
      ciphers: [...SUITES_13, 'ECDHE-RSA-AES128-GCM-SHA256'],
      dropped: ['TLS_AES_128_GCM_SHA256', 'TLS_RSA_WITH_RC4_128_SHA', 'constructor'],
    },
  },
  {
    name: 'nothing that there is',
    tls: { ciphers: ['TLS_RSA_WITH_RC4_128_SHA'] },
    want: { minVersion: 'TLSv1.2', dropped: ['TLS_RSA_WITH_RC4_128_SHA'] },
  },
];
for (const { name, tls, want } of rows) {
  test(`TLS of a KubeVirt object that asks for ${name}`, () => {
    const { minVersion, ciphers, dropped } = decideTlsSettings(tls as Parameters<typeof decideTlsSettings>[0]);
    assert.deepEqual(
      { minVersion, ciphers: ciphers?.split(':'), dropped },
      { ciphers: undefined, dropped: [], ...want },
    );
  });
}

test('the names are those of Go, 25 of them, and OpenSSL knows all modern ones by ours', () => {
  const known = new Set(getCiphers().map((cipher) => cipher.toUpperCase()));
  const names = Object.entries(CIPHERS);
  assert.equal(names.length, 25);
  const missing = names.filter(([, openssl]) => openssl !== undefined && !known.has(openssl)).map(([name]) => name);
  for (const name of missing) assert.match(name, /RC4|3DES/, 'OpenSSL has given up these alone');
});

async function open() {
  const lines: { level: string; msg: string; ciphers?: string }[] = [];
  const destination = {
    write: (line: string) => lines.push(JSON.parse(line) as (typeof lines)[number]) > 0,
  } as unknown as NodeJS.WritableStream;
  const log = createLog({ role: 'test', verbosity: 2, destination });
  const serving = new ServingCertificate(await createFallbackCertificate(new Date()), log);
  const refresh = (ciphers: string[], clientCa?: string) =>
    serving.refresh({
      secret: undefined,
      kubeVirt: asKubeVirt({
        spec: { configuration: { tlsConfiguration: { minTLSVersion: 'VersionTLS12', ciphers } } },
      }),
      clientCa,
    });
  return { lines, serving, refresh };
}

test('suites that are left out are warned of once, and again when they are others', async () => {
  const { lines, refresh } = await open();
  const warnings = () => lines.filter(({ level }) => level === 'warning').map(({ ciphers }) => ciphers);
  refresh(['TLS_RSA_WITH_RC4_128_SHA']);
  for (let i = 0; i < 10; i++) refresh(['TLS_RSA_WITH_RC4_128_SHA']);
  assert.deepEqual(warnings(), ['TLS_RSA_WITH_RC4_128_SHA']);
  refresh(['TLS_ECDHE_RSA_WITH_RC4_128_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256']);
  assert.deepEqual(warnings(), ['TLS_RSA_WITH_RC4_128_SHA', 'TLS_ECDHE_RSA_WITH_RC4_128_SHA']);
  refresh([]);
  assert.equal(warnings().length, 2);
});

test('a change is told once; what did not change is none, and a client authority that cannot be read neither', async () => {
  const { lines, refresh, serving } = await open();
  assert.equal(refresh([]), true);
  assert.equal(refresh([]), false);
  const { certificate } = await createFallbackCertificate(new Date());
  assert.equal(refresh([], certificate), true);
  assert.equal(serving.secureContext().ca, certificate);
  for (const broken of ['no PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']) {
    assert.equal(refresh([], broken), false);
    assert.equal(refresh([], broken), false);
    assert.equal(serving.secureContext().ca, certificate);
  }
  assert.equal(lines.filter(({ level }) => level === 'error').length, 2, 'each is told once');
  assert.equal(refresh([]), false, 'one that goes away leaves the last good one');
});
