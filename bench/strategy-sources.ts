import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '..', 'src', 'strategy');

/** How large the sources of the strategy may be, in bytes. */
export const SOURCE_LIMITS = { plain: 250_000, gzipped: 60_000 } as const;

/**
 * The size of the strategy's sources in bytes: all TypeScript below `src/strategy` but the folders named `texts`, which hold what people read, one file
 * after the other in the order of their paths; and the same after `gzip -9`.
 */
export function measureStrategySources(): { plain: number; gzipped: number } {
  const files = globSync('**/*.ts', { cwd: FOLDER }).filter((file) => !file.split(sep).includes('texts'));
  const text = Buffer.concat(files.sort().map((file) => readFileSync(join(FOLDER, file))));
  return { plain: text.length, gzipped: gzipSync(text, { level: 9 }).length };
}
