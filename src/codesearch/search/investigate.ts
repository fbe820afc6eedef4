import { escapeRegExp } from '../escape.ts';
import { currentBudget, withinBudget } from '../git/budget.ts';
import type { Corpus } from '../index/corpus.ts';
import { readableCorpus } from '../index/readable-corpus.ts';
import { splitIdentifier } from '../index/words.ts';
import { overview } from './answers/about.ts';
import { compare, splitComparison } from './answers/compare.ts';
import { type Draft, type Findings, focusOf, tidyFollowUps, tidySources } from './answers/draft.ts';
import { explain } from './answers/explain.ts';
import { listFiles } from './answers/files.ts';
import { explainHistory } from './answers/history.ts';
import { nothingFound } from './answers/nothing.ts';
import { listOptions } from './answers/options.ts';
import { describePlace } from './answers/place.ts';
import { listTests } from './answers/tests.ts';
import { explainUsage } from './answers/usage.ts';
import { CONFIDENCE } from './constants.ts';
import type { Finding, Investigate } from './finding.ts';
import { createInvestigation, type Investigation } from './investigation.ts';
import { queryWords } from './query-terms.ts';
import { parseQuestionInContext, type QuestionInContext } from './questions/carry-over.ts';
import { separateRestriction } from './questions/surroundings.ts';
import { rankPassages } from './rank.ts';
import { resolveTargets, type Targets } from './targets.ts';
import { saysUnread, searchedFiles } from './unread.ts';
import { isMessage, isTelling, type Literal } from './verbatim.ts';
import { wordVectors } from './word-vectors.ts';

const MOST_LITERALS = 4;
const MOST_READ_FIRST = 20;
/** What a question of a kind asks, where a word says it. */
const KINDS: Record<string, string> = {
  define: 'where',
  usage: 'for uses',
  history: 'when',
  authors: 'who',
  tests: 'for tests',
  why: 'why',
};

/** Answers questions from the corpus: search, read, rank, write. The same input gives the same answer. */
export function createInvestigate(corpus: Corpus): Investigate {
  // A question outlives the request that asked it.
  // A file that is missing shows at the start, and no question waits for it.
  wordVectors();
  return (...asked) => withinBudget({ user: '', signal: asked[4]?.signal }, () => investigate(corpus, ...asked));
}

async function investigate(
  corpus: Corpus,
  ...[text, earlier, step, canRead]: Parameters<Investigate>
): Promise<Finding> {
  const question = parseQuestionInContext(text, earlier);
  const words = question.subjects.filter(({ weight }) => weight >= 0.3).map(({ word }) => word);
  const about = words.length === 0 ? '' : ` about ${words.slice(0, 8).join(', ')}`;
  await step(`Understanding the question: it asks ${KINDS[question.intent] ?? 'something'}${about}`);
  const changed = await corpus.refresh({ signal: currentBudget().signal });
  if (changed > 0) await step(`Reading ${changed} files that changed since the last question`);
  const { onlyIn } = separateRestriction(text);
  const isAsked = (name: string): boolean => onlyIn.length === 0 || onlyIn.includes(name.toLowerCase());
  const readable = readableCorpus(corpus, (name) => canRead(name) && isAsked(name));
  const named = readableCorpus(readable, (name) => isNamed(name, question.text));
  let investigation = createInvestigation(named.repositories.length > 0 ? named : readable, step);
  let draft = await draftOf(withoutNames(question, named), investigation);
  if (draft.isRefusal === true && investigation.corpus !== readable) {
    investigation = createInvestigation(readable, step);
    draft = await draftOf(question, investigation);
  }
  await step('Writing the answer');
  return finish(draft, question, investigation);
}

/** "in axum", "does axum": a question is about this repository, unless nothing there answers it. */
function isNamed(name: string, text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu) ?? [];
  return words.some(
    (word, at) => NAMING.has(words[at - 1] ?? '') && word.replace(/[._-]+$/, '') === name.toLowerCase(),
  );
}

/** Without the names of the repositories that it is answered from: their code may not have them. */
function withoutNames(question: QuestionInContext, { repositories }: Corpus): QuestionInContext {
  const names = repositories.map(({ name }) => name);
  // As the question's names are divided.
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  const parts = new Set([...words, ...words.flatMap(splitIdentifier)].map((word) => word.toLowerCase()));
  const isOther = (word: string): boolean => !parts.has(word.toLowerCase());
  const subjects = question.subjects.filter(({ word }) => isOther(word));
  // A question about nothing else is about the name.
  if (names.length === 0 || subjects.length === 0) return question;
  const [literals, identifiers] = [question.literals, question.identifiers].map((texts) => texts.filter(isOther));
  return { ...question, subjects, literals: literals ?? [], identifiers: identifiers ?? [] };
}

const NAMING: ReadonlySet<string> = new Set(['in', 'of', 'for', 'does', 'do', 'can', 'is']);

async function draftOf(question: QuestionInContext, investigation: Investigation): Promise<Draft> {
  const sides = splitComparison(question);
  if (sides === undefined) return research(question, investigation);
  return compare(question, [await research(sides[0], investigation), await research(sides[1], investigation)]);
}

/** Searches, reads the best results and writes the answer. */
async function research(question: QuestionInContext, investigation: Investigation): Promise<Draft> {
  const { corpus, step } = investigation;
  const named = await readTargets(question, investigation);
  await step(`Searching ${searchedFiles(corpus.index)} of ${corpus.repositories.map(({ name }) => name).join(', ')}`);
  const words = queryWords(question, corpus.index);
  const literals: Literal[] = [];
  for (const text of question.literals.slice(0, MOST_LITERALS)) {
    // A name within a message that is found is no other text. The longest text is the first.
    const isPart = literals.some((known) => isMessage(known) && standsIn(text, known.text));
    if (!isPart) literals.push(await investigation.lookUp(text));
  }
  const asked = withoutMessages(question, literals);
  const targets = asked === question ? named : resolveTargets(asked, investigation);
  const ranking = await rankPassages(words, literals, question, investigation);
  const best = [...new Set(ranking.passages.map(({ file }) => file.path))].slice(0, 3);
  await step(best.length === 0 ? 'No file mentions any of it' : `Reading the best places, first in ${best.join(', ')}`);
  return write({ ...ranking, question, targets, words, literals, investigation });
}

/** Without the names and paths that the question has only within a message that stands in the code: it asks about the message. */
function withoutMessages(question: QuestionInContext, literals: readonly Literal[]): QuestionInContext {
  const messages = literals.filter((literal) => isMessage(literal) && !DECLARATION.test(literal.text));
  if (messages.length === 0) return question;
  const own = messages.reduce((text, message) => text.replaceAll(message.text, ' '), question.text);
  const isOther = (name: string): boolean => !messages.some(({ text }) => standsIn(name, text)) || standsIn(name, own);
  return {
    ...question,
    identifiers: question.identifiers.filter(isOther),
    paths: question.paths.filter(isOther),
  };
}

/** A quoted line of code that defines something: the question is about what it defines. */
const DECLARATION =
  /^(?:export|import|const|let|var|function|def|class|interface|type|struct|enum|fn|func|public|private|protected|pub|static|async)\s/;

/** Whether a text stands in another one, and not as a part of a longer word. */
function standsIn(text: string, within: string): boolean {
  return new RegExp(`(?<![\\w$])${escapeRegExp(text)}(?![\\w$])`).test(within);
}

/** What the question names; its files are read first, if the service has not come to them yet. */
async function readTargets(question: QuestionInContext, investigation: Investigation): Promise<Targets> {
  const targets = resolveTargets(question, investigation);
  const unread = targets.files.filter(({ isRead }) => !isRead).slice(0, MOST_READ_FIRST);
  if (unread.length === 0) return targets;
  await investigation.corpus.readFirst(unread);
  return resolveTargets(question, investigation);
}

/** Chooses the writer that fits the question and what was found. */
async function write(findings: Findings): Promise<Draft> {
  const { question, targets, literals } = findings;
  const hasPlace = targets.files.length > 0 || targets.directories.length > 0;
  const hasName = targets.names.length > 0;
  if (question.intent === 'about' && question.identifiers.length === 0 && !hasPlace) return overview(findings);
  const isOfOne = literals.some(({ text, hits }) => hits.length > 0 && (/\s/.test(text) || isVariable(question, text)));
  if (question.intent === 'options' && !isOfOne) {
    const options = await listOptions(findings);
    if (options !== undefined) return options;
  }
  if (question.intent === 'usage' && hasName) return explainUsage(findings);
  if (question.intent === 'history' || question.intent === 'authors') {
    const history = await explainHistory(findings);
    if (history !== undefined) return history;
  }
  if (question.intent === 'tests') {
    const tests = await listTests(findings);
    if (tests !== undefined) return tests;
  }
  if (hasPlace && !hasName && !isNarrow(findings)) return describePlace(findings);
  if (!isCovered(findings)) return nothingFound(findings);
  if (question.intent === 'files') return listFiles(findings);
  return explain(findings);
}

/** Whether a text is the name of an environment variable that a question asks about. */
function isVariable({ text: asked }: QuestionInContext, text: string): boolean {
  return /\benv/i.test(asked) && /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(text);
}

/** Whether a question names a file or folder but asks about something in it. */
function isNarrow({ question, passages, targets }: Findings): boolean {
  const own = question.phrase.length;
  const top = passages[0];
  const inside =
    top !== undefined &&
    (targets.files.includes(top.file) || targets.directories.some(({ files }) => files.includes(top.file)));
  return own >= 2 && inside && ['how', 'why', 'define'].includes(question.intent) && top.covered > 0.4;
}

/** Whether the results match the question: a name that exists, a text as it is written, or a passage that can be the answer. */
function isCovered({ targets, passages, literals, certainty }: Findings): boolean {
  if (passages.length === 0) return false;
  if (targets.names.length > 0) return true;
  if (literals.some((literal) => literal.hits.length > 0 && isTelling(literal))) return true;
  return certainty >= CONFIDENCE.least;
}

function finish(draft: Draft, question: QuestionInContext, investigation: Investigation): Finding {
  const { toolCalls, tokensRead } = investigation.spent();
  return {
    title: draft.title,
    answer: [...draft.sections, saysUnread(investigation.corpus.index)]
      .filter((section) => section !== '')
      .join('\n\n'),
    sources: tidySources(
      draft.sources,
      investigation.corpus.repositories.map(({ name }) => name),
    ),
    followUps: tidyFollowUps(draft.followUps, question.text),
    focus: focusOf(draft, question),
    toolCalls,
    tokensRead,
  };
}
