import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MarkdownPage, readMarkdown, slug } from '../support/docs/markdown-page.ts';

const root = new URL('../../', import.meta.url);
const exists = (path: string): boolean => existsSync(new URL(path, root));
const isFolder = (path: string): boolean => statSync(new URL(path, root)).isDirectory();
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

function filesUnder(folder: string): string[] {
  if (!exists(folder)) return [];
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`);
}

const pages = new Map<string, MarkdownPage>(
  [
    ...readdirSync(root),
    ...['docs', 'deploy', '.github', 'tools', 'test/contract'].flatMap(filesUnder),
    // The pages in test/fixtures are what services answer, not documents.
  ]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readMarkdown(read(path))]),
);

/** What a link leads to in this repository, as a path from its root, and the anchor there. Undefined: another site. */
function targetOf(page: string, link: string): { path: string; anchor: string } | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined;
  const [written = '', anchor = ''] = decodeURI(link).split('#');
  return { path: written === '' ? page : posix.join(posix.dirname(page), written).replace(/\/$/, ''), anchor };
}

function isBroken(page: string, link: string): boolean {
  const target = targetOf(page, link);
  if (target === undefined) return false;
  const { path, anchor } = target;
  if (path.startsWith('..') || !exists(path)) return true;
  if (anchor === '') return false;
  const lines = /^L(\d+)(?:-L(\d+))?$/.exec(anchor);
  if (lines !== null) return Number(lines[2] ?? lines[1]) > read(path).split('\n').length;
  return pages.get(path)?.anchors.includes(anchor) !== true;
}

it.each([...pages])('%s links only to files, folders, pictures and headings that exist', (page, { links }) => {
  expect(links.filter((link) => isBroken(page, link))).toEqual([]);
});

// Records of decisions and the changelog describe what was; all other pages describe the project as it is.
const ofToday = [...pages].filter(([page]) => !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md');

it.each(ofToday)('%s names only files that exist', (_, { codeSpans }) => {
  const named = codeSpans.filter((text) => /^(?:src|test|tools|docs|deploy)\/[\w./-]+$/.test(text));
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

it('docs/design.md says in which file a name stands', () => {
  const places = [...read('docs/design.md').matchAll(/`(\w+)` in `(src\/[\w./-]+\.ts)`/g)];
  expect(places.length).toBeGreaterThan(5);
  expect(places.filter(([, name = '', path = '']) => !read(path).includes(name)).map(([text]) => text)).toEqual([]);
});

it('docs/design.md names every file on the way of a question as it is', () => {
  const [, way = ''] = read('docs/design.md').split('<!-- way -->');
  const files = [...way.matchAll(/^- `(src[\w/-]*)`: (.*)$/gm)].flatMap(([, folder = '', names = '']) =>
    names.split(', ').map((name) => `${folder}/${name}.ts`),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((path) => !exists(path))).toEqual([]);
});

describe('the documents', () => {
  it('can all be reached from the README by links', () => {
    const reached = new Set<string>(['README.md']);
    // A set visits what is added meanwhile. GitHub lists the files of a folder that a link leads to.
    for (const page of reached) {
      for (const link of pages.get(page)?.links ?? []) {
        const target = targetOf(page, link);
        if (target === undefined || !exists(target.path)) continue;
        const { path } = target;
        for (const found of isFolder(path) ? filesUnder(path) : [path]) reached.add(found);
      }
    }
    expect([...pages.keys()].filter((page) => !reached.has(page))).toEqual([]);
    expect(filesUnder('docs/images').filter((picture) => !reached.has(picture))).toEqual([]);
  });

  it('begin with a README of at most 120 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('exist where the programs and the files of a deployment name them', () => {
    const files = ['src', 'deploy', '.ci']
      .flatMap(filesUnder)
      .concat('manifest.yml', 'compose.yaml', 'Dockerfile', 'package.json')
      .filter((path) => !isFolder(path));
    const named = files.flatMap((path) =>
      [...read(path).matchAll(/(?<![\w./-])docs\/[\w/-]+\.(?:md|yaml|json)(?:#[\w-]+)?/g)].map(([link]) => link),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((link) => isBroken('README.md', link))).toEqual([]);
  });
});

describe('slug', () => {
  it.each([
    ['One copy, without Redis', 'one-copy-without-redis'],
    ["Which generation of the service's API", 'which-generation-of-the-services-api'],
    ['`/deepsearch` doesn’t answer: `dispatch_failed`', 'deepsearch-doesnt-answer-dispatch_failed'],
    ['Größe – in MB', 'größe--in-mb'],
  ])('of "%s" is what GitHub makes of it', (heading, anchor) => {
    expect(slug(heading.replaceAll('`', ''))).toBe(anchor);
    expect(readMarkdown(`# ${heading}\n\n## ${heading}\n`).anchors).toEqual([anchor, `${anchor}-1`]);
  });
});
