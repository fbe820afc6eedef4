/** A line whose parts come from far sides: they must not control the terminal that shows it, or turn its order around. */
export function shownLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
