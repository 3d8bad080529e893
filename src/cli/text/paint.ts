import { styleText } from 'node:util';

/** Styles that mean something: `good`, `bad`, `warn`, `dim` for what matters little, `strong` for headings. */
export type Style = 'good' | 'bad' | 'warn' | 'dim' | 'strong';

/** Puts a style on a text; leaves the text as it is where styles are not wanted. */
export type Paint = (style: Style, text: string) => string;

const FORMATS = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim', strong: 'bold' } as const;

/** No styles: for files, pipes and tests. */
export const PLAIN: Paint = (_style, text) => text;

/** Colours on a terminal alone, and not where the user has switched them off (NO_COLOR). */
export function buildPaint(where: { isTerminal: boolean; env: Readonly<Record<string, string | undefined>> }): Paint {
  const { isTerminal, env } = where;
  if (!isTerminal || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return PLAIN;
  return (style, text) => styleText(FORMATS[style], text, { validateStream: false });
}
