import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTestRepository, type TestRepository } from '../../support/codesearch/repository.ts';
import type { BenchPackage, BenchQuestion } from './questions.ts';

export interface PackageRepository extends TestRepository {
  /** Commit ids by release. */
  commits: ReadonlyMap<string, string>;
}

/**
 * Makes a git repository with one commit per release of a package. Tarballs come from the configured package registry
 * and are kept in `cache`.
 */
export function createPackageRepository(source: BenchPackage, cache: string): PackageRepository {
  const tarballs = fetchTarballs(source, cache);
  const repository = createTestRepository();
  const commits = new Map<string, string>();
  try {
    repository.git('remote', 'add', 'origin', source.origin);
    for (const { version, date } of source.history) {
      for (const name of readdirSync(repository.path)) {
        if (name !== '.git') rmSync(join(repository.path, name), { recursive: true });
      }
      execFileSync('tar', ['-xzf', tarballs(version), '-C', repository.path, '--strip-components=1']);
      for (const path of source.without) rmSync(join(repository.path, path), { recursive: true, force: true });
      const author = `${source.package} release`;
      commits.set(version, repository.commit(`Release ${source.package} ${version}`, { author, date }));
    }
  } catch (error) {
    repository.remove();
    throw error;
  }
  return { ...repository, commits };
}

/** Downloads the tarballs that are missing, in one call of npm; returns the path of each. */
function fetchTarballs(source: BenchPackage, cache: string): (version: string) => string {
  mkdirSync(cache, { recursive: true });
  const pathOf = (version: string): string =>
    join(cache, `${source.package.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const missing = source.history.map(({ version }) => version).filter((version) => !existsSync(pathOf(version)));
  if (missing.length > 0) {
    const specs = missing.map((version) => `${source.package}@${version}`);
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', ...specs], { cwd: cache, stdio: 'pipe' });
  }
  return pathOf;
}

/** Says for each gold place that is not in the repository, or lacks its text, what is wrong with it. */
export function findWrongGold(root: string, questions: readonly BenchQuestion[]): string[] {
  return questions.flatMap(({ id, gold }) => {
    if (gold === 'none') return [];
    return gold.flatMap(({ file, lines: [first, last], text }) => {
      const place = `${id}: ${file}:${first}-${last}`;
      if (!existsSync(join(root, file))) return [`${place} does not exist`];
      const lines = readFileSync(join(root, file), 'utf8').replace(/\n$/, '').split('\n');
      if (last > lines.length) return [`${place} is beyond the end of the file`];
      return lines.slice(first - 1, last).some((line) => line.includes(text)) ? [] : [`${place} lacks "${text}"`];
    });
  });
}
