import { directoryPath, repositoryPath } from '../../addresses.ts';
import { languageOfFile } from '../../git/languages.ts';
import { groupBy } from '../../group-by.ts';
import type { IndexedFile } from '../../index/file-index.ts';
import { firstSentence } from '../blocks.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { byUsefulness, type Investigation } from '../investigation.ts';
import { code, count, endSentence, joinWords, link, prose } from '../markdown.ts';
import { paragraphsOf } from '../statement.ts';

const MOST_FOLDERS = 5;
const README_LINES = 200;
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
  const paragraph = readme === undefined ? '' : firstParagraph(readme, await investigation.lines(readme));
  const said = (await manifestDescription(files, investigation)) || firstSentence(paragraph, 240);
  return {
    title: `What ${name.split('/').at(-1) ?? 'this'} is`,
    sentence: `${link(name, repositoryPath(name))}${said === '' ? '' : `: ${endSentence(said)}`} It has ${count(files.length, 'file')}${languages(files)}.`,
    pointers: [...(readme === undefined ? [] : [pointTo(readme, 'begin here')]), ...layout(files)],
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

/** The first paragraph of a README; skips badges and lines about sponsors. */
function firstParagraph(file: IndexedFile, lines: readonly string[]): string {
  const paragraphs = paragraphsOf({ file, start: 1, end: Math.min(lines.length, README_LINES) }, lines);
  return (
    paragraphs
      .map(({ text }) => prose(text))
      .find((text) => text.length > 50 && !/\bsponsor|\bsupported by\b/i.test(text)) ?? ''
  );
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

/** The main folders, and the second level of source folders, each with its best files. */
function layout(files: readonly IndexedFile[]): Draft['pointers'] {
  const within = files.filter(({ path, role }) => path.includes('/') && !['vendored', 'config', 'test'].includes(role));
  const folders = groupBy(within, ({ path }) => {
    const [first = '', ...rest] = path.split('/');
    return SOURCE_FOLDERS.has(first) && rest.length > 1 ? `${first}/${rest[0]}` : first;
  });
  const sorted = [...folders].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  return sorted.slice(0, MOST_FOLDERS).map(([folder, own]) => {
    const best = own.toSorted(byUsefulness).slice(0, 3);
    const address = directoryPath(own[0]?.repository ?? '', folder);
    return {
      line: `${link(`${folder}/`, address)}: ${joinWords(best.map(({ path }) => code(path.split('/').at(-1) ?? path)))}${own.length > 3 ? ' …' : ''}`,
      source: { type: 'File', link: address, label: `${folder}/` } as const,
    };
  });
}
