import { docComment, firstSentence } from '../blocks.ts';
import type { IndexedFile } from '../file-index.ts';
import { byUsefulness, type Definition, type Investigation, type Usage } from '../investigation.ts';
import type { Passage } from '../passages.ts';
import type { CodeSymbol } from '../symbols.ts';
import { code, count, fileLink, joinWords, prose } from './markdown.ts';

const COMMON_NAMES = new Set(
  'get set add push pop map filter join split then catch log error warn info parse stringify create start stop run call apply bind on off emit send read write open close init main test describe it expect toString valueOf next done'.split(
    ' ',
  ),
);

/** The comment of a definition as one sentence of Markdown; empty without a comment. */
export async function describe({ file, symbol }: Definition, investigation: Investigation): Promise<string> {
  const lines = await investigation.lines(file);
  if (symbol.kind === 'heading') return prose(firstSentence(sectionText(lines, symbol.line)));
  return prose(firstSentence(docComment(lines, symbol.line)));
}

/** The first paragraph under a heading; skips tables, lists, images and code blocks. */
export function sectionText(lines: readonly string[], line: number): string {
  const paragraph: string[] = [];
  for (let index = line; index < Math.min(lines.length, line + 25); index += 1) {
    const text = (lines[index] ?? '').trim();
    if (/^(#|```|~~~|\||<|!\[|\[!|---|===|:::|\{%)/.test(text)) {
      if (paragraph.length > 0 || text.startsWith('#')) break;
      continue;
    }
    if (text === '') {
      if (paragraph.length > 0) break;
      continue;
    }
    if (paragraph.length === 0 && /^(?:type|default|since|status|date|added in)\b.{0,3}:|^\S+$/i.test(text)) {
      while (index + 1 < lines.length && (lines[index + 1] ?? '').trim() !== '') index += 1;
      continue;
    }
    paragraph.push(text.replace(/^([*+-]|\d+\.)\s+|^>\s*/, ''));
  }
  return paragraph.join(' ');
}

/** Definitions of the same repository that a passage mentions, in order of mention. */
export async function namedWithin(passage: Passage, investigation: Investigation, most = 6): Promise<Definition[]> {
  const lines = await investigation.lines(passage.file);
  const found: Definition[] = [];
  const seen = new Set([passage.symbol?.name]);
  for (const line of lines.slice(passage.start, passage.end)) {
    if (line.length > 400 || /^\s*(\/\/|\*|\/\*|#\s)/.test(line)) continue;
    for (const match of line.replace(/(["'`])(?:(?!\1).)*\1/g, '""').matchAll(/[A-Za-z_$][\w$]*/g)) {
      const name = match[0];
      if (seen.has(name) || name.length < 4 || COMMON_NAMES.has(name)) continue;
      seen.add(name);
      const isCalled = line.slice(match.index + name.length).startsWith('(');
      if (!isCalled && !/^[A-Z]/.test(name) && !/[a-z][A-Z]|_/.test(name)) continue;
      const definition = likelyDefinition(name, passage, investigation);
      if (definition !== undefined) found.push(definition);
    }
  }
  return found.slice(0, most);
}

function likelyDefinition(name: string, passage: Passage, investigation: Investigation): Definition | undefined {
  const all = investigation
    .definitions(name)
    .filter(
      ({ file, symbol }) =>
        symbol.name === name && file.repository === passage.file.repository && file.role !== 'vendored',
    );
  const here = all.find(({ file }) => file === passage.file);
  if (here !== undefined) {
    return here.symbol.line >= passage.start && here.symbol.line <= passage.end ? undefined : here;
  }
  const extension = passage.file.path.split('.').at(-1);
  const elsewhere = all.filter(
    ({ file, symbol }) =>
      file.role === 'source' && symbol.kind !== 'method' && file.path.endsWith(`.${extension ?? ''}`),
  );
  return elsewhere.length <= 2 ? elsewhere[0] : undefined;
}

/** A bullet with the name of a definition, its place and its comment. */
export async function definitionLine(definition: Definition, investigation: Investigation): Promise<string> {
  const description = await describe(definition, investigation);
  const place = fileLink(definition.file, definition.symbol.line);
  return `${code(definition.symbol.name)} (${place})${description === '' ? '' : `: ${description}`}`;
}

/** Usages by file, as bullets that name the enclosing definitions. */
export function usageLines(usages: readonly Usage[], most: number): string[] {
  const byFile = new Map<IndexedFile, Usage[]>();
  for (const usage of usages) byFile.set(usage.file, [...(byFile.get(usage.file) ?? []), usage]);
  const files = [...byFile.keys()].sort(byUsefulness);
  const lines = files.slice(0, most).map((file) => {
    const own = byFile.get(file) ?? [];
    const within = [...new Set(own.flatMap(({ within: symbol }) => (symbol === undefined ? [] : [symbol.name])))];
    const shown = own.slice(0, 3).map(({ line }) => line);
    const first = own[0];
    const names = within.slice(0, 3).map(code);
    const place = fileLink(file, first?.line);
    const more =
      shown.length > 1 || own.length > 1
        ? ` (${count(own.length, 'line')}: ${shown.join(', ')}${own.length > 3 ? ', …' : ''})`
        : '';
    const where = names.length > 0 && file.role !== 'docs' ? ` in ${joinWords(names)}` : '';
    return `${place}${where}${more}: ${code(shorten(first?.text ?? ''))}`;
  });
  if (files.length > most) lines.push(`… and ${count(files.length - most, 'more file')}`);
  return lines;
}

export function shorten(text: string, most = 110): string {
  const single = text.replace(/\s+/g, ' ').trim();
  return single.length > most ? `${single.slice(0, most)}…` : single;
}

/** The word for a kind of definition in a sentence. */
export function kindWord({ kind }: CodeSymbol): string {
  return kind === 'type' ? 'type' : kind === 'heading' ? 'section' : kind;
}
