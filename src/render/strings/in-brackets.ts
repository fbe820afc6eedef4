/** What a sentence names beside its words; nothing where there is nothing to name. */
export function inBrackets(named: string | undefined): string {
  return named === undefined ? '' : ` (${named})`;
}
