import { currentBudget, withinBudget } from '../git/budget.ts';
import type { Corpus } from '../index/corpus.ts';
import { readableCorpus } from '../index/readable-corpus.ts';
import { splitIdentifier } from '../index/words.ts';
import { isUnrelated } from './confidence.ts';
import { type Asked, type Draft, focusOf, sourcesOf, tidyFollowUps, write } from './draft.ts';
import type { Finding, Investigate } from './finding.ts';
import { createInvestigation, type Investigation } from './investigation.ts';
import { queryWords } from './query-words.ts';
import { parseQuestionInContext, type QuestionInContext } from './question/carry-over.ts';
import type { Kind } from './question/kind.ts';
import { rankPassages } from './rank.ts';
import { about } from './routes/about.ts';
import { callers } from './routes/callers.ts';
import { commands } from './routes/commands.ts';
import { error } from './routes/error.ts';
import { describePlace, explain } from './routes/explain.ts';
import { history } from './routes/history.ts';
import { list } from './routes/list.ts';
import { option } from './routes/option.ts';
import { anotherLanguage, nothing, nowhere, smalltalk, vague } from './routes/small.ts';
import { tests } from './routes/tests.ts';
import { who } from './routes/who.ts';
import { resolveTargets, type Targets } from './targets.ts';
import { saysUnread, searchedFiles } from './unread.ts';
import { isFoundWhole, isTelling, type Literal } from './verbatim.ts';

const MOST_LITERALS = 4;
const MOST_READ_FIRST = 20;

type Route = (asked: Asked) => Promise<Draft | undefined> | Draft | undefined;

/** The routes of each kind, in order: the first one that has an answer gives it. Behind them come {@link LAST}. */
const ROUTES: Readonly<Partial<Record<Kind, readonly Route[]>>> = {
  about: [about],
  howTo: [commands],
  callers: [callers],
  who: [who],
  history: [history],
  option: [option],
  tests: [tests],
  list: [list],
};
const LAST: readonly Route[] = [describePlace, vague, explain];
/** What these ask of a message is not where it comes from. */
const ABOUT_A_MESSAGE: ReadonlySet<Kind> = new Set(['who', 'history', 'tests']);

/** Answers questions from the corpus: read, search, rank, say. The same input gives the same answer. */
export function createInvestigate(corpus: Corpus): Investigate {
  // A question outlives the request that asked it.
  return (...asked) => withinBudget({ user: '', signal: asked[4]?.signal }, () => investigate(corpus, ...asked));
}

async function investigate(
  corpus: Corpus,
  ...[text, earlier, step, canRead]: Parameters<Investigate>
): Promise<Finding> {
  const question = parseQuestionInContext(text, earlier);
  await step(
    `Understanding the question${
      question.subjects.length === 0
        ? ''
        : `: it is about ${question.subjects
            .slice(0, 6)
            .map(({ word }) => word)
            .join(', ')}`
    }`,
  );
  const changes = await corpus.refresh({ signal: currentBudget().signal });
  const readable = readableCorpus(corpus, canRead);
  const changed = readable.repositories.reduce((sum, { name }) => sum + (changes.get(name) ?? 0), 0);
  if (changed > 0) await step(`Reading ${changed} files that changed since the last question`);
  const named = readableCorpus(readable, (name) => isNamed(name, question));
  let investigation = createInvestigation(named.repositories.length > 0 ? named : readable, step);
  let draft = await answer(withoutNames(question, named), investigation);
  if (isUnsure(draft) && investigation.corpus !== readable) {
    const wider = createInvestigation(readable, step);
    const other = await answer(question, wider);
    // A word that only other repositories have shows that the name is not where the answer is.
    const isElsewhere = question.subjects.some(
      ({ stem, weight }) => weight >= 0.5 && !named.index.hasTerm(stem) && readable.index.hasTerm(stem),
    );
    if (draft.isRefusal === true || isElsewhere || !isUnsure(other)) [draft, investigation] = [other, wider];
  }
  await step('Writing the answer');
  const { toolCalls, tokensRead } = investigation.spent();
  const written = [
    await write(draft, investigation),
    question.kind === 'smalltalk' ? '' : saysUnread(investigation.corpus.index),
  ];
  return {
    title: draft.title,
    answer: written.filter((part) => part !== '').join('\n\n'),
    sources: sourcesOf(
      draft,
      investigation.corpus.repositories.map(({ name }) => name),
    ),
    followUps: tidyFollowUps(draft.followUps, question.text),
    focus: focusOf(draft, question),
    toolCalls,
    tokensRead,
    ...(draft.isRefusal === true || question.kind === 'smalltalk' ? { isNoAnswer: true } : {}),
  };
}

function isUnsure({ isRefusal, sentence }: Draft): boolean {
  return isRefusal === true || sentence.startsWith("I'm not sure");
}

/** "in axum", "does axum", "who wrote axum": a question is about this repository, unless nothing there answers it. */
function isNamed(name: string, { text, kind }: QuestionInContext): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._/-]*/gu) ?? [];
  return words.some(
    (word, at) =>
      (OF_A_WHOLE.has(kind) || NAMING.has(words[at - 1] ?? '')) &&
      `/${name.toLowerCase()}`.endsWith(`/${word.replace(/[._/-]+$/, '')}`),
  );
}

/** What people ask of a whole repository, and name only that. */
const OF_A_WHOLE: ReadonlySet<Kind> = new Set(['who', 'howTo', 'about', 'history']);

const NAMING: ReadonlySet<string> = new Set(['in', 'of', 'for', 'does', 'do', 'can', 'is', 'to']);

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
  return {
    ...question,
    subjects,
    literals: question.literals.filter(isOther),
    identifiers: question.identifiers.filter(isOther),
  };
}

async function answer(question: QuestionInContext, investigation: Investigation): Promise<Draft> {
  if (question.kind === 'smalltalk' && !question.continues) return smalltalk(question.text);
  if (investigation.corpus.repositories.length === 0) return nowhere();
  const asked = await search(question, investigation);
  const { literals, targets } = asked;
  const isFound =
    targets.names.length > 0 ||
    targets.files.length > 0 ||
    literals.some((literal) => literal.hits.length > 0 && isTelling(literal));
  if (question.isForeign && !isFound) return anotherLanguage(investigation);
  if (question.pasted !== undefined && !ABOUT_A_MESSAGE.has(question.kind)) {
    const found = await error(asked);
    if (found !== undefined) return found;
  }
  for (const route of ROUTES[question.kind] ?? []) {
    const found = await route(asked);
    if (found !== undefined) return found;
  }
  if (isUnrelated(asked)) return nothing(asked);
  for (const route of LAST) {
    const found = await route(asked);
    if (found !== undefined) return found;
  }
  return nothing(asked);
}

/** Looks up what a question names and quotes, and ranks what matches its words. */
export async function search(question: QuestionInContext, investigation: Investigation): Promise<Asked> {
  const { corpus, step } = investigation;
  const targets = await readTargets(question, investigation);
  await step(`Searching ${searchedFiles(corpus.index)} of ${corpus.repositories.map(({ name }) => name).join(', ')}`);
  const words = queryWords(question, corpus.index);
  const literals: Literal[] = [];
  for (const text of question.literals.slice(0, MOST_LITERALS)) {
    const literal = await investigation.lookUp(text);
    // What nothing shows to be a message is one if it stands in the code.
    const isGuessed = text === question.pasted?.text && !question.pasted.isShown;
    if (!isGuessed || isFoundWhole(literal)) literals.push(literal);
  }
  const passages = await rankPassages(words, literals, question.kind, investigation);
  const best = [...new Set(passages.map(({ file }) => file.path))].slice(0, 3);
  await step(best.length === 0 ? 'No file mentions any of it' : `Reading the best places, first in ${best.join(', ')}`);
  return { question, targets, words, literals, passages, investigation };
}

/** What the question names; its files are read first, if the service has not come to them yet. */
async function readTargets(question: QuestionInContext, investigation: Investigation): Promise<Targets> {
  const targets = resolveTargets(question, investigation);
  const unread = targets.files.filter(({ isRead }) => !isRead).slice(0, MOST_READ_FIRST);
  if (unread.length === 0) return targets;
  await investigation.corpus.readFirst(unread);
  return resolveTargets(question, investigation);
}
