import { readFileSync, writeFileSync } from 'node:fs';

/** Where the version stands: each match of the pattern has it between its first and its second group. */
const places: { path: string; pattern: RegExp; times: number }[] = [
  { path: 'package.json', pattern: /^( {2}"version": ")[^"]*(")/m, times: 1 },
  { path: 'src/codesearch/package.json', pattern: /^( {2}"version": ")[^"]*(")/m, times: 1 },
  // Of the project, and of its and its workspace's entries among the packages.
  {
    path: 'package-lock.json',
    pattern: /^((?: {2}| {4}"(?:src\/codesearch)?": \{\n {6}"name": "[^"]*",\n {6})"version": ")[^"]*(")/m,
    times: 3,
  },
  { path: 'deploy/helm/deepsearch-slack/Chart.yaml', pattern: /^((?:appVersion: "|version: ))[\d.]+("?)$/m, times: 2 },
  // The tags of the images: without one in the values, the chart takes its own version.
  {
    path: 'docs/install-kubernetes.md',
    pattern: /^(docker .*registry\.example\.com\/deepsearch-\w+:)[\d.]+()/m,
    times: 4,
  },
  { path: 'Dockerfile', pattern: /^(ARG VERSION=)\S*()$/m, times: 1 },
];

/** The files that have the version. */
export const versionedFiles = places.map(({ path }) => path);

/** Each place of the version with what stands there. `root` ends with a slash. */
export function readVersions(root: URL): { path: string; version: string }[] {
  return places.flatMap(({ path, pattern, times }) => {
    const found = [...readFileSync(new URL(path, root), 'utf8').matchAll(everywhere(pattern))];
    const versions = found.map(([whole, before = '', after = '']) =>
      whole.slice(before.length, whole.length - after.length),
    );
    return Array.from({ length: times }, (_, index) => ({ path, version: versions[index] ?? 'none' }));
  });
}

export function writeVersions(root: URL, version: string): void {
  for (const { path, pattern } of places) {
    const file = new URL(path, root);
    writeFileSync(file, readFileSync(file, 'utf8').replace(everywhere(pattern), `$1${version}$2`));
  }
}

function everywhere(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, 'gm');
}
