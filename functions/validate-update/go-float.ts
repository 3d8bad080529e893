/** An underscore may stand between two digits, and after the prefix of a hexadecimal number. */
const MISPLACED_UNDERSCORE = {
  decimal: /(?<!\d)_|_(?!\d)/,
  hexadecimal: /(?<![0-9a-f]|^0x)_|_(?![0-9a-f])/,
} as const;
const DECIMAL = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/;
const HEXADECIMAL = /^0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d+)$/;
/** Numbers with more characters than this carry no more information, and their conversion takes time. */
const MAX_LENGTH = 800;

function parseHexadecimal(text: string): number {
  const [, whole = '', fraction = '', exponent = '0'] = HEXADECIMAL.exec(text) ?? [];
  const digits = `${whole}${fraction}`;
  return digits === '' ? Number.NaN : Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.length);
}

/**
 * Reads a number as Go's float syntax has it: decimal or hexadecimal, digits grouped by underscores (spec/webhooks.md §4.3, details of 6 and 7). NaN for
 * everything else: the words for infinity and NaN, which Go accepts, make no sense as a ratio.
 */
export function parseGoFloat(text: string): number {
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/s.exec(text.toLowerCase()) ?? [];
  const base = digits.startsWith('0x') ? 'hexadecimal' : 'decimal';
  if (digits.length > MAX_LENGTH || MISPLACED_UNDERSCORE[base].test(digits)) return Number.NaN;
  const plain = digits.replaceAll('_', '');
  const value = base === 'hexadecimal' ? parseHexadecimal(plain) : DECIMAL.test(plain) ? Number(plain) : Number.NaN;
  return sign === '-' ? -value : value;
}
