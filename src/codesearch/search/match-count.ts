import { GitError } from '../git/git.ts';
import type { Corpus } from './corpus.ts';

interface CodeQuery {
  repositories: string[];
  paths: string[];
  patterns: string[];
  isRegExp: boolean;
  isCaseSensitive: boolean;
}

/**
 * Counts the lines that match a code search query in all repositories. Supports words (the file must contain all of
 * them), "quoted phrases", `/regular expressions/`, `repo:`, `file:`, `case:yes` and `patternType:regexp`.
 */
export async function countMatches(corpus: Corpus, text: string): Promise<number> {
  const query = parseCodeQuery(text);
  if (query.patterns.length === 0) return 0;
  await corpus.refresh();
  let count = 0;
  for (const repository of corpus.repositories) {
    if (!query.repositories.every((part) => matches(part, repository.name))) continue;
    const head = await repository.head();
    if (repository.bare && head === undefined) continue;
    const parameters = [
      'grep',
      '-c',
      '-z',
      '-I',
      query.isRegExp ? '-E' : '-F',
      ...(query.isCaseSensitive ? [] : ['-i']),
      '--all-match',
      ...query.patterns.flatMap((pattern) => ['-e', pattern]),
      ...(repository.bare ? ['HEAD'] : ['--cached']),
    ];
    count += await sumCounts(() => repository.git(parameters), query.paths);
  }
  return count;
}

async function sumCounts(grep: () => Promise<Buffer>, paths: readonly string[]): Promise<number> {
  let output: string;
  try {
    output = (await grep()).toString('utf8');
  } catch (error) {
    // git grep exits with 1 when nothing matches, and with 128 for an invalid regular expression.
    if (error instanceof GitError) return 0;
    throw error;
  }
  let sum = 0;
  for (const line of output.split('\n')) {
    const [path, amount] = line.split('\0');
    if (path !== undefined && amount !== undefined && paths.every((part) => matches(part, path))) sum += Number(amount);
  }
  return sum;
}

/** Parses a code search query; exported for its tests. */
export function parseCodeQuery(text: string): CodeQuery {
  const query: CodeQuery = { repositories: [], paths: [], patterns: [], isRegExp: false, isCaseSensitive: false };
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\/(?:\\.|[^/\\\s])+\/(?=\s|$)|\S+/g)) {
    const filter =
      /^(repo|r|file|f|case|patternType|type|count|lang|language|context|select|rev|fork|archived):(.*)$/i.exec(token);
    if (filter !== null) {
      const [, name = '', value = ''] = filter;
      if (/^r(epo)?$/i.test(name)) query.repositories.push(value);
      else if (/^f(ile)?$/i.test(name)) query.paths.push(value);
      else if (/^case$/i.test(name)) query.isCaseSensitive = /^y/i.test(value);
      else if (/^patterntype$/i.test(name)) query.isRegExp = /^reg/i.test(value);
    } else if (/^".*"$/s.test(token) && token.length > 2)
      query.patterns.push(token.slice(1, -1).replace(/\\(.)/g, '$1'));
    else if (/^\/.+\/$/.test(token)) {
      query.patterns.push(token.slice(1, -1));
      query.isRegExp = true;
    } else query.patterns.push(token);
  }
  return query;
}

/** Matches a filter as part of a name. Supports `^` and `$`; everything else is literal, so that no filter is slow. */
function matches(filter: string, name: string): boolean {
  const plain = filter
    .replace(/^\^|\$$/g, '')
    .replace(/\\(.)/g, '$1')
    .toLowerCase();
  const own = name.toLowerCase();
  if (filter.startsWith('^') && filter.endsWith('$')) return own === plain;
  if (filter.startsWith('^')) return own.startsWith(plain);
  return filter.endsWith('$') ? own.endsWith(plain) : own.includes(plain);
}
