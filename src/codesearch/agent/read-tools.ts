import { fileLabel, filePath } from '../addresses.ts';
import { atOrBefore } from '../ask/commit-lines.ts';
import { blame } from '../git/blame.ts';
import type { Repository } from '../git/repository.ts';
import type { IndexedFile } from '../index/file-index.ts';
import { LIMITS } from '../limits.ts';
import type { Readable } from './readable.ts';
import { ToolRefusal } from './search-tools.ts';

export interface FileLines {
  repository?: string | undefined;
  path: string;
  start?: number | undefined;
  end?: number | undefined;
}

const FEW_FILES = 60;
const NAMES_SUGGESTED = 5;

/** Reads files, folders and blame for a model. Each returns text. */
export function createReadTools(readable: Readable) {
  function find(asked: Pick<FileLines, 'repository'>): Repository {
    const repository = readable.repository(asked.repository);
    if (repository !== undefined) return repository;
    throw new ToolRefusal(
      asked.repository === undefined
        ? 'Give a repository: there are several.'
        : 'There is no repository of this name. Use a name from the list.',
    );
  }

  function findFile(asked: FileLines): { repository: Repository; file: IndexedFile } {
    const repository = find(asked);
    const path = clean(asked.path);
    const file = readable.file(repository.name, path);
    if (file !== undefined) return { repository, file };
    const name = path.split('/').at(-1) ?? path;
    const similar = readable.paths(repository.name, '').filter((one) => one === name || one.endsWith(`/${name}`));
    if (similar.length > 0) readable.seen.add(repository.name);
    const hint = similar.length === 0 ? '' : ` Did you mean ${similar.slice(0, NAMES_SUGGESTED).join(', ')}?`;
    throw new ToolRefusal(`There is no such file in ${repository.name}.${hint}`);
  }

  return {
    async file(asked: FileLines): Promise<string> {
      const { repository, file } = findFile(asked);
      const lines = await readable.lines(file);
      if (lines === undefined) throw new ToolRefusal('This file is not text, or too large.');
      const start = Math.max(1, asked.start ?? 1);
      const wanted = asked.end ?? start + LIMITS.modelFileLinesDefault - 1;
      const end = Math.min(wanted, start + LIMITS.modelFileLines - 1, lines.length);
      if (start > lines.length) throw new ToolRefusal(`The file has ${lines.length} lines.`);
      if (end < start) throw new ToolRefusal('The last line comes before the first.');
      readable.seen.add(repository.name);
      readable.remember(file);
      const shown = lines
        .slice(start - 1, end)
        .map((line, index) => `${start + index}\t${line.slice(0, LIMITS.modelLineCharacters)}`);
      const label = fileLabel(file, start, end);
      const link = filePath(file, start, end);
      readable.opened.set(link, { type: 'File', link, label });
      const address = filePath({ repository: repository.name, path: file.path }, start, end);
      return [`${label} of ${lines.length} lines, link: ${address}`, ...shown].join('\n');
    },
    folder(asked: { repository?: string | undefined; path?: string | undefined }): string {
      const repository = find(asked);
      const folder = clean(asked.path ?? '');
      const paths = readable.paths(repository.name, folder).sort();
      if (paths.length === 0) throw new ToolRefusal('There is no such folder.');
      readable.seen.add(repository.name);
      if (paths.length <= FEW_FILES) return paths.join('\n');
      const prefix = folder === '' ? 0 : folder.length + 1;
      const entries = new Map<string, number>();
      for (const path of paths) {
        const slash = path.indexOf('/', prefix);
        const entry = slash < 0 ? path : path.slice(0, slash + 1);
        entries.set(entry, (entries.get(entry) ?? 0) + 1);
      }
      const lines = [...entries].map(([entry, count]) => (entry.endsWith('/') ? `${entry} (${count} files)` : entry));
      const more = lines.length - LIMITS.modelTreeEntries;
      return [...lines.slice(0, LIMITS.modelTreeEntries), ...(more > 0 ? [`… ${more} more`] : [])].join('\n');
    },
    async blame(asked: FileLines): Promise<string> {
      const { repository, file } = findFile(asked);
      if (file.commit === undefined) {
        throw new ToolRefusal('This file has staged changes: its lines are not those of a commit.');
      }
      const count = (await readable.lines(file))?.length ?? 0;
      const start = Math.max(1, asked.start ?? 1);
      const end = Math.min(asked.end ?? count, start + LIMITS.modelBlameLines - 1, count);
      if (end < start) throw new ToolRefusal(`The file has ${count} lines.`);
      const ranges = await blame(repository, file.commit, file.path, { start, end });
      if (ranges === undefined) throw new ToolRefusal('These lines are in no commit yet.');
      readable.seen.add(repository.name);
      const boundary = await repository.boundary();
      return ranges
        .map(({ start: from, end: to, commit, author, subject }) => {
          const lines = from === to ? `${from}` : `${from}-${to}`;
          const date = author.date.slice(0, 10);
          return boundary.has(commit)
            ? `${lines}: commit ${commit.slice(0, 12)} ${atOrBefore({ date })}`
            : `${lines}: commit ${commit.slice(0, 12)}, ${date}, ${author.name}: ${subject}`;
        })
        .join('\n');
    },
  };
}

function clean(path: string): string {
  return path.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');
}
