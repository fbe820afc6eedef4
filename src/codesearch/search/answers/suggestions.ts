import type { IndexedFile } from '../file-index.ts';
import type { CodeSymbol } from '../symbols.ts';
import type { Findings } from './draft.ts';

/** Questions worth asking next about what was found; every one names something real. */
export function followUpsFor(
  symbol: CodeSymbol | undefined,
  file: IndexedFile,
  { question, passages }: Findings,
): string[] {
  const suggestions: string[] = [];
  const name =
    symbol === undefined || symbol.kind === 'heading' || symbol.name.startsWith('__') ? undefined : symbol.name;
  if (name !== undefined) {
    if (question.intent !== 'usage') suggestions.push(`Where is \`${name}\` used?`);
    if (question.intent !== 'how') suggestions.push(`How does \`${name}\` work?`);
  }
  const next = passages.find(
    (passage) =>
      passage.symbol !== undefined &&
      passage.symbol.kind !== 'heading' &&
      passage.symbol.name !== name &&
      !passage.symbol.name.startsWith('_') &&
      passage.file.role === 'source',
  );
  if (next?.symbol !== undefined) suggestions.push(`How does \`${next.symbol.name}\` work?`);
  if (name !== undefined && question.intent !== 'tests') suggestions.push(`Which tests cover \`${name}\`?`);
  if (question.intent !== 'history') suggestions.push(`When was \`${file.path}\` last changed?`);
  suggestions.push(`What is in \`${file.path}\`?`);
  return suggestions;
}
