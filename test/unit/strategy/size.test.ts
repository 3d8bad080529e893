import assert from 'node:assert/strict';
import { test } from 'node:test';

import { measureStrategySources, SOURCE_LIMITS } from '../../../bench/strategy-sources.ts';

test('src/strategy without its folders `texts`, concatenated in order of paths: at most 250 kB, and 60 kB after gzip -9', () => {
  const { plain, gzipped } = measureStrategySources();
  assert.ok(plain > 0 && plain <= SOURCE_LIMITS.plain, `${plain} bytes`);
  assert.ok(gzipped <= SOURCE_LIMITS.gzipped, `${gzipped} bytes after gzip -9`);
});
