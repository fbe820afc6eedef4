import type { IndexedFile } from '../file-index.ts';
import type { CodeSymbol } from '../symbols.ts';
import type { Findings } from './draft.ts';

/** Useful next questions about what was found; each one names an existing symbol or file. */
export function followUpsFor(
  symbol: CodeSymbol | undefined,
  file: IndexedFile,
  { question, passages }: Findings,
): string[] {
  const followUps: string[] = [];
  const name =
    symbol === undefined || symbol.kind === 'heading' || symbol.name.startsWith('__') ? undefined : symbol.name;
  if (name !== undefined) {
    if (question.intent !== 'usage') followUps.push(`Where is \`${name}\` used?`);
    if (question.intent !== 'how') followUps.push(`How does \`${name}\` work?`);
  }
  const next = passages.find(
    (passage) =>
      passage.symbol !== undefined &&
      passage.symbol.kind !== 'heading' &&
      passage.symbol.name !== name &&
      !passage.symbol.name.startsWith('_') &&
      passage.file.role === 'source',
  );
  if (next?.symbol !== undefined) followUps.push(`How does \`${next.symbol.name}\` work?`);
  if (name !== undefined && question.intent !== 'tests') followUps.push(`Which tests cover \`${name}\`?`);
  if (question.intent !== 'history') followUps.push(`When was \`${file.path}\` last changed?`);
  followUps.push(`What is in \`${file.path}\`?`);
  return followUps;
}
