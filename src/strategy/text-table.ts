/** The rows of a table in a text: one a line, cells separated by `|`; blank lines and blanks around cells do not count. */
export function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** The words of a cell. */
export function wordsOf(cell: string): string[] {
  return cell.split(' ').filter((word) => word !== '');
}
