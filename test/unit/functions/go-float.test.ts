import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGoFloat } from '../../../functions/validate-update/go-float.ts';

/** What Go's strconv.ParseFloat makes of a text; NaN where it returns an error, and for the words that make no ratio. */
const rows: { text: string; want: number }[] = [
  { text: '1', want: 1 },
  { text: '1.', want: 1 },
  { text: '.5', want: 0.5 },
  { text: '+1.5e1', want: 15 },
  { text: '1E2', want: 100 },
  { text: '-1.25', want: -1.25 },
  { text: '1_23.50_0_0e+1_2', want: 123.5e12 },
  { text: '-_123.5', want: Number.NaN },
  { text: '1__2', want: Number.NaN },
  { text: '12_.5', want: Number.NaN },
  { text: '12._5', want: Number.NaN },
  { text: '12_', want: Number.NaN },
  { text: '1e_2', want: Number.NaN },
  { text: '0x1p0', want: 1 },
  { text: '0x1.8p1', want: 3 },
  { text: '0X_1P+2', want: 4 },
  { text: '-0x.8p1', want: -1 },
  { text: '0x10', want: Number.NaN },
  { text: '0xp1', want: Number.NaN },
  { text: '0b11', want: Number.NaN },
  { text: '0o17', want: Number.NaN },
  { text: '', want: Number.NaN },
  { text: '.', want: Number.NaN },
  { text: ' 1', want: Number.NaN },
  { text: '1 ', want: Number.NaN },
  { text: '1,5', want: Number.NaN },
  { text: 'NaN', want: Number.NaN },
  { text: 'Inf', want: Number.NaN },
  { text: '1e999', want: Number.POSITIVE_INFINITY },
];
for (const { text, want } of rows) {
  test(`a float as Go reads it: ${JSON.stringify(text)}`, () => {
    assert.equal(parseGoFloat(text), want);
  });
}

test('texts without end are read in no time', () => {
  const began = performance.now();
  for (const text of ['1'.repeat(1e6), '1_'.repeat(1e6), `0x${'f'.repeat(1e6)}p1`, '_'.repeat(1e6)]) parseGoFloat(text);
  // Whatever looked at each character more than a few times would take hours.
  assert.ok(performance.now() - began < 10_000);
});
