import { commitPath, fileLabel, filePath, repositoryPath } from '../../addresses.ts';
import type { IndexedFile } from '../../index/file-index.ts';
import type { Focus, SourceRecord } from '../finding.ts';
import type { Investigation } from '../investigation.ts';
import type { QueryWord } from '../query-terms.ts';
import type { QuestionInContext } from '../questions/carry-over.ts';
import type { Ranking } from '../rank.ts';
import type { Targets } from '../targets.ts';
import type { Literal } from '../verbatim.ts';

/** Everything found for a question, as input for writing the answer. */
export interface Findings extends Ranking {
  question: QuestionInContext;
  targets: Targets;
  words: readonly QueryWord[];
  literals: readonly Literal[];
  investigation: Investigation;
}

/** An unfinished answer; sections are joined by blank lines. */
export interface Draft {
  title: string;
  sections: string[];
  sources: SourceRecord[];
  followUps: string[];
  symbols: string[];
  files: IndexedFile[];
  /** Says that nothing answers the question. */
  isRefusal?: true;
}

export function emptyDraft(title: string): Draft {
  return { title, sections: [], sources: [], followUps: [], symbols: [], files: [] };
}

export function fileSource(file: IndexedFile, start?: number, end?: number): SourceRecord {
  return { type: 'File', link: filePath(file, start, end), label: fileLabel(file, start, end) };
}

export function commitSource(repository: string, id: string, subject: string): SourceRecord {
  return { type: 'Commit', link: commitPath(repository, id), label: `${id.slice(0, 8)} ${subject}` };
}

export function repositorySource(repository: string): SourceRecord {
  return { type: 'Repository', link: repositoryPath(repository), label: repository };
}

/** What the answer was about, for the next question in the conversation. */
export function focusOf(draft: Draft, question: QuestionInContext): Focus {
  const words = question.subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word);
  return {
    symbols: draft.symbols.filter((name) => !name.startsWith('__')).slice(0, 5),
    files: draft.files.slice(0, 8).map(({ repository, path }) => ({ repository, path })),
    words: words.slice(0, 8),
    intent: question.intent,
  };
}

/** Sources without duplicates, followed by their repositories. Where there are several, each source says which one it is of. */
export function tidySources(sources: readonly SourceRecord[], repositories: readonly string[]): SourceRecord[] {
  const byLink = new Map(sources.map((source) => [source.link, source]));
  const own = [...byLink.values()]
    .slice(0, 20)
    .map((source) => ({ source, repository: repositoryOf(source, repositories) }));
  const touched = repositories.filter((name) => own.some(({ repository }) => repository === name));
  const isOne = touched.length < 2;
  return [
    ...own.map(({ source, repository }) =>
      isOne || repository === undefined ? source : { ...source, label: `${repository}: ${source.label}` },
    ),
    ...touched.map(repositorySource),
  ];
}

function repositoryOf({ link }: SourceRecord, repositories: readonly string[]): string | undefined {
  return repositories.find((name) =>
    [`${repositoryPath(name)}/`, `${repositoryPath(name)}@`].some((start) => link.startsWith(start)),
  );
}

/** At most three follow-ups, without the question that was just asked. */
export function tidyFollowUps(followUps: readonly string[], asked: string): string[] {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const seen = new Set([plain(asked)]);
  return followUps
    .filter((followUp) => {
      const key = plain(followUp);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .slice(0, 3);
}
