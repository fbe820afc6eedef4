/** The kinds of changes of Keep a Changelog 1.1.0. */
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

export interface Release {
  /** `Unreleased`, or a version. */
  name: string;
  date: string | undefined;
  /** The headings under it. */
  kinds: string[];
  /** Everything under its heading. */
  text: string;
}

/** Reads the changelog, newest first, and finds what is wrong with its form. */
export function readChangelog(text: string): { releases: Release[]; problems: string[] } {
  const problems: string[] = [];
  const [, ...sections] = text.split(/^## /m);
  const releases = sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const [, name, date] = /^\[(Unreleased|\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?$/.exec(heading) ?? [];
    if (name === undefined) problems.push(`"## ${heading}" is neither [Unreleased] nor [version] - date`);
    else if ((name === 'Unreleased') !== (date === undefined)) problems.push(`[${name}]: a version has a date`);
    if (date !== undefined && Number.isNaN(Date.parse(date))) problems.push(`[${name}]: ${date} is no date`);
    const body = lines.join('\n').trim();
    const found = [...body.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
    problems.push(
      ...found.filter((kind) => !kinds.includes(kind)).map((kind) => `[${name}]: ${kind} is no kind of change`),
    );
    if (new Set(found).size < found.length) problems.push(`[${name}]: a kind of change stands there twice`);
    for (const part of body.split(/^### .*$/m).slice(1)) {
      if (!/^- \S/m.test(part)) problems.push(`[${name}]: a kind of change has no line`);
    }
    return { name: name ?? heading, date, kinds: found, text: body };
  });
  if (releases[0]?.name !== 'Unreleased') problems.push('the first section is not [Unreleased]');
  const versions = releases.slice(1);
  for (const [index, { name, date = '' }] of versions.entries()) {
    const older = versions[index + 1];
    if (older === undefined) continue;
    if (compareVersions(name, older.name) <= 0) problems.push(`[${name}] stands above [${older.name}]`);
    if (date < (older.date ?? '')) problems.push(`[${name}] is older than [${older.name}]`);
  }
  return { releases, problems };
}

/** Gives what is unreleased a version and a date. */
export function releaseChangelog(text: string, version: string, date: string): string {
  return text.replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`);
}

/** The version that follows by Semantic Versioning. Before 1.0.0, a minor version may change anything. */
export function nextVersion(current: string, changes: readonly string[]): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(current);
  const hasNews = changes.some((kind) => !['Fixed', 'Security'].includes(kind));
  if (major > 0 && changes.includes('Removed')) return `${major + 1}.0.0`;
  return hasNews ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Positive if `left` is the later version. */
export function compareVersions(left: string, right: string): number {
  const others = numbersOf(right);
  return (
    numbersOf(left)
      .map((number, index) => number - (others[index] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  );
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
