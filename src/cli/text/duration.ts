const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/** A span in its two largest units, as a person would say it: `6 d 23 h`, `4 min 5 s`, `0 s`. The sign is left out. */
export function describeSpan(milliseconds: number): string {
  const rest = Math.abs(milliseconds);
  const first = UNITS.findIndex(({ ms }) => rest >= ms);
  const [large, small] = first === -1 ? [UNITS[3]] : [UNITS[first], UNITS[first + 1]];
  if (large === undefined) return '0 s';
  const count = Math.floor(rest / large.ms);
  const text = `${count} ${large.name}`;
  if (small === undefined) return text;
  const remainder = Math.floor((rest - count * large.ms) / small.ms);
  return remainder === 0 ? text : `${text} ${remainder} ${small.name}`;
}

/** How long something took: `350 ms`, `4.2 s`, `1 min 5 s`. */
export function describeDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : describeSpan(milliseconds);
}

/** A time as seen from `now`: `in 3 h`, `4 min ago`, `now`. */
export function describeTime(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) < 1000) return 'now';
  return distance > 0 ? `in ${describeSpan(distance)}` : `${describeSpan(distance)} ago`;
}
