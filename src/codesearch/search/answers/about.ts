import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Repository } from '../../git/repository.ts';
import { directoryPath, repositoryPath } from '../addresses.ts';
import { fileComment, firstSentence } from '../blocks.ts';
import type { IndexedFile } from '../file-index.ts';
import { byUsefulness } from '../investigation.ts';
import { languageOf } from '../roles.ts';
import { type Draft, type Findings, fileSource, repositorySource } from './draft.ts';
import { bullets, code, count, fileLink, joinWords, link, prose } from './markdown.ts';

const LANGUAGE_NAMES: Record<string, string> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  python: 'Python',
  go: 'Go',
  rust: 'Rust',
  java: 'Java',
  kotlin: 'Kotlin',
  csharp: 'C#',
  cpp: 'C++',
  c: 'C',
  ruby: 'Ruby',
  php: 'PHP',
  swift: 'Swift',
  sh: 'shell',
  elixir: 'Elixir',
  lua: 'Lua',
}; // prettier-ignore

/** Answers "what is this repository": the start of its README, its folders, its languages, its last changes. */
export async function overview({ investigation, question }: Findings): Promise<Draft> {
  const { corpus } = investigation;
  const draft: Draft = { title: '', sections: [], sources: [], followUps: [], symbols: [], files: [] };
  const named = corpus.repositories.filter(({ name }) =>
    question.text.toLowerCase().includes(name.split('/').at(-1)?.toLowerCase() ?? name),
  );
  const chosen = (named.length > 0 ? named : corpus.repositories).slice(0, 4);
  await investigation.step(`Reading the README and the layout of ${joinWords(chosen.map(({ name }) => name))}`);
  for (const repository of chosen) await addRepository(repository, draft, { investigation });
  draft.title =
    chosen.length === 1 ? `What ${chosen[0]?.name.split('/').at(-1) ?? 'this'} is` : 'What these repositories are';
  draft.followUps.push('What changed recently?', 'What settings are there?');
  return draft;
}

async function addRepository(
  { name }: Repository,
  draft: Draft,
  { investigation }: Pick<Findings, 'investigation'>,
): Promise<void> {
  const { corpus } = investigation;
  const files = [...corpus.index.all()].filter((file) => file.repository === name);
  const short = link(name, repositoryPath(name));
  draft.sources.push(repositorySource(name));
  if (files.length === 0) {
    draft.sections.push(`${short} has no files in git yet.`);
    return;
  }
  const readme = files
    .filter(({ path }) => /^(?:\.github\/|docs\/)?readme(\.[a-z]+)?$/i.test(path))
    .sort((a, b) => a.path.length - b.path.length)[0];
  const lines = readme === undefined ? [] : await investigation.lines(readme);
  const description =
    (await manifestDescription(files, investigation)) || prose(firstSentence(readmeParagraphs(lines)[0] ?? '', 300));
  draft.sections.push(
    `${short}${description === '' ? ` has no description` : `: ${description}`}${/[.!?]$/.test(description) ? '' : '.'} It has ${count(files.length, 'file')}, ${languages(files)}.`,
  );
  const paragraphs = readmeParagraphs(lines).filter((text) => prose(text) !== description);
  if (readme !== undefined) {
    draft.sources.push(fileSource(readme));
    draft.files.push(readme);
    if (paragraphs.length > 0)
      draft.sections.push(
        paragraphs.map((text) => `> ${prose(firstSentence(text, 400))}`).join('\n>\n'),
        `That is from ${fileLink(readme)}.`,
      );
  }
  const folders = await layout(files, investigation);
  if (folders.length > 0) draft.sections.push(`**Layout**\n\n${bullets(folders)}`);
  const entry = entryPoints(files);
  if (entry.length > 0)
    draft.sections.push(`**Where to start reading**: ${joinWords(entry.map((file) => fileLink(file)))}.`);
  draft.sources.push(...entry.map((file) => fileSource(file)));
  draft.files.push(...entry);
  const main = entry.flatMap(({ symbols }) => symbols).find(({ exported, kind }) => exported && kind !== 'heading');
  if (main !== undefined) draft.followUps.push(`How does \`${main.name}\` work?`);
}

async function manifestDescription(
  files: readonly IndexedFile[],
  investigation: Findings['investigation'],
): Promise<string> {
  const manifest = ['package.json', 'pyproject.toml', 'Cargo.toml', 'setup.cfg', 'composer.json']
    .map((path) => files.find((file) => file.path === path))
    .find((file) => file !== undefined);
  if (manifest === undefined) return '';
  const text = (await investigation.lines(manifest)).join('\n');
  return prose(/(?:^|[{,])[ \t]*"?description"?[ \t]*[:=][ \t]*"?([^"\n]+)/m.exec(text)?.[1] ?? '');
}

/** The first two paragraphs of plain text in a README; skips HTML, lists, badges and lines about sponsors. */
function readmeParagraphs(lines: readonly string[]): string[] {
  const source = lines.slice(0, 200).join('\n').slice(0, 20_000);
  const found: string[] = [];
  const walk = (nodes: readonly RootContent[]): void => {
    for (const node of nodes) {
      if (node.type === 'blockquote') walk(node.children);
      if (node.type !== 'paragraph') continue;
      const isPlain = node.children.every(({ type }) => !['html', 'image', 'imageReference'].includes(type));
      const words = node.children.filter(({ type }) => type === 'text').length;
      const text = source
        .slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0)
        .replace(/^>\s?/gm, '');
      if (
        isPlain &&
        words > 0 &&
        text.length > 50 &&
        !/^\[[^\]]*\]\([^)]*\)$/.test(text) &&
        !/!\[|\bsponsor|\bsupported by\b/i.test(text)
      )
        found.push(text);
    }
  };
  walk(fromMarkdown(source).children);
  return found.slice(0, 2);
}

function languages(files: readonly IndexedFile[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const name = LANGUAGE_NAMES[languageOf(file.path)];
    if (name !== undefined && file.role !== 'vendored') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const top = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  return top.length === 0
    ? 'none of them code in a language known here'
    : `mostly ${joinWords(top.map(([name, amount]) => `${name} (${amount})`))}`;
}

/** The main folders, and the second level of source folders, each with a short description. */
async function layout(files: readonly IndexedFile[], investigation: Findings['investigation']): Promise<string[]> {
  const folders = new Map<string, IndexedFile[]>();
  for (const file of files) {
    const parts = file.path.split('/');
    if (parts.length < 2 || file.role === 'vendored') continue;
    const deep =
      ['src', 'lib', 'source', 'packages', 'pkg', 'internal', 'cmd', 'app', 'apps', 'crates'].includes(
        parts[0] ?? '',
      ) && parts.length > 2;
    const folder = parts.slice(0, deep ? 2 : 1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const isTest = (own: readonly IndexedFile[]): number =>
    Number(own.filter(({ role }) => role === 'test').length * 2 > own.length);
  const sorted = [...folders]
    .sort((a, b) => isTest(a[1]) - isTest(b[1]) || b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, 14);
  return Promise.all(
    sorted.map(async ([folder, own]) => {
      const repository = own[0]?.repository ?? '';
      return `${link(`${folder}/`, directoryPath(repository, folder))} (${count(own.length, 'file')})${await folderSummary(own, investigation)}`;
    }),
  );
}

/** Describes a folder: the first comment of its index or main file, or else the names of its most useful files. */
async function folderSummary(files: readonly IndexedFile[], investigation: Findings['investigation']): Promise<string> {
  const lead = files.find(({ path }) => /(?:^|\/)(?:index|main|mod|lib|__init__|doc)\.[a-z]+$/.test(path));
  const comment = lead === undefined ? '' : prose(firstSentence(fileComment(await investigation.lines(lead)), 140));
  if (comment !== '') return `: ${comment}`;
  const names = [...files]
    .sort((a, b) => byUsefulness(a, b))
    .slice(0, 3)
    .map(({ path }) => code(path.split('/').at(-1) ?? path));
  return `: ${joinWords(names)}${files.length > 3 ? ' …' : ''}`;
}

function entryPoints(files: readonly IndexedFile[]): IndexedFile[] {
  const pattern =
    /^(?:(?:src|lib|source|cmd\/[^/]+|app|bin)\/)?(?:main|index|app|server|cli|mod|lib|__main__|__init__)\.[a-z]+$/;
  return files
    .filter(({ path, role }) => role === 'source' && pattern.test(path))
    .sort((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, 3);
}
