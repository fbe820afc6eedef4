import { groupBy } from '../../group-by.ts';
import { lastChange } from '../../index/commits.ts';
import type { Definition } from '../../index/file-index.ts';
import type { CodeSymbol } from '../../index/symbols.ts';
import { commentStart } from '../blocks.ts';
import { byUsefulness, type Investigation, type Usage } from '../investigation.ts';
import type { Passage } from '../rank.ts';
import { hasHit, isTelling } from '../verbatim.ts';
import { commitLine } from './commit-lines.ts';
import { commitSource, type Draft, type Findings, fileSource } from './draft.ts';
import { bullets, code, count, fileLink, joinWords, prose } from './markdown.ts';
import { descriptionOf } from './statement.ts';

const MOST_CALLERS = 4;
const MOST_CALLED = 4;
const MOST_TESTS = 3;

/**
 * Adds from where the definition of a passage is called, what its lines call, its tests and its last change. Returns the definitions
 * that its lines call.
 */
export async function addSurroundings(
  main: Passage,
  { investigation, literals }: Findings,
  draft: Draft,
): Promise<readonly Definition[]> {
  const { file, symbol } = main;
  if (file.role === 'docs' || file.role === 'config') return [];
  await investigation.step(`Following what ${symbol?.name ?? file.path} calls and what calls it`);
  const isCalled = symbol?.kind === 'function' || symbol?.kind === 'method';
  // Who uses a class says nothing about a text within it.
  const isOnlyAround =
    !isCalled &&
    literals.some((literal) => isTelling(literal) && hasHit(main, literal) && literal.text !== symbol?.name);
  const usages = symbol === undefined || isOnlyAround ? [] : await usagesOf(main, symbol, investigation);
  const callers = usages.filter(({ file: own }) => own.role !== 'test' && own.role !== 'docs');
  if (callers.length > 0) {
    draft.sections.push(`**${isCalled ? 'Called from' : 'Used in'}**\n\n${bullets(usageLines(callers, MOST_CALLERS))}`);
    draft.sources.push(...callers.slice(0, MOST_CALLERS).map(({ file: own, line }) => fileSource(own, line)));
  }
  const called = await calledWithin(main, investigation);
  if (called.length > 0) {
    const items = await Promise.all(called.map((each) => definitionLine(each, investigation)));
    draft.sections.push(`**It rests on**\n\n${bullets(items)}`);
    draft.sources.push(...called.map(({ file: own, symbol: each }) => fileSource(own, each.line)));
  }
  const tests = firstPerFile(usages.filter(({ file: own }) => own.role === 'test')).slice(0, MOST_TESTS);
  if (tests.length > 0) {
    draft.sections.push(`**Tests**: ${joinWords(tests.map(({ file: own, line }) => fileLink(own, line)))}.`);
    draft.sources.push(...tests.map(({ file: own, line }) => fileSource(own, line)));
  }
  const repository = investigation.corpus.repository(file.repository);
  const last =
    repository === undefined
      ? undefined
      : await lastChange(repository, file, commentStart(await investigation.lines(file), main.start), main.end);
  if (last !== undefined) {
    draft.sections.push(`**Last change**: ${commitLine(file.repository, last)}`);
    draft.sources.push(commitSource(file.repository, last.id, last.subject));
  }
  return called;
}

async function usagesOf({ file }: Passage, symbol: CodeSymbol, investigation: Investigation): Promise<Usage[]> {
  const definitions = investigation.definitions(symbol.name);
  if (symbol.kind === 'heading') return [];
  const usages = await investigation.usages(symbol.name, definitions);
  // Where several definitions have the name, only a use in the same file is surely one of this one.
  return usages.filter(({ file: own }) => (definitions.length > 1 ? own === file : own.repository === file.repository));
}

/** Definitions of the same repository that a passage calls, in order. */
async function calledWithin(passage: Passage, investigation: Investigation): Promise<Definition[]> {
  const lines = await investigation.lines(passage.file);
  const found = new Map<string, Definition>();
  for (let line = passage.start; line <= passage.end; line += 1) {
    const text = (lines[line - 1] ?? '').slice(0, 400).replace(/(["'`])(?:(?!\1).)*\1/g, '""');
    if (passage.file.commentLines.has(line)) continue;
    for (const [, type, name = ''] of text.matchAll(CALL)) {
      if (name === passage.symbol?.name || found.has(name)) continue;
      const definition = onlyDefinition(name, passage, investigation);
      if (definition !== undefined && canBeOf(type, definition, passage)) found.set(name, definition);
    }
  }
  return [...found.values()].slice(0, MOST_CALLED);
}

/** A call, with what stands before it where that is the own object or begins with a capital letter: mostly a type. */
const CALL =
  /(?:(?<![\p{L}\p{N}_$])(this|self|\p{Lu}[\p{L}\p{N}_$]*)(?:<[^<>]*>)?(?:::|\.|->))?([\p{L}_$][\p{L}\p{N}_$]{2,})\s*\(/gu;

/** `Duration::new` is not the `new` of another type, and `this.push` no function of the file that belongs to nothing. */
function canBeOf(type: string | undefined, { file, symbol: { owner } }: Definition, passage: Passage): boolean {
  if (type === 'this' || type === 'self') return file !== passage.file || owner !== undefined;
  return type === undefined || type === 'Self' || type === /^[^<(]*/.exec(owner ?? '')?.[0];
}

/** The definition in the same file, or else the only one in code of the same kind; undefined when it is in the passage. */
function onlyDefinition(
  name: string,
  { file, start, end }: Passage,
  investigation: Investigation,
): Definition | undefined {
  const all = investigation
    .definitions(name)
    .filter(
      ({ file: own, symbol }) =>
        symbol.name === name && own.repository === file.repository && symbol.kind !== 'constant',
    );
  const here = all.filter((each) => each.file === file);
  if (here.length > 0)
    return here.length === 1 && !here.some(({ symbol }) => symbol.line >= start && symbol.line <= end)
      ? here[0]
      : undefined;
  const extension = file.path.split('.').at(-1) ?? '';
  const elsewhere = all.filter(
    ({ file: own, symbol }) => own.role === 'source' && symbol.kind !== 'method' && own.path.endsWith(`.${extension}`),
  );
  return elsewhere.length === 1 ? elsewhere[0] : undefined;
}

/** A bullet with the name of a definition, its place and its comment. */
export async function definitionLine({ file, symbol }: Definition, investigation: Investigation): Promise<string> {
  const description = descriptionOf({ file, symbol }, await investigation.lines(file));
  return `${code(symbol.name)} (${fileLink(file, symbol.line)})${description === '' ? '' : `: ${description}`}`;
}

/** Usages by file, as bullets that name the enclosing definitions. */
export function usageLines(usages: readonly Usage[], most: number): string[] {
  const files = [...groupBy(usages, ({ file }) => file)].sort(([a], [b]) => byUsefulness(a, b));
  const lines = files.slice(0, most).map(([file, own]) => {
    const [first] = own;
    const names = new Set(own.flatMap(({ within }) => (within === undefined ? [] : [code(within.name)])));
    const numbers = [...own.slice(0, 3).map(({ line }) => line), ...(own.length > 3 ? ['…'] : [])].join(', ');
    const more = own.length > 1 ? ` (${count(own.length, 'line')}: ${numbers})` : '';
    const where = names.size > 0 && file.role !== 'docs' ? ` in ${joinWords([...names].slice(0, 3))}` : '';
    return `${fileLink(file, first?.line)}${where}${more}: ${code(shorten(first?.text ?? ''))}`;
  });
  if (files.length > most) lines.push(`… and ${count(files.length - most, 'more file')}`);
  return lines;
}

export function firstPerFile(usages: readonly Usage[]): Usage[] {
  return [...new Map(usages.toReversed().map((usage) => [usage.file, usage])).values()].reverse();
}

export function shorten(text: string, most = 110): string {
  const single = text.replace(/\s+/g, ' ').trim();
  return single.length > most ? `${single.slice(0, most)}…` : single;
}

export function nameInText({ kind, name }: CodeSymbol): string {
  return kind === 'heading' ? `“${prose(name)}”` : code(name);
}

/** The word for a kind of definition in a sentence. */
export function kindWord({ kind }: CodeSymbol): string {
  return kind === 'heading' ? 'section' : kind;
}
