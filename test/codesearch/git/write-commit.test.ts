import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestRepository } from '../support/repository.ts';
import { writeCommit } from '../support/write-commit.ts';

function begin() {
  const repository = createTestRepository({ 'b.ts': 'b();\n', 'b/c.ts': 'c();\n', 'b-d/ü "x"\n.ts': '', b0: '0' });
  onTestFinished(repository.remove);
  return repository;
}

const details = { author: 'Grace Hopper', email: 'g@example.org' };
const first = {
  ...details,
  message: ' Start  \n\n\n\nThe body\x1f\t\nhas lines.\n\n',
  date: '2024-01-01T10:00:00+02:00',
};
const second = { ...details, message: 'Change', date: '2024-02-01T10:00:00Z' };

test('a commit written without git is the one that git writes', () => {
  const [written, made] = [begin(), begin()];
  const own: (string | undefined)[] = [];
  for (const { path, write, link, git } of [written, made]) {
    const commit = (each: typeof first): void => {
      if (path === written.path) own.push(writeCommit(path, each));
      else {
        git('add', '-A');
        git(
          '-c',
          `user.name=${each.author}`,
          '-c',
          `user.email=${each.email}`,
          'commit',
          '-q',
          '-m',
          each.message,
          '--date',
          each.date,
        );
      }
    };
    commit(first);
    link('../b.ts', 'b/link');
    chmodSync(join(path, 'b0'), 0o755);
    write(`long/${'x'.repeat(200)}/${'y'.repeat(200)}`, Buffer.from([0, 1, 255]));
    rmSync(join(path, 'b.ts'));
    commit(second);
  }
  // The committer's date of the other repository is the time of the test.
  const facts = ['--format=%T%n%an <%ae>%n%aI%n%B', '--raw', '--no-abbrev'];
  expect(written.git('log', ...facts)).toBe(made.git('log', ...facts));
  expect(written.git('ls-files', '-s')).toBe(made.git('ls-files', '-s'));
  expect(written.git('log', '-g', '--format=%gd %gs')).toBe(made.git('log', '-g', '--format=%gd %gs'));
  expect(written.git('log', '--format=%H%n%cI').split('\n')).toEqual([
    own[1],
    second.date.replace('Z', '+00:00'),
    own[0],
    first.date,
    '',
  ]);
  expect(written.git('fsck', '--strict')).toBe('');
  expect(written.git('status', '--porcelain')).toBe('');
});

test.each<[string, (repository: ReturnType<typeof begin>) => void, Partial<typeof first>]>([
  ['an attribute', ({ write }) => write('b/.gitattributes', '*.ts diff\n'), {}],
  ['a file that is left out', ({ write }) => write('.gitignore', 'b.ts\n'), {}],
  ['a repository inside', ({ git }) => git('init', '-q', 'inner'), {}],
  ['a filter', ({ git }) => git('config', 'filter.own.clean', 'cat'), {}],
  ['a hook', ({ git }) => git('config', 'core.hooksPath', 'hooks'), {}],
  ['a detached HEAD', ({ git }) => git('checkout', '-q', '--detach'), {}],
  ['packed branches', ({ git }) => git('pack-refs', '--all'), {}],
  ['nothing new', ({ write }) => write('b.ts', 'b();\n'), {}],
  ['a name that git changes', () => {}, { author: ' Ada.' }],
  ['a date in another form', () => {}, { date: 'yesterday' }],
])('%s is left to git', (_, change, other) => {
  const repository = begin();
  writeCommit(repository.path, first);
  repository.write('b.ts', 'new();\n');
  change(repository);
  expect(writeCommit(repository.path, { ...second, ...other })).toBeUndefined();
});
