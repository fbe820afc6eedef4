import { afterAll, describe, expect, it } from 'vitest';
import { createTestRepository } from '../../support/codesearch/repository.ts';
import { one } from '../../support/one.ts';
import { readCommentPairs } from '../../training/comment-pairs.ts';
import { readCommitPairs } from '../../training/commit-pairs.ts';
import { openSnapshot } from '../../training/git-directory.ts';
import type { Pair } from '../../training/pairs.ts';

const RETRY = `// Copyright of this file belongs to the people who wrote it

/**
 * Waits longer before every attempt, but never without end.
 * @param attempt counts from one
 */
export function retryDelay(attempt: number): number {
  const base = settings.retryBase * 2 ** attempt;
  // Cranes once waited two days after an outage.
  const limit = settings.retryCap;
  return Math.min(base, limit);
}
`;

const repository = createTestRepository({
  'src/retry.ts': RETRY.replace('2 ** attempt', 'attempt'),
  'README.md': '# Retries\n',
  'vendor/copy.ts': RETRY,
});
repository.commit('Add everything');
repository.write('src/retry.ts', RETRY);
repository.commit(
  'fix: Double the waiting time after failures (#12)\n\nOne person asked for it.\n\nSigned-off-by: Ada <a@b.c>',
);
afterAll(() => repository.remove());

const snapshot = openSnapshot(repository.path);

async function collect(pairs: AsyncIterable<Pair>): Promise<Pair[]> {
  const all: Pair[] = [];
  for await (const pair of pairs) all.push(pair);
  return all;
}

describe('pairs of comments', () => {
  it('has the comment of a function without its tags, and the code without comments', async () => {
    const pairs = await collect(readCommentPairs(snapshot));
    const { question, path, symbol, comments, body } = one(pairs.filter(({ kind }) => kind === 'comment'));
    expect(question.join(' ')).toBe('wait longer befor everi attempt but never without end');
    expect(path).toEqual(['src', 'retri', 'ts']);
    expect(symbol).toEqual(['retri', 'delai', 'retrydelay']);
    expect(comments).toContain('outag');
    expect(body).toEqual(expect.arrayContaining(['retri', 'base', 'min', 'limit']));
    expect(body).not.toContain('outag');
  });

  it('has an inner comment with the code after it', async () => {
    const pairs = await collect(readCommentPairs(snapshot));
    const { question, body } = one(pairs.filter(({ kind }) => kind === 'innerComment'));
    expect(question).toContain('outag');
    expect(body).toContain('limit');
    expect(body).not.toContain('retrybase');
  });
});

describe('pairs of commit messages', () => {
  it('has the words of the message and the changed lines, newest first', async () => {
    const [newest, ...others] = await collect(readCommitPairs(snapshot));
    expect(newest?.question.join(' ')).toBe('doubl the wait time after failur one person ask for it');
    expect(newest?.path).toEqual(['src', 'retri', 'ts']);
    expect(newest?.body.filter((term) => term === 'retrybase')).toHaveLength(2);
    expect(others).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('is read from a bare git directory as well', () => {
    expect(openSnapshot(`${repository.path}/.git`).files()).toEqual(snapshot.files());
  });

  it('is the newest commit of the branch that HEAD names, not the work tree or another branch', async () => {
    repository.git('switch', '-q', '-c', 'other');
    repository.write('src/other.ts', 'export const other = 1;\n');
    repository.commit('Add another file');
    repository.git('switch', '-q', 'main');
    repository.write('src/untracked.ts', 'export const untracked = 1;\n');
    expect(openSnapshot(repository.path).files()).toEqual(['README.md', 'src/retry.ts', 'vendor/copy.ts']);
  });

  it('has the texts of files up to a size', async () => {
    const texts: { path: string; text: string }[] = [];
    for await (const text of snapshot.texts(['README.md', 'src/retry.ts'], 100)) texts.push(text);
    expect(texts).toEqual([{ path: 'README.md', text: '# Retries\n' }]);
  });
});
