import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { renderHistory } from '../../../../src/cli/history.ts';
import { buildHistory } from '../../../../src/cli/history/history-report.ts';
import { PLAIN } from '../../../../src/cli/text/paint.ts';
import type { PassRecord } from '../../../../src/queue/pass-log.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ago = (seconds: number) => NOW - seconds * 1000;

const pass = (more: Partial<PassRecord> = {}): PassRecord => ({
  id: '1',
  key: 'kubevirt/kubevirt',
  causes: [{ type: 'modified', kind: 'Deployment', name: 'virt-api', namespace: 'kubevirt', at: ago(60) }],
  causesTotal: 3,
  startedAt: ago(60),
  durationMs: 12,
  outcome: 'done',
  writes: 2,
  worker: 'w',
  ...more,
});

const event = (seconds: number, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'kubevirt' },
  involvedObject: { kind: 'KubeVirt', name: 'kubevirt', namespace: 'kubevirt' },
  type: 'Warning',
  reason: 'Odd',
  message: 'odd',
  source: { component: 'virt-operator' },
  lastTimestamp: new Date(ago(seconds)).toISOString(),
  ...more,
});

describe('buildHistory', () => {
  test('passes and Events by time, oldest first, and the last of them', () => {
    const passes = [pass({ startedAt: ago(10) }), pass({ startedAt: ago(100) })];
    const entries = buildHistory(passes, [event(50)], 10);
    assert.deepEqual(
      entries.map(({ at }) => at),
      [ago(100), ago(50), ago(10)],
    );
    assert.deepEqual(
      buildHistory(passes, [event(50)], 2).map(({ at }) => at),
      [ago(50), ago(10)],
    );
  });

  test('the Events of others are theirs', () => {
    const others = [
      event(1, { source: { component: 'kubelet' } }),
      event(2, { source: {}, reportingComponent: 'virt-operator' }),
    ];
    assert.deepEqual(
      buildHistory([], others, 10).map(({ at }) => at),
      [ago(2)],
    );
  });

  test('an Event without a time of its own', () => {
    const created = new Date(ago(7)).toISOString();
    const entries = buildHistory(
      [],
      [event(0, { lastTimestamp: null, metadata: { name: 'e', creationTimestamp: created } })],
      10,
    );
    assert.equal(entries[0]?.at, ago(7));
  });

  const texts: { name: string; record: Partial<PassRecord>; want: string }[] = [
    {
      name: 'causes',
      record: {},
      want: '2 writes in 12 ms; because of Deployment kubevirt/virt-api modified and 2 more',
    },
    {
      name: 'a timer',
      record: { causes: [{ type: 'timer', note: 'renewal', at: 0 }], causesTotal: 1 },
      want: '2 writes in 12 ms; because of timer: renewal',
    },
    {
      name: 'a resync',
      record: { causes: [{ type: 'resync', at: 0 }], causesTotal: 1 },
      want: '2 writes in 12 ms; because of resync',
    },
    {
      name: 'failures',
      record: { outcome: 'retry', causes: [], causesTotal: 0, errors: [{ object: 'Secret a', error: 'no' }] },
      want: '2 writes in 12 ms; Secret a: no',
    },
  ];
  for (const { name, record, want } of texts) {
    test(`tells of a pass: ${name}`, () => {
      assert.equal(buildHistory([pass(record)], [], 1)[0]?.text, want);
    });
  }
});

describe('history for people', () => {
  test('entries', () => {
    const entries = buildHistory(
      [
        pass({ outcome: 'retry', causes: [], causesTotal: 0 }),
        pass({ startedAt: ago(1), outcome: 'later', causes: [], causesTotal: 0 }),
      ],
      [event(240, { count: 3 })],
      10,
    );
    assert.equal(
      renderHistory(entries, NOW, PLAIN),
      `WHEN        WHAT                    ABOUT
4 min ago   Warning Odd             KubeVirt kubevirt/kubevirt   odd (3 times)
1 min ago   pass failed             KubeVirt kubevirt/kubevirt   2 writes in 12 ms
1 s ago     pass, to be continued   KubeVirt kubevirt/kubevirt   2 writes in 12 ms
`,
    );
  });

  test('nothing', () => {
    assert.equal(renderHistory([], NOW, PLAIN), 'nothing is on record here\n');
  });
});
