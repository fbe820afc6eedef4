import type { IndexedFile } from '../file-index.ts';
import { comparePaths, type Definition } from '../investigation.ts';
import type { Passage } from '../passages.ts';
import { coverage } from '../weighing.ts';
import { textTerms } from '../words.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { followUpsFor } from './follow-ups.ts';
import { bullets, code, count, fileLink, joinWords } from './markdown.ts';
import { definitionLine, describe, shorten } from './related.ts';
import { questionTitle } from './titles.ts';

const MOST = 12;
const MOST_DEFINITIONS = 24;

/** Answers "which files …" and "list …": files ordered by how well they match, each with the reason. */
export async function listFiles(findings: Findings): Promise<Draft> {
  const { weighed, investigation, passages, question } = findings;
  const terms = new Map<IndexedFile, Set<string>>();
  const scores = new Map<IndexedFile, number>();
  for (const hit of weighed.hits) {
    const known = terms.get(hit.file) ?? new Set<string>();
    for (const term of hit.terms) known.add(term);
    terms.set(hit.file, known);
    scores.set(hit.file, Math.max(scores.get(hit.file) ?? 0, hit.score));
  }
  const best = Math.max(1e-9, ...scores.values());
  const ranked = [...terms]
    .map(([file, found]) => ({
      file,
      covered: coverage(weighed.subjects, found) / (weighed.total || 1),
      worth: coverage(weighed.subjects, found) / (weighed.total || 1) + (0.8 * (scores.get(file) ?? 0)) / best,
    }))
    .filter(({ covered }) => covered >= 0.45)
    .sort((a, b) => b.worth - a.worth || (a.file.path < b.file.path ? -1 : 1));
  const top = ranked[0]?.worth ?? 0;
  const close = ranked.filter(({ worth }) => worth > top * 0.35);
  await investigation.step(
    `Reading ${count(Math.min(close.length, MOST), 'file')} to see what each one has to do with it`,
  );
  const groups = new Map<string, string[]>();
  for (const { file } of close.slice(0, MOST)) {
    const group =
      file.role === 'test' ? 'Tests' : file.role === 'docs' ? 'Documents' : file.role === 'source' ? 'Code' : 'Other';
    groups.set(group, [...(groups.get(group) ?? []), `${fileLink(file)}${await reason(file, findings)}`]);
  }
  const definitions = /\b(?:files?|modules?|folders?|director(?:y|ies))\b/i.test(question.text)
    ? []
    : matchingDefinitions(findings);
  const words = question.subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => code(word));
  const lines = await Promise.all(
    definitions.slice(0, MOST_DEFINITIONS).map((definition) => definitionLine(definition, investigation)),
  );
  if (definitions.length > MOST_DEFINITIONS) lines.push(`… and ${definitions.length - MOST_DEFINITIONS} more`);
  const sections = [
    definitions.length < 2
      ? ''
      : `${count(definitions.length, 'definition has', 'definitions have')} to do with ${joinWords(words.slice(0, 5)) || 'this'}.\n\n${bullets(lines)}`,
    `${count(close.length, 'file has', 'files have')} to do with ${joinWords(words.slice(0, 5)) || 'this'}${close.length > MOST ? `; these are the ${MOST} closest` : ''}.`,
    ...['Code', 'Tests', 'Documents', 'Other'].flatMap((name) => {
      const items = groups.get(name);
      return items === undefined ? [] : [groups.size === 1 ? bullets(items) : `**${name}**\n\n${bullets(items)}`];
    }),
  ];
  const first = passages[0];
  return {
    title: questionTitle(question, undefined),
    sections,
    sources: close.slice(0, MOST).map(({ file }) => fileSource(file)),
    followUps: first === undefined ? [] : followUpsFor(first.symbol, first.file, findings),
    symbols: passages.flatMap(({ symbol }) => (symbol === undefined || symbol.kind === 'heading' ? [] : [symbol.name])),
    files: close.map(({ file }) => file),
  };
}

/** Definitions whose name or file name matches most of the question, ordered by file. */
function matchingDefinitions({ investigation, weighed }: Findings): Definition[] {
  const found: { definition: Definition; named: number }[] = [];
  for (const file of investigation.corpus.index.all()) {
    if (file.role !== 'source') continue;
    const fileName = file.path.split('/').at(-1) ?? '';
    const byFile = coverage(weighed.subjects, new Set(textTerms(fileName)));
    for (const symbol of file.symbols) {
      if (symbol.kind === 'method' || symbol.kind === 'constant' || symbol.indent > 4) continue;
      const named = coverage(weighed.subjects, new Set(textTerms(symbol.name)));
      if (Math.max(named, byFile) >= weighed.total * 0.6) found.push({ definition: { file, symbol }, named });
    }
  }
  return found
    .sort(
      (a, b) =>
        b.named - a.named ||
        comparePaths(a.definition.file, b.definition.file) ||
        a.definition.symbol.line - b.definition.symbol.line,
    )
    .map(({ definition }) => definition);
}

/** The definition or line that explains why a file matches. */
async function reason(file: IndexedFile, { passages, investigation, weighed }: Findings): Promise<string> {
  const passage = passages.find((candidate) => candidate.file === file);
  if (passage?.symbol !== undefined) {
    const description = await describe({ file, symbol: passage.symbol }, investigation);
    const name = passage.symbol.kind === 'heading' ? `“${passage.symbol.name}”` : code(passage.symbol.name);
    return `: ${name}${description === '' ? '' : `, ${description}`}`;
  }
  const lines = await investigation.lines(file);
  const line =
    passage?.keyLines[0] ??
    keyLine(
      lines,
      weighed.hits.find((hit) => hit.file === file),
      weighed,
    );
  const text = line === undefined ? '' : (lines[line - 1] ?? '').trim();
  return text === '' ? '' : `: ${code(shorten(text))} (line ${line})`;
}

function keyLine(
  lines: readonly string[],
  hit: { chunk: Pick<Passage, 'start' | 'end'> } | undefined,
  { subjects }: Findings['weighed'],
): number | undefined {
  if (hit === undefined) return undefined;
  const { start, end } = hit.chunk;
  const stems = subjects.map(({ stem }) => stem);
  let best: number | undefined;
  let most = 0;
  for (let line = start; line <= end; line += 1) {
    const text = (lines[line - 1] ?? '').toLowerCase();
    const named = stems.filter((stem) => text.includes(stem)).length;
    if (named > most) {
      most = named;
      best = line;
    }
  }
  return best;
}
