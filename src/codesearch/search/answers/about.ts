import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { directoryPath, repositoryPath } from '../../addresses.ts';
import { languageOfFile } from '../../git/languages.ts';
import type { Repository } from '../../git/repository.ts';
import { groupBy } from '../../group-by.ts';
import type { IndexedFile } from '../../index/file-index.ts';
import { LIMITS } from '../../limits.ts';
import { fileComment, firstSentence } from '../blocks.ts';
import { byUsefulness, type Investigation } from '../investigation.ts';
import { type Draft, emptyDraft, type Findings, fileSource, repositorySource } from './draft.ts';
import { bullets, code, count, endSentence, fileLink, joinWords, link, prose } from './markdown.ts';

const MOST_REPOSITORIES = 4;
const MOST_FOLDERS = 14;
/** Folders whose own folders are the parts of a program. */
const SOURCE_FOLDERS = new Set('src lib source packages pkg internal cmd app apps crates'.split(' '));
const ENTRY =
  /^(?:(?:src|lib|source|cmd\/[^/]+|app|bin)\/)?(?:main|index|app|server|cli|mod|lib|__main__|__init__)\.[a-z]+$/;

/** Answers "what is this repository": the start of its README, its folders, its languages. */
export async function overview({ investigation, question }: Findings): Promise<Draft> {
  const { corpus } = investigation;
  const draft = emptyDraft('');
  const asked = question.text.toLowerCase();
  const named = corpus.repositories.filter(({ name }) => asked.includes(name.split('/').at(-1)?.toLowerCase() ?? name));
  const chosen = (named.length > 0 ? named : corpus.repositories).slice(0, MOST_REPOSITORIES);
  await investigation.step(`Reading the README and the layout of ${joinWords(chosen.map(({ name }) => name))}`);
  for (const repository of chosen) await addRepository(repository, draft, investigation);
  const [only, second] = chosen;
  draft.title =
    second === undefined ? `What ${only?.name.split('/').at(-1) ?? 'this'} is` : 'What these repositories are';
  draft.followUps.push('What changed recently?', 'What settings are there?');
  return draft;
}

async function addRepository({ name }: Repository, draft: Draft, investigation: Investigation): Promise<void> {
  const files = [...investigation.corpus.index.all()].filter((file) => file.repository === name);
  const short = link(name, repositoryPath(name));
  draft.sources.push(repositorySource(name));
  if (files.length === 0) {
    draft.sections.push(`${short} has no files in git yet.`);
    return;
  }
  const [readme] = files
    .filter(({ path }) => /^(?:\.github\/|docs\/)?readme(\.[a-z]+)?$/i.test(path))
    .sort((a, b) => a.path.length - b.path.length);
  const paragraphs = readme === undefined ? [] : readmeParagraphs(await investigation.lines(readme));
  const description =
    (await manifestDescription(files, investigation)) || prose(firstSentence(paragraphs[0] ?? '', 300));
  draft.sections.push(
    `${short}${description === '' ? ' has no description.' : `: ${endSentence(description)}`} It has ${count(files.length, 'file')}, ${languages(files)}.`,
  );
  const quoted = paragraphs.filter((text) => prose(text) !== description);
  if (readme !== undefined) {
    draft.sources.push(fileSource(readme));
    draft.files.push(readme);
    if (quoted.length > 0) {
      const lines = quoted.map((text) => `> ${prose(firstSentence(text, 400))}`).join('\n>\n');
      draft.sections.push(lines, `That is from ${fileLink(readme)}.`);
    }
  }
  const folders = await layout(files, investigation);
  if (folders.length > 0) draft.sections.push(`**Layout**\n\n${bullets(folders)}`);
  const entry = files
    .filter(({ path, role }) => role === 'source' && ENTRY.test(path))
    .sort((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, 3);
  if (entry.length > 0) {
    draft.sections.push(`**Where to start reading**: ${joinWords(entry.map((file) => fileLink(file)))}.`);
  }
  draft.sources.push(...entry.map((file) => fileSource(file)));
  draft.files.push(...entry);
  const main = entry.flatMap(({ symbols }) => symbols).find(({ exported, kind }) => exported && kind !== 'heading');
  if (main !== undefined) draft.followUps.push(`How does \`${main.name}\` work?`);
}

async function manifestDescription(files: readonly IndexedFile[], investigation: Investigation): Promise<string> {
  const names = ['package.json', 'pyproject.toml', 'Cargo.toml', 'setup.cfg', 'composer.json'];
  const manifest = names.map((name) => files.find(({ path }) => path === name)).find((file) => file !== undefined);
  if (manifest === undefined) return '';
  const text = (await investigation.lines(manifest)).join('\n');
  return prose(/(?:^|[{,])[ \t]*"?description"?[ \t]*[:=][ \t]*"?([^"\n]+)/m.exec(text)?.[1] ?? '');
}

/** The first two paragraphs of plain text in a README; skips HTML, lists, badges and lines about sponsors. */
function readmeParagraphs(lines: readonly string[]): string[] {
  const source = lines.slice(0, 200).join('\n').slice(0, LIMITS.markdownInlineCharacters);
  const paragraphs = (nodes: readonly RootContent[]): string[] =>
    nodes.flatMap((node) => {
      if (node.type === 'blockquote') return paragraphs(node.children);
      if (node.type !== 'paragraph' || node.children.some(({ type }) => /^(?:html|image)/.test(type))) return [];
      const { start, end } = node.position ?? {};
      const text = source.slice(start?.offset ?? 0, end?.offset ?? 0).replace(/^>\s?/gm, '');
      const isProse = text.length > 50 && node.children.some(({ type }) => type === 'text');
      return isProse && !/^\[[^\]]*\]\([^)]*\)$|!\[|\bsponsor|\bsupported by\b/i.test(text) ? [text] : [];
    });
  return paragraphs(fromMarkdown(source).children).slice(0, 2);
}

function languages(files: readonly IndexedFile[]): string {
  const counts = new Map<string, number>();
  for (const { path, role } of files) {
    const language = languageOfFile(path);
    if (language?.isCode !== true || role === 'vendored') continue;
    counts.set(language.name, (counts.get(language.name) ?? 0) + 1);
  }
  const most = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  if (most.length === 0) return 'none of them code in a language known here';
  return `mostly ${joinWords(most.map(([name, amount]) => `${name} (${amount})`))}`;
}

/** The main folders, and the second level of source folders, each with a short description. */
async function layout(files: readonly IndexedFile[], investigation: Investigation): Promise<string[]> {
  const within = files.filter(({ path, role }) => path.includes('/') && role !== 'vendored');
  const folders = groupBy(within, ({ path }) => {
    const [first = '', ...rest] = path.split('/');
    return SOURCE_FOLDERS.has(first) && rest.length > 1 ? `${first}/${rest[0]}` : first;
  });
  const isTest = (own: readonly IndexedFile[]): number =>
    Number(own.filter(({ role }) => role === 'test').length * 2 > own.length);
  const sorted = [...folders].sort(
    (a, b) => isTest(a[1]) - isTest(b[1]) || b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
  );
  return Promise.all(
    sorted.slice(0, MOST_FOLDERS).map(async ([folder, own]) => {
      const place = link(`${folder}/`, directoryPath(own[0]?.repository ?? '', folder));
      return `${place} (${count(own.length, 'file')}): ${await folderSummary(own, investigation)}`;
    }),
  );
}

/** The first comment of the folder's index or main file, or else the names of its most useful files. */
async function folderSummary(files: readonly IndexedFile[], investigation: Investigation): Promise<string> {
  const lead = files.find(({ path }) => /(?:^|\/)(?:index|main|mod|lib|__init__|doc)\.[a-z]+$/.test(path));
  const comment = lead === undefined ? '' : prose(firstSentence(fileComment(await investigation.lines(lead)), 140));
  const names = files
    .toSorted(byUsefulness)
    .slice(0, 3)
    .map(({ path }) => code(path.split('/').at(-1) ?? path));
  return comment !== '' ? comment : `${joinWords(names)}${files.length > 3 ? ' …' : ''}`;
}
