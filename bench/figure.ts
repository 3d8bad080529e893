/** One measured figure and what it has to be. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Upper bound; figures without any bound are only given. */
  must?: number;
  /** Lower bound. */
  least?: number;
}

/** A group of figures that are measured together. */
export interface Benchmark {
  name: string;
  measure: () => Promise<Figure[]>;
}

/** True unless the figure misses a bound. */
export function isMet({ value, must = Infinity, least = -Infinity }: Figure): boolean {
  return value <= must && value >= least;
}

/** The value at a quantile of 0 to 1, by the nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

const show = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(2));

/** The figures as a Markdown table. */
export function renderTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const bounds = [
      ...(figure.least === undefined ? [] : [`≥ ${show(figure.least)}`]),
      ...(figure.must === undefined ? [] : [`≤ ${show(figure.must)}`]),
    ];
    return `| ${figure.name} | ${show(figure.value)} ${figure.unit} | ${bounds.join(', ') || '–'} | ${isMet(figure) ? 'yes' : 'NO'} |`;
  });
  return ['| figure | measured | must | met |', '|---|---|---|---|', ...rows].join('\n');
}
