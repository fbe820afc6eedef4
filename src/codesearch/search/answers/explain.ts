import { blockEnd, docComment, fileComment, firstSentence, stripMarks } from '../blocks.ts';
import { enclosing } from '../investigation.ts';
import type { Passage } from '../passages.ts';
import { coverage } from '../weighing.ts';
import { commitLine } from './commit-lines.ts';
import { commitSource, type Draft, type Findings, fileSource } from './draft.ts';
import { followUpsFor } from './follow-ups.ts';
import { bullets, code, count, fence, fileLink, joinWords, prose, withArticle } from './markdown.ts';
import { definitionLine, kindWord, namedWithin, sectionText, usageLines } from './related.ts';
import { quote, quoteWithComment } from './snippet.ts';
import { questionTitle } from './titles.ts';

const MOST_USAGE_FILES = 5;
/** From this share of the question on, a passage is presented as the answer; below it, as the closest match. */
const SURE_FROM = 0.7;

/** Answers "where is", "how does", "what is", "why": the best definition or passage, then related code. */
export async function explain(findings: Findings): Promise<Draft> {
  const { question, investigation, targets } = findings;
  const main = await choosePassage(findings);
  if (main === undefined) throw new Error('explain was called without a passage');
  const lines = await investigation.lines(main.file);
  const draft: Draft = {
    title: questionTitle(question, main.symbol?.name),
    sections: [await opening(main, lines, findings)],
    sources: [fileSource(main.file, main.start, main.end)],
    followUps: [],
    symbols: main.symbol === undefined || main.symbol.kind === 'heading' ? [] : [main.symbol.name],
    files: [main.file],
  };
  if (main.symbol?.kind !== 'heading' || main.file.role !== 'docs') {
    const quoted =
      question.intent === 'why'
        ? quoteWithComment(main, lines)
        : quote(main, lines, question.intent === 'define' ? 20 : 28);
    draft.sections.push(fence(quoted.lines, main.file.path));
  } else draft.sections.push(...quoteSection(main, lines));
  await investigation.step(
    `Reading what ${main.symbol === undefined ? main.file.path : main.symbol.name} depends on and where it is used`,
  );
  await addNeighbours(main, findings, draft);
  await addPassages(main, findings, draft);
  const unknown = targets.unknown.slice(0, 3);
  if (unknown.length > 0 && main.symbol?.name !== unknown[0]) {
    draft.sections.push(
      `${joinWords(unknown.map(code))} ${unknown.length === 1 ? 'is' : 'are'} not defined in the files searched.`,
    );
  }
  draft.followUps.push(...followUpsFor(main.symbol, main.file, findings));
  return draft;
}

/** The definition the question names, or else the best passage; a document only when code matches clearly less. */
async function choosePassage({ targets, passages, question, investigation }: Findings): Promise<Passage | undefined> {
  const named =
    targets.names.find(({ certain }) => certain) ?? (question.intent === 'define' ? targets.names[0] : undefined);
  const definition = named?.definitions[0];
  if (definition !== undefined) {
    const { file, symbol } = definition;
    const known = passages.find((passage) => passage.file === file && passage.symbol === symbol);
    const lines = await investigation.lines(file);
    return (
      known ?? { file, symbol, start: symbol.line, end: blockEnd(lines, symbol), score: 1, covered: 1, keyLines: [] }
    );
  }
  const best = passages[0];
  if (best === undefined || best.file.role === 'source') return best;
  const source = passages.find(({ file }) => file.role === 'source');
  const ratio = question.intent === 'why' || question.intent === 'what' ? 0.85 : 0.55;
  return source !== undefined && source.score > best.score * ratio && source.covered >= best.covered * 0.7
    ? source
    : best;
}

async function opening(
  main: Passage,
  lines: readonly string[],
  { question, targets, passages }: Findings,
): Promise<string> {
  const place = fileLink(main.file, main.start, main.end);
  const { symbol } = main;
  if (symbol === undefined) {
    const outer = enclosing(main.file, main.start + 1, lines);
    const inside = outer === undefined ? '' : `, in ${code(outer.name)}`;
    const others = [...new Set(passages.slice(1, 3).map(({ file }) => file))].filter((file) => file !== main.file);
    const also = others.length === 0 ? '' : `; see also ${joinWords(others.map((file) => fileLink(file)))}`;
    return `The passage that says most about this is ${place}${inside}${also}.`;
  }
  if (symbol.kind === 'heading') return `The section “${prose(symbol.name)}” of ${place} describes this.`;
  const description = prose(firstSentence(docComment(lines, symbol.line), 320));
  const name = code(symbol.name);
  const definitions = targets.names.find((target) => target.name === symbol.name)?.definitions ?? [];
  const others = definitions.filter(
    ({ file, symbol: other }) => other !== symbol && (file.role === 'source' || main.file.role !== 'source'),
  );
  const also =
    others.length === 0
      ? ''
      : ` It is also defined in ${joinWords(others.slice(0, 3).map(({ file, symbol: other }) => fileLink(file, other.line)))}${others.length > 3 ? ` and ${others.length - 3} more places` : ''}.`;
  const meaning = description === '' ? '' : ` ${endSentence(description)}`;
  const owner =
    symbol.kind === 'method'
      ? main.file.symbols.findLast((other) => other.line < symbol.line && other.indent < symbol.indent)
      : undefined;
  const kind = owner === undefined ? withArticle(kindWord(symbol)) : `a method of ${code(owner.name)}`;
  const isSure = main.covered >= SURE_FROM;
  if (question.intent === 'define') {
    return definitions.length > 0
      ? `${name}, ${kind}, is defined in ${place}.${meaning}${also}`
      : `${isSure ? 'This is in' : 'The closest match is'} ${name}, ${kind} in ${place}.${meaning}`;
  }
  return definitions.length > 0
    ? `${name} is ${kind} in ${place}.${meaning}${also}`
    : `${isSure ? 'This is done by' : 'The closest match is'} ${name}, ${kind} in ${place}.${meaning}`;
}

export function endSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

function quoteSection(main: Passage, lines: readonly string[]): string[] {
  const text = sectionText(lines, main.start);
  const start = lines.findIndex((line, index) => index >= main.start && index < main.end && /^\s*```/.test(line));
  const sections = text === '' ? [] : [`> ${prose(firstSentence(text, 500))}`];
  if (start >= 0) {
    const end = lines.findIndex((line, index) => index > start && /^\s*```\s*$/.test(line));
    if (end > start && end - start <= 30) {
      sections.push(
        lines
          .slice(start, end + 1)
          .map((line) => line.replace(/^\s{0,3}(?=```)/, ''))
          .join('\n'),
      );
    }
  }
  if (sections.length === 0) sections.push(fence(quoteWithComment(main, lines, 16).lines, main.file.path));
  return sections;
}

/** Adds what the main definition calls and what uses it. */
async function addNeighbours(main: Passage, { question, investigation }: Findings, draft: Draft): Promise<void> {
  if (main.file.role === 'docs' || main.file.role === 'config') return;
  if (question.intent !== 'define') {
    const named = await namedWithin(main, investigation);
    if (named.length > 0) {
      const items = await Promise.all(named.map((definition) => definitionLine(definition, investigation)));
      draft.sections.push(`**It depends on**\n\n${bullets(items)}`);
      draft.sources.push(...named.map(({ file, symbol }) => fileSource(file, symbol.line)));
      draft.files.push(...named.map(({ file }) => file));
    }
  }
  const { symbol } = main;
  if (symbol === undefined || symbol.kind === 'heading') return;
  const definitions = investigation.definitions(symbol.name);
  const all = await investigation.usages(symbol.name, definitions);
  const code_ = all.filter(
    ({ file }) => file.repository === main.file.repository && file.role !== 'docs' && file.role !== 'test',
  );
  const tests = new Set(all.filter(({ file }) => file.role === 'test').map(({ file }) => file));
  if (code_.length > 0) {
    const files = new Set(code_.map(({ file }) => file)).size;
    const items = usageLines(code_, MOST_USAGE_FILES);
    draft.sections.push(`**Used** in ${count(code_.length, 'place')} in ${count(files, 'file')}\n\n${bullets(items)}`);
    draft.sources.push(...code_.slice(0, 4).map(({ file, line }) => fileSource(file, line)));
  }
  if (tests.size > 0) {
    const named = [...tests].slice(0, 3).map((file) => fileLink(file, all.find((usage) => usage.file === file)?.line));
    draft.sections.push(
      `**Tests** that name it: ${joinWords(named)}${tests.size > 3 ? ` and ${tests.size - 3} more` : ''}.`,
    );
    draft.sources.push(...[...tests].slice(0, 2).map((file) => fileSource(file)));
  }
}

/** Adds the other good passages, grouped by kind. */
async function addPassages(
  main: Passage,
  { passages, investigation, weighed, question }: Findings,
  draft: Draft,
): Promise<void> {
  const rest = passages.filter(
    (passage) =>
      (main.symbol === undefined || passage.symbol?.name !== main.symbol.name) &&
      (passage.file !== main.file || passage.start > main.end || passage.end < main.start) &&
      passage.covered > 0.3,
  );
  const code_ = rest.filter(({ file }) => !['docs', 'test', 'vendored', 'generated'].includes(file.role)).slice(0, 4);
  const docs = rest.filter(({ file }) => file.role === 'docs').slice(0, 2);
  const tests = rest.filter(({ file }) => file.role === 'test').slice(0, 2);
  const hasTests = draft.sections.some((section) => section.startsWith('**Tests**'));
  for (const [heading, group] of [
    ['Also relevant', code_],
    ['Documented in', docs],
    ['Tested in', hasTests ? [] : tests],
  ] as const) {
    const items: string[] = [];
    for (const passage of group) {
      items.push(await passageLine(passage, findingsLine(passage, await investigation.lines(passage.file))));
      draft.sources.push(fileSource(passage.file, passage.start, passage.end));
      draft.files.push(passage.file);
      if (passage.symbol !== undefined && passage.symbol.kind !== 'heading') draft.symbols.push(passage.symbol.name);
    }
    if (items.length > 0) draft.sections.push(`**${heading}**\n\n${bullets(items)}`);
  }
  if (question.intent === 'why') addReasons(draft, weighed, investigation);
  const missing = weighed.subjects.filter(({ weight, files }) => weight >= 0.5 && files === 0);
  if (missing.length > 0) {
    draft.sections.push(`No file mentions ${joinWords(missing.slice(0, 4).map(({ word }) => code(word)))}.`);
  }
}

/** Adds commits whose messages match most of the question: they often contain the reasons. */
function addReasons(draft: Draft, { subjects }: Findings['weighed'], investigation: Findings['investigation']): void {
  const strong = subjects.filter(({ weight }) => weight >= 0.5);
  const total = strong.reduce((sum, { gain }) => sum + gain, 0);
  const hits = investigation
    .findCommits(new Map(strong.map(({ stem, gain }) => [stem, gain])))
    .filter((hit) => coverage(strong, new Set(hit.terms)) >= total * 0.6)
    .slice(0, 3);
  if (hits.length === 0) return;
  draft.sections.push(
    `**Commits that may explain why**\n\n${bullets(hits.map(({ repository, commit }) => commitLine(repository, commit)))}`,
  );
  draft.sources.push(...hits.map(({ repository, commit }) => commitSource(repository, commit.id, commit.subject)));
}

function findingsLine(passage: Passage, lines: readonly string[]): string {
  const { symbol } = passage;
  if (symbol?.kind === 'heading') return prose(firstSentence(sectionText(lines, passage.start)));
  const description = symbol === undefined ? '' : prose(firstSentence(docComment(lines, symbol.line)));
  if (description !== '') return description;
  if (symbol === undefined && passage.start === 1 && passage.file.role !== 'docs') {
    const opens = prose(firstSentence(fileComment(lines)));
    if (opens !== '') return opens;
  }
  const key = passage.keyLines
    .filter((line) => line !== symbol?.line)
    .map((line) => (lines[line - 1] ?? '').trim())
    .find((line) => line.length > 8 && !/^(?:import\b|from\b|export (?:\*|\{)|use\b|#include)/.test(line));
  if (key === undefined) return '';
  if (/^(?:\/\/|\/\*|\*\s|#\s|--\s)/.test(key)) return prose(firstSentence(stripMarks([key]), 160));
  return passage.file.role === 'docs'
    ? prose(firstSentence(key.replace(/^([#>*+-]+|\d+\.)\s*/, '')))
    : code(key.length > 120 ? `${key.slice(0, 120)}…` : key);
}

async function passageLine(passage: Passage, description: string): Promise<string> {
  const place = fileLink(passage.file, passage.start, passage.end);
  const name =
    passage.symbol === undefined
      ? ''
      : passage.symbol.kind === 'heading'
        ? `“${prose(passage.symbol.name)}”, `
        : `${code(passage.symbol.name)}, `;
  return `${name}${place}${description === '' ? '' : `: ${description}`}`;
}
