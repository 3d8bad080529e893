/** A span of time as Go writes it. Nanoseconds are kept as a bigint: a year of them does not fit a number exactly. */
export type Nanoseconds = bigint;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

/** Longer texts name no time span that anybody means, and arithmetic on them takes long. */
const MAX_LENGTH = 200;
/** One or more numbers with units. No digit can be read in two ways: a text without end must not be tried in all of them. */
const DURATION = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Go's limit: a duration is a signed 64-bit number of nanoseconds. */
const LIMIT = 2n ** 63n;

/**
 * Parses a Go duration such as `168h`, `1h30m`, `1.5h`. Throws an error that names `field` and the text when it is none (spec/certificates.md §2).
 */
export function parseDuration(text: string, field: string): Nanoseconds {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return 0n;
  if (body.length > MAX_LENGTH || !DURATION.test(body)) {
    throw new Error(`${field}: "${text.slice(0, MAX_LENGTH)}" is not a duration; write it like 168h or 1h30m`);
  }
  const parts = [...body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)];
  const total = parts.reduce((sum, [, whole = '', fraction = '', unit = 's']) => {
    const factor = UNITS[unit] ?? SECOND;
    return sum + BigInt(whole || '0') * factor + (BigInt(fraction || '0') * factor) / 10n ** BigInt(fraction.length);
  }, 0n);
  if (total >= LIMIT) throw new Error(`${field}: "${text}" is longer than a duration can be`);
  return sign === '-' ? -total : total;
}

/** Go's text of a duration: `168h0m0s`, `4h48m0s`, `1.5s`, `300ms`. */
export function formatDuration(duration: Nanoseconds): string {
  if (duration === 0n) return '0s';
  if (duration < 0n) return `-${formatDuration(-duration)}`;
  if (duration < SECOND) return formatBelowSecond(duration);
  const seconds = duration / SECOND;
  const [hours, minutes] = [seconds / 3600n, (seconds / 60n) % 60n];
  const tail = `${withFraction(seconds % 60n, duration % SECOND, 9)}s`;
  if (hours > 0n) return `${hours.toString()}h${minutes.toString()}m${tail}`;
  return minutes > 0n ? `${minutes.toString()}m${tail}` : tail;
}

function formatBelowSecond(duration: Nanoseconds): string {
  if (duration >= MILLISECOND) return `${withFraction(duration / MILLISECOND, duration % MILLISECOND, 6)}ms`;
  return duration >= 1_000n ? `${withFraction(duration / 1_000n, duration % 1_000n, 3)}µs` : `${duration.toString()}ns`;
}

function withFraction(whole: bigint, rest: bigint, digits: number): string {
  const fraction = rest.toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? whole.toString() : `${whole.toString()}.${fraction}`;
}

/** Milliseconds of a duration, for dates. */
export function toMilliseconds(duration: Nanoseconds): number {
  return Number(duration) / 1e6;
}

/** A date moved by a duration. */
export function addDuration(date: Date, duration: Nanoseconds): Date {
  return new Date(date.getTime() + toMilliseconds(duration));
}
