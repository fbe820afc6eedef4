import { conditionOf } from '../../index/syntax/condition.ts';
import { CONFIDENCE } from '../constants.ts';
import { coverage } from '../coverage.ts';
import { absentWords } from '../query-terms.ts';
import { type Passage, passageOfDefinition } from '../rank.ts';
import { hasHit, isFoundWhole, isMessage, isTelling } from '../verbatim.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { followUpsFor } from './follow-ups.ts';
import { bullets, code, endSentence, fence, fileLink, joinWords, prose, withArticle } from './markdown.ts';
import { quote } from './snippet.ts';
import { bestStatement, descriptionOf, whatIsSaid } from './statement.ts';
import { addSurroundings, kindWord, nameInText, shorten } from './surroundings.ts';
import { questionTitle } from './titles.ts';

const MOST_LINES = 20;
/** Sentences with the same beginning of so many characters are one sentence, cut at different places. */
const SAME_FROM = 60;
const MOST_OTHERS = 6;
/** Lines before and after the best one, where it is in no definition. */
const AROUND = 5;
/** A comment that begins or ends so many lines before or after a line is about it. */
const NEAR_LINES = 5;
/** Share of the best score from which another passage is worth a line. */
const OTHER_FROM = 0.5;

/** Answers "where is", "how does", "what is", "why": a sentence, the decisive lines, then what stands around them. */
export async function explain(findings: Findings): Promise<Draft> {
  const { question, investigation, passages } = findings;
  const main = choosePassage(findings);
  if (main === undefined) throw new Error('explain was called without a passage');
  const lines = await investigation.lines(main.file);
  const isCode = main.symbol?.kind !== 'heading';
  const draft: Draft = {
    title: questionTitle(question, isCode ? main.symbol?.name : undefined),
    sections: [await opening(main, lines, findings), fence(quote(main, lines, MOST_LINES), main.file.path)],
    sources: [fileSource(main.file, main.start, main.end)],
    followUps: [],
    symbols: main.symbol === undefined || !isCode ? [] : [main.symbol.name],
    files: [main.file],
  };
  const best = passages[0]?.score ?? 0;
  const messages = findings.literals.filter((literal) => isMessage(literal) && isFoundWhole(literal));
  const others = passages.filter(
    (passage) =>
      !isSamePlace(passage, main) &&
      passage.score >= best * OTHER_FROM &&
      passage.file.role !== 'test' &&
      // A place of another repository is mostly something else.
      (passage.file.repository === main.file.repository || passage.covered >= CONFIDENCE.sure) &&
      // Beside a message that was found whole, what only shares its words is something else.
      (messages.length === 0 || messages.some((message) => hasHit(passage, message))),
  );
  const shown = others.slice(0, MOST_OTHERS);
  for (const other of shown) {
    draft.sources.push(fileSource(other.file, other.start, other.end));
    draft.files.push(other.file);
    if (other.symbol !== undefined && other.symbol.kind !== 'heading') draft.symbols.push(other.symbol.name);
  }
  const called = new Set((isCode ? await addSurroundings(main, findings, draft) : []).map(({ symbol }) => symbol));
  const items: string[] = [];
  for (const other of shown) {
    // What stands around the definitions of the same file is mostly its imports.
    const isRest = isCode && other.file === main.file && other.symbol === undefined;
    if (isRest || (other.symbol !== undefined && called.has(other.symbol))) continue;
    const { place, said } = await describe(other, findings);
    // Another definition may have the same comment: its place is news.
    const isSaidAbove = said !== '' && other.symbol?.kind === 'heading' && draft.sections[0]?.includes(said) === true;
    if (!isSaidAbove) items.push(`${place}${said === '' ? '' : `: ${said}`}`);
  }
  if (items.length > 0) draft.sections.push(`**Other places**\n\n${bullets(items)}`);
  const absent = absence(findings);
  if (absent !== '') draft.sections.push(absent);
  draft.followUps.push(...(await followUpsFor(main, others, findings)));
  return draft;
}

/** "No file mentions `zeppelin`."; says so of the files that were read where some were not: lock files, minified and very large ones. */
export function absence({ words, question, investigation }: Findings): string {
  const absent = absentWords(words, question).slice(0, 4);
  if (absent.length === 0) return '';
  const isWhole = [...investigation.corpus.index.all()].every(({ lineCount }) => lineCount > 0);
  return `No file${isWhole ? '' : ' that was read'} mentions ${joinWords(absent.map(({ word }) => code(word)))}.`;
}

function isSamePlace(a: Passage, b: Passage): boolean {
  return a.file === b.file && a.start <= b.end && b.start <= a.end;
}

/** The definition that the question names, or else the best passage; of text between definitions, what is at its best line. */
function choosePassage({ targets, passages }: Findings): Passage | undefined {
  const definition = targets.names[0]?.definitions[0];
  if (definition === undefined) {
    const [best] = passages;
    if (best === undefined || best.symbol !== undefined || best.file.role === 'docs') return best;
    const key = best.keyLines[0] ?? best.start;
    const symbol = best.file.symbols.find(({ line, end, kind }) => kind !== 'heading' && line <= key && key <= end);
    if (symbol !== undefined) return { ...best, symbol, start: symbol.line, end: symbol.end };
    return { ...best, start: Math.max(best.start, key - AROUND), end: Math.min(best.end, key + AROUND) };
  }
  const { file, symbol } = definition;
  const known = passages.find((passage) => passage.file === file && passage.symbol === symbol);
  return known === undefined ? passageOfDefinition(definition) : { ...known, start: symbol.line, end: symbol.end };
}

async function opening(main: Passage, lines: readonly string[], findings: Findings): Promise<string> {
  const first = (await verbatimOpening(main, lines, findings)) ?? (await wordsOpening(main, lines, findings));
  const documented = await documentation(main, findings);
  return documented === '' ? first : `${first} ${documented}`;
}

/** "`X` is in …, where `condition`": for a message, a setting or a switch that the question quotes. */
async function verbatimOpening(
  main: Passage,
  lines: readonly string[],
  { literals, targets, words }: Findings,
): Promise<string | undefined> {
  if (targets.names.length > 0) return undefined;
  for (const { text, hits, words: parts } of literals.filter(isTelling)) {
    const [hit] = hits
      .filter(({ file, line }) => file === main.file && line >= main.start && line <= main.end)
      .map((each) => ({ ...each, covered: coverage(lines.slice(each.line - 1, each.line + 2).join('\n'), words) }))
      .sort((a, b) => b.covered - a.covered);
    if (hit === undefined) continue;
    const place = fileLink(main.file, hit.line);
    const { symbol } = main;
    const isValue = symbol?.kind === 'constant' && symbol.line === hit.line;
    const within =
      symbol === undefined || symbol.kind === 'heading' || symbol.name === text
        ? ''
        : isValue
          ? ` the value of the constant ${code(symbol.name)}`
          : ` in ${code(symbol.name)}`;
    const condition = await conditionOf(main.file.path, lines, hit.line);
    const reached = condition === undefined ? '' : ` It gets there when ${code(condition)}.`;
    const what = hit.run === parts.length ? code(text) : `A part of ${code(text)}`;
    return `${what} is${within} at ${place}.${reached}${commentOn(main, hit.line, lines, words)}`;
  }
  return undefined;
}

async function wordsOpening(
  main: Passage,
  lines: readonly string[],
  { question, targets, words }: Findings,
): Promise<string> {
  const { symbol, file } = main;
  const place = fileLink(file, main.start, main.end);
  const isNamed = targets.names.some(({ name }) => name === symbol?.name);
  const isSure = isNamed || main.covered >= CONFIDENCE.sure;
  const statement = bestStatement(main, lines, words);
  if (symbol === undefined || symbol.kind === 'heading' || file.role === 'docs') {
    const said = statement?.text ?? (symbol === undefined ? '' : descriptionOf(main, lines));
    const where = symbol?.kind === 'heading' ? `The section “${prose(symbol.name)}” of ${place}` : `${place}`;
    const lead = isSure
      ? where
      : `The closest match is ${place}${symbol === undefined ? '' : `, “${prose(symbol.name)}”`}`;
    return said === ''
      ? `${lead}${isSure ? ' is about this' : ''}.`
      : `${lead}${isSure ? ' says' : ''}: ${endSentence(said)}`;
  }
  const name = code(symbol.name);
  const kind = `${withArticle(kindWord(symbol))}${symbol.owner === undefined ? '' : ` of ${code(symbol.owner)}`}`;
  const described = descriptionOf(main, lines);
  const said = question.intent === 'why' || described === '' ? (statement?.text ?? described) : described;
  const isSaid = statement === undefined || said.startsWith(statement.text.slice(0, SAME_FROM));
  const also = isSaid ? '' : ` ${endSentence(statement.text)}`;
  const meaning = said === '' ? '' : ` ${endSentence(said)}`;
  if (isNamed) {
    const verb =
      question.intent === 'define' ? `${name}, ${kind}, is defined in ${place}.` : `${name} is ${kind} in ${place}.`;
    return `${verb}${meaning}${question.intent === 'define' ? '' : also}${otherDefinitions(main, targets)}`;
  }
  if (question.intent === 'why' && statement !== undefined && statement.covered >= CONFIDENCE.reason) {
    return `A comment in ${name} (${place}) gives ${isSure ? 'the' : 'what may be the'} reason: ${endSentence(statement.text)}`;
  }
  const lead = isSure
    ? `This is in ${name}, ${kind} in ${place}.`
    : `The closest match is ${name}, ${kind} in ${place}.`;
  return `${lead}${meaning}${also}`;
}

function otherDefinitions({ symbol, file }: Passage, targets: Findings['targets']): string {
  const others = (targets.names[0]?.definitions ?? []).filter(
    ({ file: own, symbol: other }) => other !== symbol && (own.role === 'source' || file.role !== 'source'),
  );
  if (others.length === 0) return '';
  const named = others.slice(0, 3).map(({ file: own, symbol: other }) => fileLink(own, other.line));
  return ` It is also defined in ${joinWords(named)}${others.length > 3 ? ` and ${others.length - 3} more places` : ''}.`;
}

/** What people wrote near a line, or else about the definition around it; with a space before it. */
function commentOn(main: Passage, line: number, lines: readonly string[], words: Findings['words']): string {
  const isDocument = main.file.role === 'docs';
  const statement = bestStatement(isDocument ? main : nearTo(main, line), lines, words);
  if (statement !== undefined) {
    return ` ${isDocument ? 'The text' : 'A comment there'} says: ${endSentence(statement.text)}`;
  }
  const described = descriptionOf(main, lines);
  if (described === '') return '';
  return ` ${isDocument ? 'The text' : `The comment on ${code(main.symbol?.name ?? '')}`} says: ${endSentence(described)}`;
}

/** The part of a passage around a line, with whole comments. */
function nearTo(passage: Passage, line: number): Passage {
  const isComment = (at: number): boolean => passage.file.commentLines.has(at);
  let start = Math.max(passage.start, line - NEAR_LINES);
  let end = Math.min(passage.end, line + NEAR_LINES);
  while (start > passage.start && isComment(start) && isComment(start - 1)) start -= 1;
  while (end < passage.end && isComment(end) && isComment(end + 1)) end += 1;
  return { ...passage, start, end };
}

/** What a document says of it, where the answer is in code. */
async function documentation(main: Passage, { passages, investigation, words }: Findings): Promise<string> {
  if (main.file.role === 'docs') return '';
  for (const passage of passages.filter(({ file }) => file.role === 'docs')) {
    const statement = bestStatement(passage, await investigation.lines(passage.file), words);
    if (statement === undefined || statement.covered < CONFIDENCE.sure) continue;
    const end = Math.max(statement.line, Math.min(passage.end, statement.line + 3));
    return `The documentation says: ${endSentence(statement.text)} (${fileLink(passage.file, statement.line, end)})`;
  }
  return '';
}

/** Where a passage is, as a link with the name of its definition, and what is said there. */
async function describe(
  passage: Passage,
  { investigation, words }: Findings,
): Promise<{ place: string; said: string }> {
  const { file, symbol, start, end, keyLines } = passage;
  const lines = await investigation.lines(file);
  const name = symbol === undefined ? '' : `${nameInText(symbol)}, `;
  const place = `${name}${fileLink(file, start, end)}`;
  const said = whatIsSaid(passage, lines, words);
  const key = (lines[(keyLines[0] ?? start) - 1] ?? '').trim();
  const shown = said !== '' || key.length < 8 ? said : code(shorten(key, 120));
  return { place, said: shown };
}
