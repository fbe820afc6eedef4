import { percentile, round } from '../../../../tools/bench/statistics.ts';
import * as text from './answer-text.ts';
import type { BenchQuestion } from './questions.ts';

/** What the service answered; `sources` are links, in the order of the service. */
export interface Answered {
  answer: string;
  sources: readonly string[];
  ms: number;
}

/** What answers are compared with: the order of `git grep`, and the lines of the repository's files. */
export interface Reference {
  grep: { files: readonly string[]; ms: number };
  readLines: (path: string) => readonly string[] | undefined;
}

/** One question with the measures of its answer. */
export interface Score {
  id: string;
  part: BenchQuestion['part'];
  kind: BenchQuestion['kind'];
  repository: string;
  question: string;
  /** Whether the answer says that the repository holds none, and whether it leaves open that it is wrong. */
  refused: boolean;
  hedged: boolean;
  /** Position of the first right place among the files, or the commits, that the answer points to, from 1; infinite without one. */
  rank: number;
  /** Whether the needed fact is said, and the right commit linked; missing for questions without one. */
  factSaid?: boolean | undefined;
  commitLinked?: boolean | undefined;
  /** Whether the first sentence claims something about another place. */
  confidentlyWrong: boolean;
  /** What is called or used at a line that does not show it, as "names path:line". */
  unproven: string[];
  characters: number;
  ms: number;
  /** Position of the first right file by `git grep`. */
  grepRank: number;
  grepMs: number;
}

/** The measures of a group of questions: shares in percent, the rest as counts. */
export type Summary = ReturnType<typeof summarize>;

/** Measures one answer. A refusal counts as a miss whatever it points to. */
export function score(question: BenchQuestion, repository: string, answered: Answered, reference: Reference): Score {
  const { id, part, kind, fact, commit, gold = [] } = question;
  const { answer, sources, ms } = answered;
  const refused = text.isRefusal(answer);
  const links = [...text.linksOf(answer), ...sources];
  const places = links.flatMap((link) => text.readPlace(link) ?? []);
  const isRight = (place: text.Place): boolean =>
    (place.path !== undefined && gold.some(({ file }) => file === place.path)) ||
    (commit !== undefined && place.commit !== undefined && commit.startsWith(place.commit));
  const found = reference.grep.files.map((path) => ({ path }));
  const first = text.firstSentence(answer);
  const factFirst = fact?.some((one) => text.says(first, one)) ?? false;
  const beginsRight =
    factFirst ||
    gold.some(({ file }) => first.includes(file)) ||
    text.linksOf(first).some((link) => isRight(text.readPlace(link) ?? {})) ||
    places.slice(0, kind === 'vague' ? 3 : 1).some(isRight);
  const isWrong = kind === 'none' || kind === 'smalltalk' ? places.length > 0 : !beginsRight;
  const ranks = [positionOf(places, 'path', isRight), positionOf(places, 'commit', isRight)];
  // The answer to "who" is a name.
  const rank = kind === 'who' && factFirst ? 1 : Math.min(...ranks);
  return {
    ...{ id, part, kind, repository, question: question.question, refused, hedged: text.isHedged(answer) },
    rank: refused ? Number.POSITIVE_INFINITY : rank,
    factSaid: fact && !refused && fact.some((one) => text.says(answer, one)),
    commitLinked: commit === undefined ? undefined : !refused && places.some((one) => one.commit && isRight(one)),
    confidentlyWrong: !refused && !text.isHedged(answer) && isWrong,
    unproven: text.relationsOf(answer).flatMap((relation) => {
      const { path = '', lines: [from, to] = [0, 0] } = relation.place;
      const lines = reference.readLines(path)?.slice(from - 1, to) ?? [];
      return text.isProven(relation, lines) ? [] : [`${relation.names.join('/')} ${path}:${from}`];
    }),
    ...{ characters: text.visibleText(answer).length, ms, grepMs: round(reference.grep.ms, 0) },
    grepRank: positionOf(found, 'path', isRight),
  };
}

/** Adds the measures of several questions up. Questions in other languages count only where all are, since most have no words to search for. */
export function summarize(scores: readonly Score[]) {
  const unanswerable = ({ kind }: Score): boolean => kind === 'none' || kind === 'smalltalk';
  const onlyLanguage = scores.every(({ kind }) => kind === 'language');
  const answerable = scores.filter((one) => !unanswerable(one) && (onlyLanguage || one.kind !== 'language'));
  const none = scores.filter(({ kind }) => kind === 'none');
  const withFact = answerable.filter(({ factSaid }) => factSaid !== undefined);
  const dated = answerable.filter(({ commitLinked }) => commitLinked !== undefined);
  const times = scores.map(({ ms }) => ms);
  const grepTimes = scores.map(({ grepMs }) => grepMs);
  const lengths = scores.map(({ characters }) => characters);
  return {
    questions: scores.length,
    first: share(answerable, ({ rank }) => rank === 1),
    inThree: share(answerable, ({ rank }) => rank <= 3),
    facts: share(withFact, ({ factSaid }) => factSaid === true),
    confidentlyWrong: share(scores, (one) => one.confidentlyWrong),
    unproven: scores.flatMap(({ unproven }) => unproven).length,
    wrongRefusals: share(answerable, ({ refused }) => refused),
    commits: `${dated.filter(({ commitLinked }) => commitLinked).length} of ${dated.length}`,
    honest: `${none.filter(({ refused }) => refused).length} of ${none.length}`,
    ...{ medianCharacters: percentile(lengths, 0.5), p90Characters: percentile(lengths, 0.9) },
    ...{ p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) },
    grepFirst: share(answerable, ({ grepRank }) => grepRank === 1),
    grepInThree: share(answerable, ({ grepRank }) => grepRank <= 3),
    grepP50Ms: percentile(grepTimes, 0.5),
  };
}

function share(scores: readonly Score[], holds: (one: Score) => boolean): number {
  return scores.length === 0 ? Number.NaN : round((100 * scores.filter(holds).length) / scores.length, 0);
}

/** The position of the first right one among the different files, or commits, of the places, from 1; infinite without one. */
function positionOf(
  places: readonly text.Place[],
  key: 'path' | 'commit',
  isRight: (place: text.Place) => boolean,
): number {
  const different = [...new Map(places.flatMap((place) => (place[key] ? [[place[key], place]] : []))).values()];
  const index = different.findIndex(isRight);
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
}
