import assert from 'node:assert/strict';
import { test } from 'node:test';

import { countParallel, type AuditedRequest } from '../../../bench/audit-log.ts';

const ROWS: readonly { name: string; spans: readonly [number, number][]; want: number }[] = [
  { name: 'none', spans: [], want: 0 },
  {
    name: 'one after the other, to the millisecond',
    spans: [
      [0, 5],
      [5, 9],
      [9, 12],
    ],
    want: 1,
  },
  {
    name: 'one that spans two others',
    spans: [
      [0, 20],
      [1, 5],
      [6, 9],
    ],
    want: 2,
  },
  {
    name: 'three at a time, in any order',
    spans: [
      [8, 20],
      [9, 10],
      [0, 12],
    ],
    want: 3,
  },
];

for (const { name, spans, want } of ROWS) {
  test(`requests at the same time: ${name}`, () => {
    const requests = spans.map(([at, answeredAt]) => ({ at, answeredAt })) as unknown as AuditedRequest[];
    assert.equal(countParallel(requests), want);
  });
}
