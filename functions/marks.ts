/**
 * Most commas, braces and brackets in a review, and in each patch that it holds. Anybody may send one, and five megabytes of empty objects would take a hundred
 * in memory, and half a second to look at.
 */
const MAX_MARKS = 200_000;

const MARKS = new Set(Buffer.from('{[,'));
const [QUOTE, BACKSLASH] = Buffer.from('"\\');

/** Whether JSON in UTF-8 has more parts than `MAX_MARKS`. A string is one part, whatever it holds: who parses it in turn has to ask again. */
export function hasTooManyMarks(json: Buffer): boolean {
  // Fewer bytes than that need not be looked at: hardly anything has more.
  return json.length > MAX_MARKS && countMarks(json) > MAX_MARKS;
}

function countMarks(json: Buffer): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (!isInString) count += MARKS.has(byte) ? 1 : 0;
    else if (byte === BACKSLASH) at++;
  }
  return count;
}
