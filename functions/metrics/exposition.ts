/** A way to write a page of metrics. */
export interface Exposition {
  contentType: string;
  /** The whole page, from pages in Prometheus' text format. */
  write: (pages: readonly string[]) => string;
}

const TEXT: Exposition = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (pages) => pages.join(''),
};
const OPEN_METRICS: Exposition = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (pages) => [...pages.flatMap(toOpenMetrics), '# EOF\n'].join('\n'),
};

interface Wish {
  type: string;
  version: string;
  quality: number;
}

function parseWish(text: string): Wish {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string | undefined]));
  const quality = Number(parameters.get('q') ?? '1');
  return { type, version: parameters.get('version') ?? '', quality: Number.isFinite(quality) ? quality : 0 };
}

function grant({ type, version }: Wish): Exposition | undefined {
  if (type === 'application/openmetrics-text' && ['', '0.0.1', '1.0.0'].includes(version)) return OPEN_METRICS;
  return ['text/plain', 'text/*', '*/*'].includes(type) && ['', '0.0.4'].includes(version) ? TEXT : undefined;
}

/** More than any scraper sends; what comes after is not looked at. */
const MAX_WISHES = 32;

/**
 * The exposition that a scraper likes best of those that we have, by its Accept header: Prometheus' text format or OpenMetrics 1.0, as upstream
 * (spec/observability.md §1); text when it likes none, says nothing or something else.
 */
export function decideExposition(accept: string | undefined): Exposition {
  const wishes = (accept ?? '')
    .split(',', MAX_WISHES)
    .map(parseWish)
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const wish of wishes) {
    const granted = grant(wish);
    if (granted !== undefined) return granted;
  }
  return TEXT;
}

const COMMENT = /^# (HELP|TYPE) (\S+) (.*)$/;

/**
 * The lines of a page as OpenMetrics has them: a counter is described without the `_total` of its samples, help texts escape quotation marks, no line is
 * empty. The client library can write OpenMetrics too, but renames its metrics for good when it does.
 */
function toOpenMetrics(page: string): string[] {
  const lines = page.split('\n').filter((line) => line !== '');
  const counters = new Set(lines.flatMap((line) => /^# TYPE (\S+) counter$/.exec(line)?.[1] ?? []));
  const familyOf = (name: string) => (counters.has(name) ? name.replace(/_total$/, '') : name);
  return lines.map((line) => {
    const [, keyword, name = '', rest = ''] = COMMENT.exec(line) ?? [];
    if (keyword === undefined) return withTotal(line, counters);
    return `# ${keyword} ${familyOf(name)} ${keyword === 'HELP' ? rest.replaceAll('"', '\\"') : rest}`;
  });
}

/** Samples of counters end in `_total`, whatever the counter is called. */
function withTotal(line: string, counters: ReadonlySet<string>): string {
  const name = /^[^{ ]+/.exec(line)?.[0] ?? '';
  return counters.has(name) && !name.endsWith('_total') ? line.replace(name, `${name}_total`) : line;
}
