import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Cause } from '../../../src/api/causes.ts';
import type { CertificateState, ComponentState, Situation } from '../../../src/queue/situation.ts';
import type { Progress } from '../../../src/queue/progress.ts';

/** What the run page says; plain JavaScript for browsers, and pure. */
interface Words {
  durationText(ms: number): string;
  distanceText(at: number, now: number): string;
  plural(count: number, one: string, many?: string): string;
  progressOf(situation: Situation, progress: Progress | null | undefined): Progress | undefined;
  phaseVerdict(situation: Situation, progress?: Progress): { tone: string; text: string };
  componentVerdict(component: ComponentState): { tone: string; text: string };
  certificateVerdict(certificate: CertificateState, now: number): { tone: string; text: string };
  conditionVerdict(condition: { type: string; status: string }): { tone: string; text: string };
  causesText(pass: { causes: Cause[]; causesTotal: number }): string;
}
const words = (await import(new URL('../../../src/dashboard/public/words.js', import.meta.url).href)) as Words;

const DAY = 86_400_000;

const durations: [ms: number, want: string][] = [
  [-5, '0 ms'],
  [0, '0 ms'],
  [349.6, '350 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [9949, '9.9 s'],
  [9950, '9 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [3_600_000, '1 h'],
  [3_659_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [7 * DAY - 1, '6 d 23 h'],
  [7 * DAY, '7 d'],
];
for (const [ms, want] of durations) {
  test(`${ms} ms are ${want}`, () => {
    assert.equal(words.durationText(ms), want);
  });
}

test('distances are whole seconds, before and after now', () => {
  const now = 1_000_000;
  assert.deepEqual(
    [999, -999, 1400, -4600, 61_000, -DAY].map((ms) => words.distanceText(now + ms, now)),
    ['now', 'now', 'in 1 s', '5 s ago', 'in 1 min 1 s', '1 d ago'],
  );
});

test('one is one and all else are many', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => words.plural(count, 'write')),
    ['0 writes', '1 write', '2 writes'],
  );
  assert.equal(words.plural(2, 'pass', 'passes'), '2 passes');
});

function situation(change: Partial<Situation> = {}): Situation {
  return {
    key: 'a/a',
    phase: 'Deploying',
    version: { target: '', observed: '' },
    conditions: [],
    components: [],
    certificates: [],
    ...change,
  };
}
function condition(type: string, status: string, reason = '', message = '') {
  return { type, status, reason, message };
}

const phases: { name: string; given: Situation; progress?: string; want: [tone: string, text: string] }[] = [
  { name: 'nothing was done yet', given: situation({ phase: '' }), want: ['busy', 'Waiting'] },
  { name: 'an installation is under way', given: situation(), want: ['busy', 'Deploying'] },
  {
    name: 'progress is ahead of the situation',
    given: situation({ phase: '' }),
    progress: 'Deploying',
    want: ['busy', 'Deploying'],
  },
  {
    name: 'an update is under way',
    given: situation({ phase: 'Deployed', conditions: [condition('Progressing', 'True', 'UpdateInProgress')] }),
    want: ['busy', 'Updating'],
  },
  {
    name: 'all is well',
    given: situation({ phase: 'Deployed', conditions: [condition('Available', 'True')] }),
    want: ['good', 'Deployed'],
  },
  {
    name: 'deployed without being available',
    given: situation({ phase: 'Deployed' }),
    want: ['busy', 'Deployed, not yet available'],
  },
  {
    name: 'a failure',
    given: situation({ conditions: [condition('Synchronized', 'False', 'DeploymentFailed', 'no')] }),
    want: ['bad', 'Failing'],
  },
  {
    name: 'a second object',
    given: situation({ conditions: [condition('Synchronized', 'False', 'ExistingDeployment', 'two')] }),
    want: ['bad', 'Failing'],
  },
  { name: 'a removal', given: situation({ phase: 'Deleting' }), want: ['busy', 'Being removed'] },
  {
    name: 'a removal that fails',
    given: situation({ phase: 'Deleting', conditions: [condition('Synchronized', 'False', 'DeletionFailed', 'no')] }),
    want: ['bad', 'Being removed'],
  },
  { name: 'a finished removal', given: situation({ phase: 'Deleted' }), want: ['idle', 'Removed'] },
];
for (const { name, given, progress, want } of phases) {
  test(`phase: ${name}`, () => {
    const { tone, text } = words.phaseVerdict(given, progress === undefined ? undefined : buildProgress(progress));
    assert.deepEqual([tone, text], want);
  });
}

function buildProgress(phase: string, key = 'a/a'): Progress {
  return {
    key,
    phase,
    step: '',
    objectsDone: 1,
    objectsTotal: 2,
    workloadsReady: 0,
    workloadsTotal: 1,
    pass: '1',
    updatedAt: 1,
  };
}

test('progress belongs to its own object, and to no removal', () => {
  const progress = buildProgress('Deployed');
  assert.equal(words.progressOf(situation(), progress), progress);
  assert.equal(words.progressOf(situation({ key: 'b/b' }), progress), undefined);
  assert.equal(words.progressOf(situation({ phase: 'Deleting' }), progress), undefined);
  assert.equal(words.progressOf(situation(), null), undefined);
});

test('every state of a component has words of its own, and crashes are told', () => {
  const component = { kind: 'Deployment', name: 'a', wanted: 2, updated: 2, ready: 0, crashing: 0 } as const;
  const states = ['missing', 'outdated', 'rolling', 'ready', 'removing'] as const;
  const texts = states.map((state) => words.componentVerdict({ ...component, state }).text);
  assert.equal(new Set(texts).size, states.length);
  assert.deepEqual(words.componentVerdict({ ...component, state: 'rolling', crashing: 2 }), {
    tone: 'bad',
    text: 'rolling out, 2 pods crash',
  });
});

test('a certificate is valid, due for renewal, expired, or not valid yet', () => {
  const certificate = { secret: 'a', isAuthority: false, notBefore: 10, notAfter: 100, renewsAt: 80 };
  assert.deepEqual(
    [9, 10, 79, 80, 99, 100].map((now) => words.certificateVerdict(certificate, now).text),
    ['not valid yet', 'valid', 'valid', 'renewal is due', 'renewal is due', 'expired'],
  );
});

test('conditions are judged by what they mean', () => {
  const rows = [
    ['Available', 'True', 'good'],
    ['Available', 'False', 'busy'],
    ['Progressing', 'True', 'busy'],
    ['Progressing', 'False', 'good'],
    ['Degraded', 'True', 'bad'],
    ['Degraded', 'False', 'good'],
    ['Created', 'Unknown', 'idle'],
  ] as const;
  for (const [type, status, want] of rows) {
    assert.equal(words.conditionVerdict({ type, status }).tone, want, `${type} ${status}`);
  }
});

const causes: { given: Cause[]; total?: number; want: string }[] = [
  { given: [], want: '–' },
  {
    given: [{ type: 'modified', kind: 'Deployment', name: 'virt-api', namespace: 'kubevirt', at: 1 }],
    want: 'Deployment virt-api changed',
  },
  {
    given: [{ type: 'timer', note: 'renewal of kubevirt-ca', at: 1 }],
    want: 'scheduled check: renewal of kubevirt-ca',
  },
  {
    given: [{ type: 'recovered', note: 'Redis is back', at: 1 }],
    total: 3,
    want: 'recovery: Redis is back and 2 more',
  },
  {
    given: [{ type: 'recovered', kind: 'KubeVirt', note: 'Redis was emptied', at: 1 }],
    want: 'recovery: Redis was emptied',
  },
  { given: [{ type: 'retry', note: 'retry 2: denied', at: 1 }], want: 'retry 2: denied' },
  {
    given: [{ type: 'modified', kind: 'Service', name: 'a', note: 'and 1 more of this kind', at: 1 }],
    want: 'Service a changed and 1 more of this kind',
  },
  {
    given: [{ type: 'requested', note: 'by hand, in the dashboard', at: 1 }],
    want: 'request: by hand, in the dashboard',
  },
];
for (const { given, total = given.length, want } of causes) {
  test(`cause: ${want}`, () => {
    assert.equal(words.causesText({ causes: given, causesTotal: total }), want);
  });
}
