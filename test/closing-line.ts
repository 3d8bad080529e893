import type { TestEvent } from 'node:test/reporters';

/** The counts of a whole run. */
export interface Counts {
  tests: number;
  passed: number;
  skipped: number;
  todo: number;
}

/** The last line of `npm test`: what failed stands far above it by then. A test that was cancelled has failed. */
export function describeCounts({ tests, passed, skipped, todo }: Counts): string {
  const left = skipped + todo;
  const parts = [`${passed} passed`, `${tests - passed - left} failed`];
  if (left > 0) parts.push(`${left} skipped`);
  return parts.join(', ');
}

/** A reporter for `node --test` that writes nothing but that line. */
export default async function* closingLine(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    // Each file has a summary of its own; that of the whole run names no file.
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    yield `${describeCounts(event.data.counts)}\n`;
  }
}
