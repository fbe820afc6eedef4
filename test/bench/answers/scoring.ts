import { percentile, round } from '../statistics.ts';
import type { BenchQuestion, Gold } from './questions.ts';

/** A file that an answer points to; without `lines` the whole file. */
export interface Pointer {
  path: string;
  lines?: readonly [first: number, last: number];
}

/** What the service answered; `sources` are links, in the order of the service. */
export interface Answered {
  answer: string;
  sources: readonly string[];
  ms: number;
}

/** One question with the measures of its answer. */
export interface Score {
  id: string;
  part: BenchQuestion['part'];
  kind: BenchQuestion['kind'];
  package: string;
  question: string;
  /** Whether the answer says that the repository holds none. */
  refused: boolean;
  /** Position of the first right file among the files of the sources, from 1; missing when none is right or the answer is a refusal. */
  fileRank?: number | undefined;
  linesLinked: boolean;
  /** For a history question: whether the commit of the right release is linked. */
  commitLinked?: boolean | undefined;
  ms: number;
  /** Position of the first right file by `git grep`. */
  grepRank?: number | undefined;
  grepMs: number;
}

/** The measures of a group of questions, in percent or as "n of m". */
export interface Summary {
  questions: number;
  fileFirst: number;
  fileInFive: number;
  lines: number;
  grepFirst: number;
  grepInFive: number;
  commits: string;
  honestRefusals: string;
  wrongRefusals: number;
  p50Ms: number;
  p95Ms: number;
  grepP50Ms: number;
}

const REFUSAL =
  /^(?:nothing\b.*\b(?:found|answers?|covers?)\b|no (?:file|code|place|passage|part|commit|answer)s?\b.*\b(?:found|answers?|covers?)\b|(?:the|these|this) (?:question|repositor(?:y|ies))\b.*\b(?:can't|cannot|couldn't|doesn't|not|no|nothing)\b|i (?:can't|cannot|couldn't|could not|found (?:nothing|no)))\b/i;

/** Whether the first sentence of an answer says that there is none. */
export function isRefusal(answer: string): boolean {
  const [first = ''] = answer.trim().split(/\n|(?<=[.!?:])\s/);
  return REFUSAL.test(first.replaceAll('’', "'").replace(/`[^`]*`/g, ''));
}

/** Reads a link to a file on the pages of the service; undefined for other links. */
export function readPointer(link: string): Pointer | undefined {
  const { pathname, search } = new URL(link, 'http://service.invalid');
  const [, path] = /\/-\/blob\/(.+)$/.exec(pathname) ?? [];
  if (path === undefined) return undefined;
  const [, first, last = first] = /^\?L(\d+)(?:-L?(\d+))?/.exec(search) ?? [];
  const file = decodeURIComponent(path);
  return first === undefined ? { path: file } : { path: file, lines: [Number(first), Number(last)] };
}

/** Measures one answer. `files` is the order of `git grep`, `commit` the id of the right release. */
export function score(
  question: BenchQuestion,
  packageName: string,
  answered: Answered,
  grep: { files: readonly string[]; ms: number },
  commit: string | undefined,
): Score {
  const { id, part, kind, gold } = question;
  const refused = isRefusal(answered.answer);
  const { sources } = answered;
  const links = [...answered.answer.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) =>
    link === undefined ? [] : [link],
  );
  const places = gold === 'none' ? [] : gold;
  const files = [...new Set(pointersOf(sources).map(({ path }) => path))];
  const linked = pointersOf([...sources, ...links]);
  return {
    ...{ id, part, kind, package: packageName, question: question.question, refused },
    fileRank: refused ? undefined : rankOf(files, places),
    linesLinked: !refused && linked.some((pointer) => places.some((place) => overlaps(pointer, place))),
    ...(commit === undefined
      ? {}
      : { commitLinked: !refused && [...sources, ...links].some((link) => link.includes(`/-/commit/${commit}`)) }),
    ms: answered.ms,
    grepRank: rankOf(grep.files, places),
    grepMs: round(grep.ms, 0),
  };
}

/** Adds the measures of several questions up. */
export function summarize(scores: readonly Score[]): Summary {
  const answerable = scores.filter(({ kind }) => kind !== 'none');
  const unanswerable = scores.filter(({ kind }) => kind === 'none');
  const dated = scores.filter(({ commitLinked }) => commitLinked !== undefined);
  const share = (holds: (one: Score) => boolean): number =>
    answerable.length === 0 ? Number.NaN : round((100 * answerable.filter(holds).length) / answerable.length, 0);
  const times = scores.map(({ ms }) => ms);
  return {
    questions: scores.length,
    fileFirst: share(({ fileRank }) => fileRank === 1),
    fileInFive: share(({ fileRank = Number.POSITIVE_INFINITY }) => fileRank <= 5),
    lines: share(({ linesLinked }) => linesLinked),
    grepFirst: share(({ grepRank }) => grepRank === 1),
    grepInFive: share(({ grepRank = Number.POSITIVE_INFINITY }) => grepRank <= 5),
    commits: `${dated.filter(({ commitLinked }) => commitLinked).length} of ${dated.length}`,
    honestRefusals: `${unanswerable.filter(({ refused }) => refused).length} of ${unanswerable.length}`,
    wrongRefusals: answerable.filter(({ refused }) => refused).length,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    grepP50Ms: percentile(
      scores.map(({ grepMs }) => grepMs),
      0.5,
    ),
  };
}

function pointersOf(links: readonly string[]): Pointer[] {
  return links.flatMap((link) => readPointer(link) ?? []);
}

function rankOf(files: readonly string[], gold: readonly Gold[]): number | undefined {
  const right = new Set(gold.map(({ file }) => file));
  const index = files.findIndex((path) => right.has(path));
  return index < 0 ? undefined : index + 1;
}

function overlaps({ path, lines }: Pointer, { file, lines: [first, last] }: Gold): boolean {
  return path === file && lines !== undefined && lines[0] <= last && lines[1] >= first;
}
