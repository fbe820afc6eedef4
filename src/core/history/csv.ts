export type Cell = string | number | undefined;

/** Rows as CSV (RFC 4180). Safe to open in a spreadsheet. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  const text = typeof value === 'number' ? String(value) : inert(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula, because people write the comments
 * (owasp.org/www-community/attacks/CSV_Injection). Some spreadsheets skip leading spaces and accept full-width signs.
 */
function inert(text: string): string {
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}
