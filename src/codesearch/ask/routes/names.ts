import type { CodeSymbol } from '../../index/symbols.ts';
import { code, prose } from '../markdown.ts';

/** The name that a question can ask about; undefined for headings, constructors and private names. */
export function nameOf(symbol: CodeSymbol | undefined): string | undefined {
  return symbol === undefined || symbol.kind === 'heading' || /^_|^constructor$/.test(symbol.name)
    ? undefined
    : symbol.name;
}

export function nameInText({ kind, name }: CodeSymbol): string {
  return kind === 'heading' ? `“${prose(name)}”` : code(name);
}

export function shorten(text: string, most = 110): string {
  const single = text.replace(/\s+/g, ' ').trim();
  return single.length > most ? `${single.slice(0, most)}…` : single;
}
