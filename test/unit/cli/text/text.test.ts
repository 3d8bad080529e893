import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { describeDuration, describeSpan, describeTime } from '../../../../src/cli/text/duration.ts';
import { buildPaint, PLAIN } from '../../../../src/cli/text/paint.ts';
import { indent, renderTable } from '../../../../src/cli/text/table.ts';

describe('describeDuration', () => {
  for (const [ms, want] of [
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1000, '1.0 s'],
    [12_689, '12.7 s'],
    [65_000, '1 min 5 s'],
  ] as const) {
    test(want, () => {
      assert.equal(describeDuration(ms), want);
    });
  }
});

describe('describeSpan', () => {
  const rows: [number, string][] = [
    [0, '0 s'],
    [999, '0 s'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [3_660_000, '1 h 1 min'],
    [86_400_000 * 6 + 3_600_000 * 23 + 59_000, '6 d 23 h'],
    [-65_000, '1 min 5 s'],
  ];
  for (const [milliseconds, want] of rows) {
    test(`${milliseconds} ms`, () => {
      assert.equal(describeSpan(milliseconds), want);
    });
  }
});

test('times are told from now on', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  assert.equal(describeTime(now + 3_600_000, now), 'in 1 h');
  assert.equal(describeTime(now - 240_000, now), '4 min ago');
  assert.equal(describeTime(now + 999, now), 'now');
});

describe('renderTable', () => {
  test('aligns columns, and leaves no blanks at the end of a line', () => {
    const text = renderTable(
      ['name', 'state'],
      [
        ['a', 'ready'],
        ['longer', ''],
      ],
      PLAIN,
    );
    assert.equal(text, 'NAME     STATE\na        ready\nlonger\n');
  });

  test('styles take no room', () => {
    const paint = buildPaint({ isTerminal: true, env: {} });
    const text = renderTable(['x', 'y'], [[paint('good', 'ab'), 'c']], paint);
    assert.equal(text, '\u001b[2mX\u001b[22m    \u001b[2mY\u001b[22m\n\u001b[32mab\u001b[39m   c\n');
  });

  test('lines are indented, empty ones are not', () => {
    assert.equal(indent('a\n\nb\n'), '  a\n\n  b\n');
  });
});
