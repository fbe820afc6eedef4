import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestRepository } from '../../support/codesearch/repository.ts';
import { one } from '../../support/one.ts';
import { readCommentPairs } from '../../training/comment-pairs.ts';
import { readCommitPairs } from '../../training/commit-pairs.ts';
import { Definitions } from '../../training/definitions.ts';
import { readDocumentPairs } from '../../training/document-pairs.ts';
import { openSnapshot } from '../../training/git-directory.ts';
import type { Pair } from '../../training/pairs.ts';
import { readTestPairs } from '../../training/test-pairs.ts';

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
    const pairs = await collect(readCommentPairs(snapshot, new Definitions()));
    const { question, path, symbol, comments, body } = one(pairs.filter(({ kind }) => kind === 'comment'));
    expect(question.join(' ')).toBe('wait longer befor everi attempt but never without end');
    expect(path).toEqual(['src', 'retri', 'ts']);
    expect(symbol).toEqual(['retri', 'delai', 'retrydelay']);
    expect(comments).toContain('outag');
    expect(body).toEqual(expect.arrayContaining(['retri', 'base', 'min', 'limit']));
    expect(body).not.toContain('outag');
  });

  it('has an inner comment with the code after it', async () => {
    const pairs = await collect(readCommentPairs(snapshot, new Definitions()));
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

describe('pairs that name a definition', () => {
  const harbor = createTestRepository({
    'src/crane.ts':
      'export function liftCrate(crate: Crate) {\n  const chain = fasten(crate);\n  return chain.pull(crate.weight);\n}\n\nexport function stop() {\n  engine.off();\n  brake.on(full);\n}\n',
    'src/ferry.ts': 'export function stop() {\n  ferry.engine.off();\n  ferry.anchor.drop();\n}\n',
    'test/crane.test.ts':
      "describe('a crane', () => {\n  it('keeps heavy boxes from swinging', () => {\n    const box = liftCrate(heavy);\n    expect(box.swing).toBe(0);\n  });\n\n  it('waits while the wind is strong', () => {\n    wind.blow(hard);\n    expect(engine.running).toBe(false);\n  });\n});\n",
    'app/test_ferry.py':
      'def test_waits_for_the_last_car():\n    ferry = Ferry()\n    ferry.load(car)\n\n\nclass TestTide:\n    def test_ebb_and_flow_of_water(self):\n        tide.turn(moon)\n        assert tide.level == low\n',
    'ferry_test.go':
      'func TestLeavesOnTimeAlways(t *testing.T) {\n\tt.Run("comes back before the night falls", func(t *testing.T) {\n\t\tferry.Return(evening, harbor, crew)\n\t})\n\tferry.Leave(morning, harbor)\n}\n',
    'src/tide.rs':
      '#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn rises_twice_every_day() {\n        let tide = Tide::rise(moon);\n        assert_eq!(tide.level, high);\n    }\n}\n',
    'README.md':
      '# Cranes\n\nHeavy boxes hang on the hook of `liftCrate(crate)` until they stand.\n\n- All engines rest at once after `crane.stop()` was asked for.\n- It is not known what the word `unknownName` stands for here.\n\n```\nliftCrate(box) lifts one of the boxes in an example\n```\n',
  });
  harbor.commit('Begin');
  afterAll(() => harbor.remove());
  const opened = openSnapshot(harbor.path);
  const definitions = new Definitions();

  beforeAll(async () => {
    await collect(readCommentPairs(opened, definitions));
  });

  it('has the definition that a test uses, or else the test', async () => {
    const pairs = await collect(readTestPairs(opened, definitions));
    const codes = new Map(pairs.map(({ question, symbol, body }) => [question.join(' '), { symbol, body }]));
    expect([...codes.keys()].toSorted()).toEqual([
      'come back befor the night fall',
      'crane keep heavi box from swing',
      'crane wait while the wind is strong',
      'ebb and flow of water ebb_and_flow_of_water',
      'leav on time alwai leavesontimealways',
      'rise twice everi day rises_twice_every_day',
      'wait for the last car waits_for_the_last_car',
    ]);
    expect(codes.get('crane keep heavi box from swing')?.symbol).toEqual(['lift', 'crate', 'liftcrate']);
    expect(codes.get('crane wait while the wind is strong')).toMatchObject({
      symbol: [],
      body: expect.arrayContaining(['blow']),
    });
  });

  it('has a paragraph and the only definition of a name in it, without this name', async () => {
    const pairs = await collect(readDocumentPairs(opened, definitions));
    expect(pairs.map(({ question, symbol }) => [question.join(' '), symbol])).toEqual([
      ['heavi box hang on the hook of crate until thei stand', ['lift', 'crate', 'liftcrate']],
    ]);
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
