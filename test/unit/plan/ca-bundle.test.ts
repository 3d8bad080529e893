import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { issueCertificate } from '../../../src/apply/issue-certificate.ts';
import { mergeBundle } from '../../../src/plan/ca-bundle.ts';
import { readBundle, readCertificate, type Certificate } from '../../../src/plan/certificate.ts';
import { parseDuration } from '../../../src/plan/duration.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const at = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

const make = async (name: string, bornAt: number, diesAt: number): Promise<Certificate> => {
  const { certificatePem } = await issueCertificate({
    commonName: name,
    isCa: true,
    dnsNames: [],
    notBefore: at(bornAt),
    notAfter: at(diesAt),
  });
  const certificate = readCertificate(certificatePem);
  assert.ok(certificate);
  return certificate;
};

const certificates: Record<string, Certificate> = {};
before(async () => {
  // Born and dying, in hours from now.
  const births: Record<string, [number, number]> = {
    current: [-2, 100],
    aged: [-40, 100],
    previous: [-30, 50],
    older: [-35, 50],
    expired: [-90, -1],
    foreign: [-1, 10],
    recent: [-25, 50],
    brief: [-30, 3],
    future: [1, 20],
  };
  for (const [name, [born, dies]] of Object.entries(births)) certificates[name] = await make(name, born, dies);
});

const get = (name: string): Certificate => {
  const certificate = certificates[name];
  assert.ok(certificate);
  return certificate;
};
const nameOf = ({ x509 }: Certificate) => x509.subject.replace('CN=', '');

describe('mergeBundle', () => {
  const rows: {
    name: string;
    stored: string[] | undefined | 'nonsense';
    current?: string;
    foreign?: string[];
    want: string[];
    /** Hours from now. */
    changesIn?: number;
  }[] = [
    { name: 'no bundle yet', stored: undefined, want: ['current'] },
    { name: 'no bundle yet, with foreign ones', stored: undefined, foreign: ['foreign'], want: ['foreign', 'current'] },
    { name: 'nothing new', stored: ['current'], want: ['current'] },
    {
      name: 'a new authority keeps its predecessor for the overlap',
      stored: ['previous'],
      want: ['current', 'previous'],
      changesIn: 8,
    },
    {
      name: 'so does whatever was there before it',
      stored: ['previous', 'older'],
      want: ['current', 'previous', 'older'],
      changesIn: 8,
    },
    {
      name: 'B38: a foreign one that is younger than the predecessor does not take its place',
      stored: ['recent', 'previous'],
      want: ['current', 'recent', 'previous'],
      changesIn: 8,
    },
    { name: 'one that expires before the overlap ends', stored: ['brief'], want: ['current', 'brief'], changesIn: 3 },
    { name: 'the overlap has ended', stored: ['aged', 'previous'], current: 'aged', want: ['aged'] },
    { name: 'what has expired goes', stored: ['current', 'expired'], want: ['current'] },
    {
      name: 'foreign ones come last, once',
      stored: ['current'],
      foreign: ['foreign', 'foreign', 'expired', 'future'],
      want: ['current', 'foreign'],
    },
    {
      name: 'a foreign one that is there already stays where it is',
      stored: ['current', 'foreign'],
      foreign: ['foreign'],
      want: ['current', 'foreign'],
      changesIn: 8,
    },
    { name: 'what cannot be read is made anew', stored: 'nonsense', want: ['current'] },
    { name: 'an empty text is made anew', stored: [], want: ['current'] },
  ];
  for (const { name, stored, current = 'current', foreign = [], want, changesIn } of rows) {
    it(name, () => {
      const text = stored === 'nonsense' ? stored : stored?.map((each) => get(each).pem).join('');
      const bundle = mergeBundle({
        stored: text,
        current: get(current),
        foreign: foreign.map(get),
        overlap: parseDuration('10h', 'overlap'),
        now: NOW,
      });
      assert.deepEqual(readBundle(bundle.text).map(nameOf), want);
      assert.equal(bundle.changesAt?.getTime(), changesIn === undefined ? undefined : at(changesIn).getTime());
    });
  }

  it('leaves a text alone that says the same in other words', () => {
    const text = `# ours\n${get('current').pem}\n\n`;
    const bundle = mergeBundle({ stored: text, current: get('current'), foreign: [], overlap: 0n, now: at(-3) });
    assert.equal(bundle.text, text);
  });

  it('holds fifty predecessors at most', async () => {
    const many = await Promise.all(Array.from({ length: 55 }, (_, index) => make(`n${index}`, -1 - index / 60, 50)));
    const bundle = mergeBundle({
      stored: many.map(({ pem }) => pem).join(''),
      current: get('current'),
      foreign: [],
      overlap: parseDuration('100h', 'overlap'),
      now: NOW,
    });
    assert.equal(readBundle(bundle.text).length, 51);
  });
});
