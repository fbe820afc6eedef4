import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { projectFolder, run } from '../../test/support/processes/run.ts';
import { compareVersions, nextVersion, readChangelog } from './changelog.ts';
import { changedPaths, planRelease, release } from './release.ts';
import { readVersions } from './versions.ts';

const project = pathToFileURL(projectFolder);
const version = readVersions(project)[0]?.version ?? '';
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A repository with copies of the files that a release reads and writes, and one commit. */
function createRepository(): {
  root: URL;
  folder: string;
  git: (...parameters: string[]) => string;
  write: Write;
  read: Read;
} {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  folders.push(folder);
  for (const path of [
    'deploy',
    'package.json',
    'src/codesearch/package.json',
    'package-lock.json',
    'Dockerfile',
    'docs/install-kubernetes.md',
  ]) {
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, 'hooks'));
  const git = (...parameters: string[]): string =>
    execFileSync('git', parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const write: Write = (path, text) => writeFileSync(join(folder, path), text);
  const read: Read = (path) => readFileSync(join(folder, path), 'utf8');
  write(
    'CHANGELOG.md',
    `# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A new thing.\n\n## [${version}] - 2026-11-01\n\n### Added\n\n- All.\n`,
  );
  git('init', '--quiet', '--initial-branch', 'main');
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
    ['commit.gpgsign', 'false'],
    ['tag.gpgsign', 'false'],
    ['core.hooksPath', join(folder, 'hooks')],
  ]) {
    git('config', name ?? '', value ?? '');
  }
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  return { root: pathToFileURL(`${folder}/`), folder, git, write, read };
}
type Write = (path: string, text: string) => void;
type Read = (path: string) => string;

const followed = (part: 'minor' | 'patch'): string => nextVersion(version, [part === 'minor' ? 'Added' : 'Fixed']);

describe('the changelog', () => {
  it('has the form of Keep a Changelog, and the version of package.json as its latest', () => {
    const { releases, problems } = readChangelog(readFileSync(new URL('CHANGELOG.md', project), 'utf8'));
    expect(problems).toEqual([]);
    expect(releases[1]?.name).toBe(version);
  });

  it.each([
    ['## 0.3.0', 'is neither [Unreleased] nor [version] - date'],
    ['## [0.3.0]', '[0.3.0]: a version has a date'],
    ['## [0.3.0] - 2026-13-40', '[0.3.0]: 2026-13-40 is no date'],
    ['## [Unreleased]\n\n### New\n\n- A thing.', '[Unreleased]: New is no kind of change'],
    ['## [Unreleased]\n\n### Added\n\n- A.\n\n### Added\n\n- B.', '[Unreleased]: a kind of change stands there twice'],
    ['## [Unreleased]\n\n### Added\n\nNothing.', '[Unreleased]: a kind of change has no line'],
    ['## [0.3.0] - 2026-11-01', 'the first section is not [Unreleased]'],
    ['## [Unreleased]\n\n## [0.2.0] - 2026-11-02\n\n## [0.10.0] - 2026-11-01', '[0.2.0] stands above [0.10.0]'],
    ['## [Unreleased]\n\n## [0.3.0] - 2026-11-01\n\n## [0.2.0] - 2026-11-02', '[0.3.0] is older than [0.2.0]'],
  ])('with %j has a problem', (text, problem) => {
    expect(readChangelog(`# Changelog\n\n${text}\n`).problems.join('\n')).toContain(problem);
  });

  it.each([
    ['0.2.3', ['Fixed', 'Security'], '0.2.4'],
    ['0.2.3', ['Changed', 'Fixed'], '0.3.0'],
    ['0.2.3', ['Removed'], '0.3.0'],
    ['1.2.3', ['Fixed'], '1.2.4'],
    ['1.2.3', ['Added'], '1.3.0'],
    ['1.2.3', ['Added', 'Removed'], '2.0.0'],
  ])('makes of %s with %j the version %s', (current, changes, next) => {
    expect(nextVersion(current, changes)).toBe(next);
    expect(compareVersions(next, current)).toBeGreaterThan(0);
  });
});

describe('the version', () => {
  it('is the same in both package.json, the lock file, the chart, its page of the documentation and the Dockerfile', () => {
    expect(readVersions(project).map((each) => each.version)).toEqual(Array.from({ length: 12 }, () => version));
  });
});

describe('a release', () => {
  it('writes the version and the date everywhere, commits and tags', () => {
    const { root, git, read } = createRepository();
    const next = followed('minor');
    const plan = planRelease(root, undefined);
    expect(plan).toMatchObject({ current: version, version: next, tag: `v${next}`, problems: [] });
    release(root, plan, '2026-12-01');
    expect(readVersions(root).map((each) => each.version)).toEqual(Array.from({ length: 12 }, () => next));
    expect(read('CHANGELOG.md')).toContain(
      `## [Unreleased]\n\n## [${next}] - 2026-12-01\n\n### Added\n\n- A new thing.`,
    );
    expect(read('deploy/kubernetes/socket-mode.yaml')).toContain(`deepsearch-slack:${next}`);
    expect(git('log', '--format=%s')).toBe(`Release ${next}\nBegin`);
    expect(git('status', '--porcelain')).toBe('');
    const message = git('for-each-ref', '--format=%(objecttype) %(contents)', `refs/tags/v${next}`);
    expect(message).toBe(`tag ${next}\n\n### Added\n\n- A new thing.`);
    const changed = git('show', '--format=', '--name-only').split('\n');
    expect(changed.filter((path) => !changedPaths.some((each) => path.startsWith(each)))).toEqual([]);
    // Nothing is left to release.
    expect(planRelease(root, undefined).problems).toEqual(['CHANGELOG.md: nothing is unreleased']);
  });

  it('takes the version that it is given, if it follows', () => {
    const { root } = createRepository();
    expect(planRelease(root, '1.0.0')).toMatchObject({ version: '1.0.0', problems: [] });
    expect(planRelease(root, version).problems).toEqual([`${version} does not follow ${version}`]);
    expect(planRelease(root, '1.0').problems).toEqual(['1.0 is no version of three numbers']);
    expect(planRelease(root, 'v1.0.0-rc.1').problems).toEqual(['v1.0.0-rc.1 is no version of three numbers']);
  });

  it('names everything that speaks against it at once', () => {
    const { root, git, write, read } = createRepository();
    const next = followed('minor');
    write(
      'deploy/helm/deepsearch-slack/Chart.yaml',
      read('deploy/helm/deepsearch-slack/Chart.yaml').replace(/^appVersion.*$/m, 'appVersion: "9.9.9"'),
    );
    write('Dockerfile', read('Dockerfile').replace(/^ARG VERSION=.*$/m, 'ARG VERSION=0.0.1'));
    write(
      'CHANGELOG.md',
      read('CHANGELOG.md').replace('### Added\n\n- A new', '### News\n\n- A new').replace(`[${version}]`, '[0.0.9]'),
    );
    git('tag', `v${next}`);
    git('checkout', '--quiet', '--detach');
    expect(planRelease(root, next).problems).toEqual([
      `deploy/helm/deepsearch-slack/Chart.yaml has 9.9.9, package.json has ${version}`,
      `Dockerfile has 0.0.1, package.json has ${version}`,
      'CHANGELOG.md: [Unreleased]: News is no kind of change',
      `CHANGELOG.md: the latest version is 0.0.9, package.json has ${version}`,
      `there is a tag v${next} already`,
      'the work tree has changes that are not committed',
      'no branch is checked out',
    ]);
  });

  it('does not go back behind a tag', () => {
    const { root, git } = createRepository();
    git('tag', 'v7.0.0');
    expect(planRelease(root, undefined).problems).toEqual(['there is a tag v7.0.0 already']);
  });
});

describe('npm run release', () => {
  const program = join(projectFolder, 'tools/release/main.ts');
  const start = (folder: string, ...parameters: string[]) =>
    run(process.execPath, ['--import', import.meta.resolve('tsx'), program, ...parameters], {}, folder);

  it('with --dry-run says what it would do, and changes nothing', async () => {
    const { folder, git } = createRepository();
    const { output, ended } = start(folder, '--dry-run');
    expect(await ended).toBe(0);
    expect(output()).toContain(`This would release ${followed('minor')} after ${version}`);
    expect(output()).toContain(`the tag v${followed('minor')}\nNothing is pushed.`);
    expect([git('status', '--porcelain'), git('tag'), git('log', '--format=%s')]).toEqual(['', '', 'Begin']);
  });

  it('makes the commit and the tag, and leaves the remote as it is', async () => {
    const { folder, git } = createRepository();
    const remote = join(folder, '../', `${folder.split('/').at(-1)}-remote.git`);
    folders.push(remote);
    execFileSync('git', ['init', '--quiet', '--bare', remote]);
    git('remote', 'add', 'origin', remote);
    const { output, ended } = start(folder, '5.0.0');
    expect(await ended).toBe(0);
    expect(output()).toContain('To publish it: git push origin HEAD v5.0.0');
    expect([git('tag'), git('log', '-1', '--format=%s')]).toEqual(['v5.0.0', 'Release 5.0.0']);
    expect(git('ls-remote', 'origin')).toBe('');
  });

  it('ends with 1 if something speaks against it, and with 2 for wrong arguments', async () => {
    const { folder, git, write } = createRepository();
    write('new.txt', 'not committed');
    const refused = start(folder);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('  - the work tree has changes that are not committed');
    const wrong = start(folder, '--push');
    expect(await wrong.ended).toBe(2);
    expect(wrong.output()).toContain('Usage: npm run release');
    expect(git('tag')).toBe('');
  });
});
