import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeGenerated } from '../helm/write-manifests.ts';
import { compareVersions, nextVersion, readChangelog, releaseChangelog } from './changelog.ts';
import { readVersions, versionedFiles, writeVersions } from './versions.ts';

const changelogPath = 'CHANGELOG.md';
const generatedPaths = ['deploy/kubernetes', 'deploy/helm/deepsearch-slack/values.schema.json'];

interface Plan {
  current: string;
  version: string;
  tag: string;
  /** What is new, for the message of the tag. */
  notes: string;
  problems: string[];
}

/** Finds the version to release and everything that speaks against it. Changes nothing. `root` ends with a slash. */
export function planRelease(root: URL, wanted: string | undefined): Plan {
  const problems: string[] = [];
  const versions = readVersions(root);
  const current = versions[0]?.version ?? '';
  if (!isVersion(current)) problems.push(`package.json: ${current} is no version of three numbers`);
  const others = versions.filter(({ version }) => version !== current);
  problems.push(...others.map(({ path, version }) => `${path} has ${version}, package.json has ${current}`));

  const changelog = readChangelog(readFileSync(new URL(changelogPath, root), 'utf8'));
  problems.push(...changelog.problems.map((problem) => `${changelogPath}: ${problem}`));
  const [unreleased, latest] = changelog.releases;
  if ((unreleased?.kinds.length ?? 0) === 0) problems.push(`${changelogPath}: nothing is unreleased`);
  if (latest !== undefined && latest.name !== current) {
    problems.push(`${changelogPath}: the latest version is ${latest.name}, package.json has ${current}`);
  }

  const version = wanted ?? nextVersion(current, unreleased?.kinds ?? []);
  if (!isVersion(version)) problems.push(`${version} is no version of three numbers`);
  else if (compareVersions(version, current) <= 0) problems.push(`${version} does not follow ${current}`);
  const tag = `v${version}`;
  const tags = git(root, 'tag', '--list', 'v*')
    .split('\n')
    .filter((each) => isVersion(each.slice(1)));
  const later = tags.filter((each) => compareVersions(each.slice(1), version) >= 0);
  problems.push(...later.map((each) => `there is a tag ${each} already`));
  if (git(root, 'status', '--porcelain') !== '') problems.push('the work tree has changes that are not committed');
  if (git(root, 'branch', '--show-current') === '') problems.push('no branch is checked out');
  return { current, version, tag, notes: unreleased?.text ?? '', problems };
}

/** Writes the version, makes the commit and the tag, and pushes nothing. `date` is the day, as in 2026-11-30. */
export function release(root: URL, { version, tag, notes }: Plan, date: string): void {
  const changelog = new URL(changelogPath, root);
  writeVersions(root, version);
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, date));
  // The manifests name the version of the chart.
  writeGenerated(root);
  git(root, 'add', '--', ...changedPaths);
  git(root, 'commit', '--quiet', '--message', `Release ${version}`);
  // The headings of the notes begin with #, which git would take for comments.
  git(root, 'tag', '--annotate', '--cleanup=whitespace', '--message', `${version}\n\n${notes}`, tag);
}

/** What a release changes. */
export const changedPaths = [...versionedFiles, changelogPath, ...generatedPaths];

function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(text);
}

function git(root: URL, ...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: fileURLToPath(root), encoding: 'utf8' }).trim();
}
