import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isSignedBy, readBundle, readKeyPair, type Certificate } from '../../../src/plan/certificate.ts';
import { decideCertificateWakeUp } from '../../../src/plan/certificates.ts';
import { decideSteps } from '../../../src/plan/steps.ts';
import type { Step } from '../../../src/plan/types.ts';
import { buildKubeVirt, Installation, START } from './drive.ts';

const HOUR = 3_600_000;
const at = (hours: number) => new Date(START.getTime() + hours * HOUR);

async function deployed(selfSigned?: object): Promise<Installation> {
  const installation = new Installation(
    buildKubeVirt(selfSigned === undefined ? {} : { certificateRotateStrategy: { selfSigned } }),
  );
  await installation.converge();
  return installation;
}

const certificateOf = (installation: Installation, name: string): Certificate => {
  const secret = installation.cluster.get('Secret', name, 'kubevirt');
  const pair = secret && readKeyPair(secret);
  assert.ok(pair, `no key pair in ${name}`);
  return pair.certificate;
};
const bundleOf = (installation: Installation, name = 'kubevirt-ca') =>
  readBundle(installation.cluster.get('ConfigMap', name, 'kubevirt')?.data?.['ca-bundle']);
const hoursUntil = (date: Date | undefined) => ((date?.getTime() ?? Number.NaN) - START.getTime()) / HOUR;

const LEAVES = 14;

describe('certificates of a new installation', () => {
  it('have the subjects, lifetimes and annotations of upstream', async () => {
    const installation = await deployed();
    const rows: { secret: string; subject: RegExp; hours: number; altNames: string | undefined }[] = [
      { secret: 'kubevirt-ca', subject: /^CN=kubevirt\.io@\d+$/, hours: 168, altNames: undefined },
      { secret: 'kubevirt-export-ca', subject: /^CN=export\.kubevirt\.io@\d+$/, hours: 168, altNames: undefined },
      {
        secret: 'kubevirt-virt-api-certs',
        subject: /^CN=virt-api\.kubevirt\.pod\.cluster\.local$/,
        hours: 24,
        altNames:
          'DNS:virt-api, DNS:virt-api.kubevirt, DNS:virt-api.kubevirt.svc, DNS:virt-api.kubevirt.svc.cluster.local',
      },
      {
        secret: 'kubevirt-virt-handler-vsock-client-certs',
        subject: /^CN=kubevirt\.io:system:client:vsock$/,
        hours: 24,
        altNames: undefined,
      },
    ];
    for (const { secret, subject, hours, altNames } of rows) {
      const { x509, notAfter, notBefore } = certificateOf(installation, secret);
      assert.match(x509.subject, subject);
      assert.equal(x509.subjectAltName, altNames);
      assert.equal(hoursUntil(notAfter), hours);
      // Dated back for clocks that are behind: leaves as far as their authority.
      assert.equal(hoursUntil(notBefore), -1 / 6);
      const live = installation.cluster.get('Secret', secret, 'kubevirt');
      assert.equal(live?.metadata.annotations?.['kubevirt.io/duration'], `&Duration{Duration:${hours}h0m0s,}`);
      assert.equal(live.type, 'kubernetes.io/tls');
    }
  });

  it('are due when a fifth of the lifetime is left, and a pass before that writes nothing', async () => {
    const installation = await deployed();
    const wakeUp = decideCertificateWakeUp(installation.context());
    assert.equal(hoursUntil(wakeUp?.at), 19.2);
    installation.now = at(19.1);
    assert.deepEqual((await installation.pass()).writes, []);
  });
});

/** The bundles that webhook configurations and APIServices hold. */
function bundlesOfOthers({ cluster }: Installation): string[] {
  const webhooks = [
    ...cluster.list('ValidatingWebhookConfiguration'),
    ...cluster.list('MutatingWebhookConfiguration'),
  ].flatMap((configuration) => configuration.webhooks as { clientConfig: { caBundle?: string } }[]);
  const services = cluster.list('APIService').map(({ spec }) => spec as { caBundle?: string });
  return [...webhooks.map(({ clientConfig }) => clientConfig), ...services].map(({ caBundle = '' }) =>
    Buffer.from(caBundle, 'base64').toString(),
  );
}

/** What somebody may do to the bundle by hand. */
const SPOILS: readonly [string, (installation: Installation) => void][] = [
  [
    'deleted',
    ({ cluster }) => {
      cluster.remove('ConfigMap', 'kubevirt-ca', 'kubevirt');
    },
  ],
  [
    'emptied',
    ({ cluster }) => {
      cluster.edit('ConfigMap', 'kubevirt-ca', (live) => {
        live.data = {};
      });
    },
  ],
  [
    'cut',
    ({ cluster }) => {
      cluster.edit('ConfigMap', 'kubevirt-ca', (live) => {
        live.data = { 'ca-bundle': live.data?.['ca-bundle']?.slice(0, 200) ?? '' };
      });
    },
  ],
];

describe('renewal', () => {
  it('of leaves by time writes the leaves and nothing else', async () => {
    const installation = await deployed();
    installation.now = at(19.3);
    const { writes } = await installation.pass();
    assert.equal(writes.length, LEAVES);
    assert.ok(writes.every((write) => write.startsWith('patch Secret')));
    assert.equal(hoursUntil(certificateOf(installation, 'kubevirt-virt-api-certs').notAfter), 19.3 + 24);
    assert.equal(hoursUntil(decideCertificateWakeUp(installation.context())?.at), 19.3 + 19.2);
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('B38: of the authority keeps the old one trusted, tells everybody of the new one, and leaves wait until that has spread', async () => {
    const installation = await deployed();
    installation.now = at(130);
    await installation.pass();
    const old = certificateOf(installation, 'kubevirt-ca');
    installation.now = at(134.5);
    const { writes } = await installation.pass();
    assert.deepEqual(writes.slice(0, 2), ['patch Secret kubevirt-ca', 'patch ConfigMap kubevirt-ca']);
    assert.ok(writes.includes('patch ValidatingWebhookConfiguration virt-operator-validator'));
    assert.ok(!writes.some((write) => write.endsWith('-certs')), writes.join('\n'));
    const current = certificateOf(installation, 'kubevirt-ca');
    assert.deepEqual(
      bundleOf(installation).map(({ fingerprint }) => fingerprint),
      [current.fingerprint, old.fingerprint],
    );
    assert.deepEqual([...new Set(bundlesOfOthers(installation).map((text) => readBundle(text).length))], [2]);
    assert.deepEqual((await installation.pass()).writes, []);

    const { at: next } = decideCertificateWakeUp(installation.context()) ?? {};
    assert.equal(hoursUntil(next), 134.5 + 1 / 30);
    installation.now = next ?? START;
    const renewals = (await installation.pass()).writes;
    assert.equal(renewals.length, LEAVES);
    assert.ok(isSignedBy(certificateOf(installation, 'kubevirt-operator-certs'), current, installation.now));
    assert.deepEqual((await installation.pass()).writes, []);
  });

  for (const [name, spoil] of SPOILS) {
    it(`B38: of the authority keeps the old one trusted also when the bundle is ${name} meanwhile`, async () => {
      const installation = await deployed();
      installation.edit({ certificateRotateStrategy: { selfSigned: { ca: { duration: '96h' } } } });
      await installation.pass();
      const before = bundleOf(installation).map(({ fingerprint }) => fingerprint);
      assert.equal(before.length, 2);
      spoil(installation);
      const { writes } = await installation.pass();
      assert.deepEqual(
        writes.map((write) => write.replace(/^\w+ /, '')),
        ['ConfigMap kubevirt-ca'],
      );
      assert.deepEqual(
        bundleOf(installation).map(({ fingerprint }) => fingerprint),
        before,
      );
    });
  }

  it('of a leaf that ends before the new authority has spread does not wait for it', async () => {
    const installation = await deployed();
    installation.now = at(23.99);
    installation.edit({ certificateRotateStrategy: { selfSigned: { ca: { duration: '96h' } } } });
    const { writes } = await installation.pass();
    assert.ok(writes.includes('patch Secret kubevirt-ca'));
    assert.equal(writes.filter((write) => write.endsWith('-certs')).length, LEAVES);
  });

  it('of leaves comes with a longer lifetime at once, and with nothing else of the object', async () => {
    const installation = await deployed();
    installation.edit({ certificateRotateStrategy: { selfSigned: { server: { duration: '48h' } } } });
    const { writes } = await installation.pass();
    assert.equal(writes.length, LEAVES);
    assert.ok(writes.every((write) => write.startsWith('patch Secret')));
    assert.equal(hoursUntil(certificateOf(installation, 'kubevirt-virt-api-certs').notAfter), 48);
    installation.edit({ configuration: { cpuModel: 'host-model' } });
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('does not wait with a leaf that ends or loses its trust meanwhile', async () => {
    const installation = await deployed();
    installation.now = at(135);
    const { writes } = await installation.pass();
    const order = ['patch Secret kubevirt-ca', 'patch ConfigMap kubevirt-ca', 'patch Secret kubevirt-operator-certs'];
    const places = order.map((write) => writes.indexOf(write));
    assert.ok(
      places.every((place, index) => place >= 0 && place >= (places[index - 1] ?? 0)),
      writes.join('\n'),
    );
  });

  it('writes other metadata of a leaf that waits, and not the lifetime that it does not have yet', async () => {
    const installation = await deployed();
    installation.edit({
      certificateRotateStrategy: { selfSigned: { ca: { duration: '96h' }, server: { duration: '12h' } } },
    });
    installation.cluster.edit('Secret', 'kubevirt-controller-certs', ({ metadata }) => {
      metadata.labels = {};
    });
    const { writes } = await installation.pass();
    assert.deepEqual(
      writes.filter((write) => write.endsWith('-certs')),
      ['patch Secret kubevirt-controller-certs'],
    );
    const live = installation.cluster.get('Secret', 'kubevirt-controller-certs', 'kubevirt');
    assert.equal(live?.metadata.annotations?.['kubevirt.io/duration'], '&Duration{Duration:24h0m0s,}');
    assert.notDeepEqual(live.metadata.labels, {});
    installation.now = new Date(START.getTime() + 120_000);
    assert.equal((await installation.pass()).writes.length, LEAVES);
    assert.equal(hoursUntil(certificateOf(installation, 'kubevirt-controller-certs').notAfter), 12 + 1 / 30);
  });

  it('drops the old authority at the end of the overlap, woken by a timer', async () => {
    const installation = await deployed();
    installation.now = at(135);
    await installation.pass();
    const overlapEnds = 135 + 33.6;
    for (let wakeUp = at(135); hoursUntil(wakeUp) < overlapEnds;) {
      const next = decideCertificateWakeUp(installation.context());
      assert.ok(next && next.at > wakeUp, 'no wake-up ahead');
      wakeUp = next.at;
      installation.now = new Date(wakeUp.getTime() + 1);
      await installation.pass();
    }
    assert.equal(bundleOf(installation).length, 1);
  });

  it('B38: keeps the old authority for an overlap that is shorter than certificates are dated back', async () => {
    const installation = await deployed();
    installation.edit({ certificateRotateStrategy: { selfSigned: { ca: { duration: '96h', renewBefore: '5m' } } } });
    await installation.pass();
    assert.equal(bundleOf(installation).length, 2);
    installation.now = new Date(START.getTime() + 300_001);
    await installation.pass();
    assert.equal(bundleOf(installation).length, 1);
  });

  const changes: { name: string; selfSigned: object; want: { authorities: number; leaves: number } }[] = [
    {
      name: 'of the leaves',
      selfSigned: { server: { duration: '12h', renewBefore: '2h' } },
      want: { authorities: 0, leaves: LEAVES },
    },
    { name: 'of the authorities', selfSigned: { ca: { duration: '96h' } }, want: { authorities: 3, leaves: LEAVES } },
    {
      name: 'by a deprecated field',
      selfSigned: { certRotateInterval: '10h' },
      want: { authorities: 0, leaves: LEAVES },
    },
    { name: 'written differently', selfSigned: { server: { duration: '1440m' } }, want: { authorities: 0, leaves: 0 } },
    {
      name: 'of the renewal alone',
      selfSigned: { server: { renewBefore: '1h' } },
      want: { authorities: 0, leaves: 0 },
    },
  ];
  for (const { name, selfSigned, want } of changes) {
    it(`follows a changed lifetime ${name}`, async () => {
      const installation = await deployed();
      installation.edit({ certificateRotateStrategy: { selfSigned } });
      const { writes } = await installation.pass();
      // Time for a new authority to spread.
      installation.now = new Date(START.getTime() + 120_000);
      const renewals = (await installation.pass()).writes;
      const secrets = [...writes, ...renewals].filter((write) => write.startsWith('patch Secret'));
      assert.equal(secrets.filter((write) => write.endsWith('-ca')).length, want.authorities);
      assert.equal(secrets.length - want.authorities, want.leaves);
      assert.deepEqual((await installation.pass()).writes, []);
    });
  }

  it('does not follow an edit that has nothing to do with lifetimes', async () => {
    const installation = await deployed();
    const before = certificateOf(installation, 'kubevirt-ca').fingerprint;
    installation.edit({ imageTag: 'v1.9.1' });
    await installation.converge();
    assert.equal(certificateOf(installation, 'kubevirt-ca').fingerprint, before);
    const secret = installation.cluster.get('Secret', 'kubevirt-ca', 'kubevirt');
    assert.equal(secret?.metadata.annotations?.['kubevirt.io/duration'], '&Duration{Duration:168h0m0s,}');
  });

  it('keeps a certificate whose annotation upstream has lost, and writes the annotation', async () => {
    const installation = await deployed();
    const before = certificateOf(installation, 'kubevirt-controller-certs').fingerprint;
    installation.cluster.edit('Secret', 'kubevirt-controller-certs', ({ metadata }) => {
      delete metadata.annotations?.['kubevirt.io/duration'];
    });
    assert.deepEqual((await installation.pass()).writes, ['patch Secret kubevirt-controller-certs']);
    assert.equal(certificateOf(installation, 'kubevirt-controller-certs').fingerprint, before);
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('is not endless when it is asked for as early as the certificate is made', async () => {
    const installation = await deployed({ server: { duration: '10h', renewBefore: '10h' } });
    assert.deepEqual((await installation.pass()).writes, []);
    assert.equal(hoursUntil(decideCertificateWakeUp(installation.context())?.at), 1);
  });
});

describe('a certificate that is due and cannot be renewed', () => {
  it('is looked at again after a while, not at once', async () => {
    const installation = await deployed();
    installation.cluster.edit('Secret', 'kubevirt-virt-api-certs', ({ metadata }) => {
      metadata.deletionTimestamp = START.toISOString();
    });
    installation.now = at(30);
    await installation.pass();
    const wakeUp = decideCertificateWakeUp(installation.context());
    assert.equal(wakeUp?.at.getTime(), at(30).getTime() + 30_000);
  });
});

describe('foreign authorities', () => {
  it('are merged into the bundle, the box is emptied once, and later passes write nothing', async () => {
    const installation = await deployed();
    const foreign = certificateOf(installation, 'kubevirt-export-ca');
    installation.cluster.edit('ConfigMap', 'kubevirt-external-ca', (box) => {
      box.data = { 'ca-bundle': `${foreign.pem}${foreign.pem}` };
    });
    const { writes } = await installation.pass();
    assert.deepEqual(writes.slice(0, 2), ['patch ConfigMap kubevirt-ca', 'patch ConfigMap kubevirt-external-ca']);
    assert.deepEqual(
      bundleOf(installation).map(({ fingerprint }) => fingerprint),
      [certificateOf(installation, 'kubevirt-ca').fingerprint, foreign.fingerprint],
    );
    assert.equal(installation.cluster.get('ConfigMap', 'kubevirt-external-ca', 'kubevirt')?.data?.['ca-bundle'], '');
    assert.deepEqual((await installation.pass()).writes, []);
  });

  it('that arrive after the bundle was written stay in the box until they are in it', async () => {
    const installation = await deployed();
    const foreign = certificateOf(installation, 'kubevirt-export-ca');
    const steps = decideSteps(installation.context());
    const isReset = ({ name }: Step) => name === 'foreign authorities';
    const index = steps.findIndex(isReset);
    await installation.pass(steps.slice(0, index));
    installation.cluster.edit('ConfigMap', 'kubevirt-external-ca', (box) => {
      box.data = { 'ca-bundle': foreign.pem };
    });
    assert.deepEqual((await installation.pass(steps.slice(index))).writes, []);
    await installation.pass();
    assert.equal(bundleOf(installation).length, 2);
    assert.equal(installation.cluster.get('ConfigMap', 'kubevirt-external-ca', 'kubevirt')?.data?.['ca-bundle'], '');
  });

  it('that are no certificates are wiped without harm', async () => {
    const installation = await deployed();
    installation.cluster.edit('ConfigMap', 'kubevirt-external-ca', (box) => (box.data = { 'ca-bundle': 'nonsense' }));
    assert.deepEqual((await installation.pass()).writes, ['patch ConfigMap kubevirt-external-ca']);
    assert.equal(bundleOf(installation).length, 1);
  });
});

describe('renewals asked for earlier than certificates live', () => {
  const rows = [
    { ca: { duration: '24h', renewBefore: '72h' } },
    { ca: { duration: '24h', renewBefore: '24h' }, server: { duration: '24h', renewBefore: '24h' } },
    { ca: { duration: '1h', renewBefore: '20h' }, server: { duration: '30h' } },
  ];
  for (const selfSigned of rows) {
    it(`${JSON.stringify(selfSigned)} comes to rest`, async () => {
      const installation = await deployed(selfSigned);
      assert.deepEqual((await installation.pass()).writes, []);
      const { at: next } = decideCertificateWakeUp(installation.context()) ?? {};
      assert.ok(hoursUntil(next) > 0, 'the next look is in the future');
    });
  }
});

describe('bad durations', () => {
  const rows = [
    { selfSigned: { ca: { duration: 'a week' } }, want: /selfSigned\.ca\.duration: "a week" is not a duration/ },
    { selfSigned: { server: { renewBefore: '-1h' } }, want: /selfSigned\.server\.renewBefore: must not be negative/ },
    {
      selfSigned: { certRotateInterval: '0s' },
      want: /selfSigned\.certRotateInterval: a certificate needs a positive/,
    },
    {
      // It would have ended before anybody serves it: the object could be neither edited nor deleted.
      selfSigned: { ca: { duration: '4.9s' } },
      want: /selfSigned\.ca\.duration: a certificate has to live for at least 5s/,
    },
  ];
  for (const { selfSigned, want } of rows) {
    it(`${JSON.stringify(selfSigned)} is an error that names the field`, async () => {
      const installation = new Installation(buildKubeVirt({ certificateRotateStrategy: { selfSigned } }));
      await assert.rejects(installation.pass(), want);
    });
  }
});
