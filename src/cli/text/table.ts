import { stripVTControlCharacters } from 'node:util';

import type { Paint } from './paint.ts';

const GAP = '   ';

/** Lines with aligned columns under a heading; each ends with a line break. Cells may bear styles. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const painted = heading.map((title) => paint('dim', title.toUpperCase()));
  return renderColumns([painted, ...rows]);
}

/** Lines with aligned columns; the last column is not padded. */
function renderColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, widthOf(cell))), []);
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => pad(cell, widths[i] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

/** Indents every line of a text. */
export function indent(text: string, by = '  '): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
