import type { Definition, IndexedFile } from '../../index/file-index.ts';
import { coverage } from '../coverage.ts';
import { comparePaths } from '../investigation.ts';
import type { Passage } from '../rank.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { followUpsFor } from './follow-ups.ts';
import { bullets, bulletsUpTo, code, count, fileLink, joinWords } from './markdown.ts';
import { whatIsSaid } from './statement.ts';
import { definitionLine, nameInText, shorten } from './surroundings.ts';
import { questionTitle } from './titles.ts';

const MOST_DEFINITIONS = 24;
/** Share of the question's weight in a name from which a definition is listed. */
const NAMED_FROM = 0.6;

/** Answers "which files …" and "list …": definitions with such names, then the best passage of each file, with the reason. */
export async function listFiles(findings: Findings): Promise<Draft> {
  const { investigation, passages, question, words } = findings;
  const best = new Map<IndexedFile, Passage>();
  for (const passage of passages) if (!best.has(passage.file)) best.set(passage.file, passage);
  const groups = new Map<string, string[]>();
  for (const [file, passage] of best) {
    const group = GROUPS[file.role] ?? 'Other';
    groups.set(group, [...(groups.get(group) ?? []), `${fileLink(file)}${await reason(passage, findings)}`]);
  }
  const asksFiles = /\b(?:files?|modules?|folders?|director(?:y|ies))\b/i.test(question.text);
  const definitions = asksFiles ? [] : matchingDefinitions(findings);
  const about =
    joinWords(
      words
        .filter(({ terms }) => terms.size > 0)
        .slice(0, 5)
        .map(({ word }) => code(word)),
    ) || 'this';
  const lines = await Promise.all(
    definitions.slice(0, MOST_DEFINITIONS).map((definition) => definitionLine(definition, investigation)),
  );
  const listed =
    definitions.length < 2
      ? ''
      : `${count(definitions.length, 'definition is', 'definitions are')} named after ${about}.\n\n${bulletsUpTo(MOST_DEFINITIONS, lines, definitions.length)}`;
  const [first, ...rest] = passages;
  return {
    title: questionTitle(question, undefined),
    sections: [
      listed,
      `The ${best.size === 1 ? 'file' : `${best.size} files`} closest to ${about}, best first in each group:`,
      ...[...groups].map(([name, items]) => (groups.size === 1 ? bullets(items) : `**${name}**\n\n${bullets(items)}`)),
    ],
    sources: [...best.values()].map(({ file, start, end }) => fileSource(file, start, end)),
    followUps: first === undefined ? [] : await followUpsFor(first, rest, findings),
    symbols: passages.flatMap(({ symbol }) => (symbol === undefined || symbol.kind === 'heading' ? [] : [symbol.name])),
    files: [...best.keys()],
  };
}

const GROUPS: Partial<Record<IndexedFile['role'], string>> = { source: 'Code', test: 'Tests', docs: 'Documents' };

/** Definitions whose name or file name has most of the question, best first. */
function matchingDefinitions({ investigation, words }: Findings): Definition[] {
  const found: { definition: Definition; named: number }[] = [];
  for (const file of investigation.corpus.index.all()) {
    if (file.role !== 'source') continue;
    const byFile = coverage(file.path.split('/').at(-1) ?? '', words);
    for (const symbol of file.symbols) {
      if (symbol.kind === 'method' || symbol.kind === 'constant' || symbol.indent > 4) continue;
      const named = coverage(symbol.name, words);
      if (Math.max(named, byFile) >= NAMED_FROM) found.push({ definition: { file, symbol }, named });
    }
  }
  return found
    .sort(
      ({ named, definition: a }, { named: other, definition: b }) =>
        other - named || comparePaths(a.file, b.file) || a.symbol.line - b.symbol.line,
    )
    .map(({ definition }) => definition);
}

/** The definition, sentence or line that makes a file match. */
async function reason(passage: Passage, { investigation, words }: Findings): Promise<string> {
  const lines = await investigation.lines(passage.file);
  const { symbol, keyLines } = passage;
  const name = symbol === undefined ? '' : nameInText(symbol);
  const said = whatIsSaid(passage, lines, words);
  if (name !== '' || said !== '') return `: ${[name, said].filter((part) => part !== '').join(', ')}`;
  const [line] = keyLines;
  const text = line === undefined ? '' : (lines[line - 1] ?? '').trim();
  return text === '' ? '' : `: ${code(shorten(text))} (line ${line})`;
}
