import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BenchQuestion, BenchSource } from './questions.ts';

/** Clones a repository into `cache` unless it is there, from `folder` or from GitHub, and checks out the commit of its questions. */
export function prepareRepository(source: BenchSource, cache: string, folder: string | undefined): string {
  const [owner = '', name = ''] = source.repository.split('/');
  const address = `https://github.com/${source.repository}.git`;
  const path = join(resolve(cache), `${owner}+${name}`);
  if (!existsSync(join(path, '.git'))) {
    mkdirSync(cache, { recursive: true });
    git(
      cache,
      'clone',
      '--quiet',
      '--no-checkout',
      folder === undefined ? address : findClone(folder, owner, name),
      path,
    );
    // The service names a repository by its address, so that of a local copy would show up in answers.
    git(path, 'remote', 'set-url', 'origin', address);
  }
  git(path, 'checkout', '--quiet', '--force', '-B', 'bench', source.commit);
  return path;
}

function findClone(folder: string, owner: string, name: string): string {
  const candidates = [name, `${name}.git`, `${owner}+${name}/repo`, `${owner}+${name}`, `${owner}/${name}`];
  const found = candidates.map((candidate) => resolve(folder, candidate)).find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${folder} has none of ${candidates.join(', ')}`);
  return found;
}

/** Says for each gold place and commit that is not in the repository, or lacks its text, what is wrong with it. */
export function findWrongGold(root: string, questions: readonly BenchQuestion[]): string[] {
  const history = new Set(git(root, 'rev-list', 'HEAD').split('\n'));
  return questions.flatMap(({ id, gold = [], commit }) => [
    ...gold.flatMap(({ file, lines: [first, last], text }) => {
      const place = `${id}: ${file}:${first}-${last}`;
      const lines = readLines(root, file);
      if (lines === undefined) return [`${place} does not exist`];
      if (last > lines.length) return [`${place} is beyond the end of the file`];
      return lines.slice(first - 1, last).some((line) => line.includes(text)) ? [] : [`${place} lacks "${text}"`];
    }),
    ...(commit === undefined || history.has(commit) ? [] : [`${id}: ${commit} is not in the history`]),
  ]);
}

/** The lines of a file of the repository; undefined when it has none with this path. */
export function readLines(root: string, path: string): string[] | undefined {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8').replace(/\n$/, '').split('\n') : undefined;
}

function git(folder: string, ...parameters: string[]): string {
  return execFileSync('git', ['-C', folder, ...parameters], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
