import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { addDuration, formatDuration, parseDuration } from '../../../src/plan/duration.ts';

describe('parseDuration and formatDuration', () => {
  const rows: { text: string; want: string }[] = [
    { text: '168h', want: '168h0m0s' },
    { text: '1h30m', want: '1h30m0s' },
    { text: '1.5h', want: '1h30m0s' },
    { text: '.5s', want: '500ms' },
    { text: '90s', want: '1m30s' },
    { text: '300ms', want: '300ms' },
    { text: '1us', want: '1µs' },
    { text: '1µs', want: '1µs' },
    { text: '1500ns', want: '1.5µs' },
    { text: '7ns', want: '7ns' },
    { text: '0', want: '0s' },
    { text: '0h', want: '0s' },
    { text: '-2m', want: '-2m0s' },
    { text: '+1s', want: '1s' },
    { text: '8760h', want: '8760h0m0s' },
    { text: '1h1ns', want: '1h0m0.000000001s' },
  ];
  for (const { text, want } of rows) {
    it(`${text} is ${want}`, () => {
      assert.equal(formatDuration(parseDuration(text, 'f')), want);
    });
  }

  for (const text of ['', 'h', '1', '1d', '1h 30m', 'one hour', '1h-2m', '1..5h', '.h', '9999999h']) {
    it(`"${text}" is refused with the name of the field`, () => {
      assert.throws(() => parseDuration(text, 'spec.x'), /^Error: spec\.x: /);
    });
  }

  it('a text without end is refused in no time', () => {
    const began = performance.now();
    for (const text of ['1'.repeat(1e6), '1.'.repeat(1e6), `${'1h'.repeat(1e6)}x`, `${'9'.repeat(1e6)}h`]) {
      assert.throws(
        () => parseDuration(text, 'spec.x'),
        (error: Error) => error.message.length < 500,
      );
    }
    // Whatever looked at each character more than a few times would take hours.
    assert.ok(performance.now() - began < 10_000);
  });

  it('any duration is read back from its text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (duration) => {
        assert.equal(parseDuration(formatDuration(duration), 'f'), duration);
      }),
    );
  });
});

it('addDuration moves a date to the millisecond', () => {
  const date = addDuration(new Date('2026-01-01T00:00:00Z'), parseDuration('1h0.5s', 'f'));
  assert.equal(date.toISOString(), '2026-01-01T01:00:00.500Z');
});
