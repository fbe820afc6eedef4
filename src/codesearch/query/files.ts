import { languageOfFile } from '../git/languages.ts';
import type { Repository, TrackedFile } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { Branch } from './branch.ts';
import { passes, type Run } from './run.ts';

/** One repository at one revision. */
export interface Place {
  repository: Repository;
  /** As the query names it; empty for the default: HEAD, with staged changes where there is an index. */
  revision: string;
  /** Commit id; empty before the first commit. */
  commit: string;
}

/** The regular files of a place that the filters select, in order of their paths; sets `limitHit` where there are too many. */
export async function selectFiles(
  { repository, revision, commit }: Place,
  { languages: { include, exclude }, paths }: Branch,
  run: Run,
): Promise<readonly TrackedFile[]> {
  const all = revision === '' ? await repository.files() : await repository.filesAt(commit);
  if (all.length >= LIMITS.filesPerRepository) run.limitHit = true;
  if ([include, exclude, paths.include, paths.exclude].every((list) => list.length === 0)) return all;
  const files: TrackedFile[] = [];
  for (const file of all) {
    await run.pause();
    const language = include.length + exclude.length === 0 ? '' : (languageOfFile(file.path)?.id ?? '');
    if (include.length > 0 && !include.includes(language)) continue;
    if (exclude.includes(language)) continue;
    if (passes(paths, file.path)) files.push(file);
  }
  return files;
}

/** A file whose text is wanted where it has a `blob`. */
interface WantedText {
  blob: string | undefined;
  /** In characters, where that is known. */
  textLength: number | undefined;
}

/** Reads texts of files, in their order, of so many at once as fit into memory; without those that are binary or too large. */
export async function* readTexts<File extends WantedText>(
  { repository: { blobs } }: Place,
  files: readonly File[],
): AsyncGenerator<{ group: File[]; texts: ReadonlyMap<string | undefined, string> }> {
  if (files.length === 0) return;
  const unknown = files.flatMap(({ blob, textLength }) =>
    blob === undefined || textLength !== undefined ? [] : [blob],
  );
  const sizes = await blobs.sizes(unknown);
  const sizeOf = ({ blob, textLength }: File): number => textLength ?? sizes.get(blob ?? '') ?? 0;
  const groups: File[][] = [[]];
  let size = 0;
  for (const file of files) {
    const isFull =
      (groups.at(-1)?.length ?? 0) >= LIMITS.searchTextsAtOnce || size + sizeOf(file) > LIMITS.blobBatchBytes;
    if (isFull) groups.push([]);
    size = (isFull ? 0 : size) + sizeOf(file);
    groups.at(-1)?.push(file);
  }
  for (const group of groups) {
    const ids = group.flatMap((file) => (sizeOf(file) > LIMITS.blobBytes ? [] : (file.blob ?? [])));
    yield { group, texts: await blobs.texts(ids) };
  }
}
