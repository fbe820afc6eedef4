import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { directoryPath, repositoryPath } from '../../addresses.ts';
import { languageOfFile } from '../../git/languages.ts';
import { groupBy } from '../../group-by.ts';
import type { IndexedFile } from '../../index/file-index.ts';
import { LIMITS } from '../../limits.ts';
import { fileComment, firstSentence } from '../blocks.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { byUsefulness, type Investigation } from '../investigation.ts';
import { code, count, endSentence, joinWords, link, prose } from '../markdown.ts';

const MOST_FOLDERS = 5;
/** Folders whose own folders are the parts of a program. */
const SOURCE_FOLDERS = new Set('src lib source packages pkg internal cmd app apps crates'.split(' '));
const MANIFESTS = ['package.json', 'pyproject.toml', 'Cargo.toml', 'setup.cfg', 'composer.json', 'mix.exs'];

/** "What is this repository": what it says of itself, its languages and its folders. */
export async function about({ question, investigation }: Asked): Promise<Draft | undefined> {
  const { repositories, index } = investigation.corpus;
  const asked = question.text.toLowerCase();
  const repository =
    repositories.find(({ name }) => asked.includes(name.split('/').at(-1)?.toLowerCase() ?? name)) ?? repositories[0];
  if (repository === undefined) return undefined;
  const { name } = repository;
  await investigation.step(`Reading the README and the layout of ${name}`);
  const files = [...index.all()].filter((file) => file.repository === name);
  const others = repositories.filter((other) => other !== repository).map((other) => prose(other.name));
  const [readme] = files
    .filter(({ path }) => /^(?:\.github\/|docs\/)?readme(\.[a-z]+)?$/i.test(path))
    .sort((a, b) => a.path.length - b.path.length);
  const paragraph = readme === undefined ? '' : (readmeParagraph(await investigation.lines(readme)) ?? '');
  const said = (await manifestDescription(files, investigation)) || prose(firstSentence(paragraph, 240));
  const folders = await layout(files, investigation);
  return {
    title: `What ${name.split('/').at(-1) ?? 'this'} is`,
    sentence: `${link(name, repositoryPath(name))}${said === '' ? '' : `: ${endSentence(said)}`} It has ${count(files.length, 'file')}${languages(files)}.`,
    pointers: [...(readme === undefined ? [] : [pointTo(readme, 'begin here')]), ...folders],
    ...(others.length === 0 ? {} : { footnote: `There are also ${joinWords(others.slice(0, 10))}.` }),
    followUps: ['How do I run the tests?', 'What changed recently?'],
    symbols: [],
    files: readme === undefined ? [] : [readme],
  };
}

async function manifestDescription(files: readonly IndexedFile[], investigation: Investigation): Promise<string> {
  const manifest = MANIFESTS.map((name) => files.find(({ path }) => path === name)).find((file) => file !== undefined);
  if (manifest === undefined) return '';
  const text = (await investigation.lines(manifest)).join('\n');
  return prose(/(?:^|[{,])[ \t]*"?description"?[ \t]*[:=][ \t]*"?([^"\n]+)/m.exec(text)?.[1] ?? '');
}

/** The first paragraph of plain text in a README; skips HTML, lists, badges and lines about sponsors. */
function readmeParagraph(lines: readonly string[]): string | undefined {
  const source = lines.slice(0, 200).join('\n').slice(0, LIMITS.markdownInlineCharacters);
  const paragraphs = (nodes: readonly RootContent[]): string[] =>
    nodes.flatMap((node) => {
      if (node.type === 'blockquote') return paragraphs(node.children);
      if (node.type !== 'paragraph' || node.children.some(({ type }) => /^(?:html|image)/.test(type))) return [];
      const text = source
        .slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0)
        .replace(/^>\s?/gm, '');
      const isProse = text.length > 50 && node.children.some(({ type }) => type === 'text');
      return isProse && !/^\[[^\]]*\]\([^)]*\)$|!\[|\bsponsor|\bsupported by\b/i.test(text) ? [text] : [];
    });
  return paragraphs(fromMarkdown(source).children)[0];
}

function languages(files: readonly IndexedFile[]): string {
  const own = files.flatMap(({ path, role }) => {
    const language = languageOfFile(path);
    return language?.isCode === true && role !== 'vendored' ? [language.name] : [];
  });
  const most = [...groupBy(own, (language) => language)]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, 3);
  return most.length === 0 ? '' : `, mostly ${joinWords(most.map(([name, { length }]) => `${name} (${length})`))}`;
}

/** The main folders, and the second level of source folders, each with the first comment of its main file or its best files. */
async function layout(files: readonly IndexedFile[], investigation: Investigation): Promise<Draft['pointers']> {
  const within = files.filter(({ path, role }) => path.includes('/') && role !== 'vendored' && role !== 'config');
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
      const repository = own[0]?.repository ?? '';
      const address = directoryPath(repository, folder);
      return {
        line: `${link(`${folder}/`, address)} (${count(own.length, 'file')}): ${await folderSummary(own, investigation)}`,
        source: { type: 'File', link: address, label: `${folder}/` } as const,
      };
    }),
  );
}

async function folderSummary(files: readonly IndexedFile[], investigation: Investigation): Promise<string> {
  const lead = files.find(({ path }) => /(?:^|\/)(?:index|main|mod|lib|__init__|doc)\.[a-z]+$/.test(path));
  const comment = lead === undefined ? '' : prose(firstSentence(fileComment(await investigation.lines(lead)), 100));
  const names = files
    .toSorted(byUsefulness)
    .slice(0, 3)
    .map(({ path }) => code(path.split('/').at(-1) ?? path));
  return comment !== '' ? comment : `${joinWords(names)}${files.length > 3 ? ' …' : ''}`;
}
