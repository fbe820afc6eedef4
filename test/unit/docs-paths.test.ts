import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';

/** What other pages can link to on a page, and what the page links to. Code blocks and code spans hold no links. */
interface MarkdownPage {
  /** Addresses of links and images, as written. */
  links: string[];
  /** Anchors of headings as GitHub creates them, and those that the page sets itself (`<a id="…">`). */
  anchors: string[];
  /** The texts of code spans. */
  codeSpans: string[];
}

function readMarkdown(markdown: string): MarkdownPage {
  const page: MarkdownPage = { links: [], anchors: [], codeSpans: [] };
  const headings = new Map<string, number>();
  const visit = (node: Nodes): void => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') page.links.push(node.url);
    if (node.type === 'inlineCode') page.codeSpans.push(node.value);
    if (node.type === 'heading') page.anchors.push(numbered(slug(textOf(node)), headings));
    if (node.type === 'html') {
      page.links.push(...attributes(node.value, 'href'), ...attributes(node.value, 'src'));
      page.anchors.push(...attributes(node.value, 'id'));
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return page;
}

/** The anchor that GitHub gives a heading: letters, digits, `_` and `-` stay, in lower case, and spaces become `-`. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The second heading with the same anchor gets `-1`, the third `-2`. */
function numbered(anchor: string, headings: Map<string, number>): string {
  const earlier = headings.get(anchor);
  headings.set(anchor, (earlier ?? 0) + 1);
  return earlier === undefined ? anchor : `${anchor}-${earlier}`;
}

function textOf(node: Nodes): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
}

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
