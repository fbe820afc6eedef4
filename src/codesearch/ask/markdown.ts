import { fileLabel, filePath } from '../addresses.ts';
import type { IndexedFile } from '../index/file-index.ts';
import { languageOf } from '../index/roles.ts';
import type { CodeSymbol } from '../index/symbols.ts';
import { BASE_MARK } from './finding.ts';

/** A Markdown link within this service; it becomes absolute when the answer is sent. */
export function link(label: string, relative: string): string {
  return `[${escapeText(label)}](${BASE_MARK}${relative})`;
}

/** A link to lines of a file, labeled `path:10-20`. */
export function fileLink(file: IndexedFile, start?: number, end?: number): string {
  return link(fileLabel(file, start, end), filePath(file, start, end));
}

/** Inline code; handles backticks in the text. */
export function code(text: string): string {
  const clean = text.replaceAll(BASE_MARK, '').replace(/\s+/g, ' ').trim();
  const ticks = clean.includes('`') ? '``' : '`';
  return ticks === '`' ? `\`${clean}\`` : `${ticks} ${clean.replaceAll('``', '`')} ${ticks}`;
}

/** Quoted text as one line of Markdown: escapes Markdown characters, keeps balanced code spans. */
export function prose(text: string): string {
  const single = text
    .slice(0, 2_000)
    .replaceAll(BASE_MARK, '')
    // Tags of Javadoc, and roles of reStructuredText.
    .replace(/\{@(?:link|linkplain|code|literal|value)\s+#?([^}\s]+)[^}]*\}/g, '`$1`')
    .replace(/:[a-z][\w:+-]{0,30}:`~?([^`<\n]{1,200}?)(?:\s*<[^>`]*>)?`/g, '`$1`')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/(\*\*|__)(\S[^*_]*\S)\1/g, '$2')
    .replace(/``([^`]+)``/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
  return single
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? part : escapeText(part)))
    .join('')
    .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^([#+>-])(?=[\s#>]|$)/, '\\$1');
}

export function escapeText(text: string): string {
  return text
    .replaceAll(BASE_MARK, '')
    .replace(/[\\`*_[\]<~]/g, '\\$&')
    .replace(/(\p{L}|\p{N})\\_(?=\p{L}|\p{N})/gu, '$1_');
}

/** A fenced code block with its language; the fence is longer than any run of backticks inside. */
export function fence(lines: readonly string[], path: string): string {
  const text = lines.join('\n').replaceAll(BASE_MARK, '').replaceAll('\r', '');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${languageOf(path)}\n${text}\n${marks}`;
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

/** `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

export function endSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

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
