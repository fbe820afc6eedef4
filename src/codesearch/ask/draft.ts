import { commitPath, fileLabel, filePath, repositoryPath } from '../addresses.ts';
import type { Commit } from '../index/commits.ts';
import type { IndexedFile } from '../index/file-index.ts';
import { commitLine } from './commit-lines.ts';
import type { Focus, SourceRecord } from './finding.ts';
import type { Investigation } from './investigation.ts';
import { bullets, fence, fileLink } from './markdown.ts';
import type { QueryWord } from './query-words.ts';
import type { QuestionInContext } from './question/carry-over.ts';
import type { Passage } from './rank.ts';
import type { Targets } from './targets.ts';
import type { Literal } from './verbatim.ts';

/** What a route answers from. */
export interface Asked {
  question: QuestionInContext;
  targets: Targets;
  words: readonly QueryWord[];
  literals: readonly Literal[];
  passages: readonly Passage[];
  investigation: Investigation;
}

/** A place that the answer points to, in one line. */
export interface Pointer {
  line: string;
  source: SourceRecord;
}

/** An answer as its route gives it: a sentence, a passage, a few pointers. A part without content is left out. */
export interface Draft {
  title: string;
  sentence: string;
  /** The lines that are quoted, at most {@link MOST_LINES} of them. */
  passage?: Pick<Passage, 'file' | 'start' | 'end' | 'symbol' | 'keyLines'>;
  pointers: Pointer[];
  followUps: string[];
  symbols: string[];
  files: IndexedFile[];
  /** What stands below everything else. */
  footnote?: string;
  /** Says that nothing answers the question. */
  isRefusal?: true;
}

const MOST_LINES = 15;
const LONGEST_LINE = 180;
/** Lines before the best one, where there is room. */
const LINES_BEFORE = 4;
const MOST_SOURCES = 12;

/** A draft that only says something. */
export function saying(title: string, sentence: string): Draft {
  return { title, sentence, pointers: [], followUps: [], symbols: [], files: [] };
}

/** The text of an answer. */
export async function write(
  { sentence, passage, pointers, footnote }: Draft,
  investigation: Investigation,
): Promise<string> {
  const quoted =
    passage === undefined ? '' : fence(quote(passage, await investigation.lines(passage.file)), passage.file.path);
  const parts = [sentence, quoted, bullets(pointers.map(({ line }) => line)), footnote ?? ''];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The lines of a passage to quote: all if there are few, otherwise the line with the name and the lines around the best one. */
function quote(
  { start, end, symbol, keyLines }: Pick<Passage, 'start' | 'end' | 'symbol' | 'keyLines'>,
  lines: readonly string[],
): string[] {
  if (end - start + 1 <= MOST_LINES) return outdent(trim(lines.slice(start - 1, end)));
  const named = symbol !== undefined && symbol.line >= start && symbol.line <= end ? symbol.line : undefined;
  const key = keyLines[0] ?? start;
  const size = MOST_LINES - 2;
  const from = Math.max(named ?? start, Math.min(key - LINES_BEFORE, end - size + 1));
  const to = Math.min(end, from + size - 1);
  const head = named === undefined || from <= named + 2 ? [] : [lines[named - 1] ?? '', '…'];
  const first = head.length > 0 ? from : (named ?? from);
  return outdent([...head, ...trim(lines.slice(first - 1, to)), ...(to < end ? ['…'] : [])]);
}

function trim(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return lines.slice(Math.max(0, first), lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function outdent(lines: readonly string[]): string[] {
  const margin = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
  const common = Math.min(...lines.filter((line) => line.trim() !== '' && line !== '…').map(margin), 40);
  return lines.map((line) => {
    const text = line.slice(Math.min(common, margin(line)));
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  });
}

/** A pointer to lines, with what they are. */
export function pointTo(file: IndexedFile, said: string, start?: number, end?: number): Pointer {
  return {
    line: `${fileLink(file, start, end)}${said === '' ? '' : `: ${said}`}`,
    source: { type: 'File', link: filePath(file, start, end), label: fileLabel(file, start, end) },
  };
}

export function pointToCommit(repository: string, commit: Commit): Pointer {
  const { id, subject } = commit;
  return {
    line: commitLine(repository, commit),
    source: { type: 'Commit', link: commitPath(repository, id), label: `${id.slice(0, 8)} ${subject}` },
  };
}

/** The sources of an answer: the passage first, each once, followed by their repositories. Where there are several, each source says which one it is of. */
export function sourcesOf({ passage, pointers }: Draft, repositories: readonly string[]): SourceRecord[] {
  const own = passage === undefined ? [] : [pointTo(passage.file, '', passage.start, passage.end).source];
  const byLink = new Map([...own, ...pointers.map(({ source }) => source)].map((source) => [source.link, source]));
  const sources = [...byLink.values()]
    .slice(0, MOST_SOURCES)
    .map((source) => ({ source, repository: repositoryOf(source, repositories) }));
  const touched = repositories.filter((name) => sources.some(({ repository }) => repository === name));
  return [
    ...sources.map(({ source, repository }) =>
      touched.length < 2 || repository === undefined ? source : { ...source, label: `${repository}: ${source.label}` },
    ),
    ...touched.map((name): SourceRecord => ({ type: 'Repository', link: repositoryPath(name), label: name })),
  ];
}

function repositoryOf({ link }: SourceRecord, repositories: readonly string[]): string | undefined {
  return repositories.find((name) =>
    [`${repositoryPath(name)}/`, `${repositoryPath(name)}@`].some((start) => link.startsWith(start)),
  );
}

/** What the answer was about, for the next question in the conversation. */
export function focusOf({ symbols, files }: Draft, { subjects, kind }: QuestionInContext): Focus {
  const words = subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word);
  return {
    symbols: symbols.filter((name) => !name.startsWith('__')).slice(0, 5),
    files: files.slice(0, 8).map(({ repository, path }) => ({ repository, path })),
    words: words.slice(0, 8),
    kind,
  };
}

/** At most three follow-ups, each once, without the question that was just asked. */
export function tidyFollowUps(followUps: readonly string[], asked: string): string[] {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const byText = new Map(followUps.map((followUp) => [plain(followUp), followUp]));
  byText.delete(plain(asked));
  return [...byText.values()].slice(0, 3);
}
