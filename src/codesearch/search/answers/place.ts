import { directoryPath } from '../../addresses.ts';
import { escapeRegExp } from '../../escape.ts';
import type { IndexedFile } from '../../index/file-index.ts';
import { docComment, fileComment, firstSentence } from '../blocks.ts';
import { byUsefulness, type Investigation } from '../investigation.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { bulletsUpTo, code, count, endSentence, fence, fileLink, joinWords, link, prose } from './markdown.ts';
import { sectionText } from './statement.ts';

const MOST_LISTED = 20;

/** Answers "what is in <file or folder>?". */
export async function describePlace(findings: Findings): Promise<Draft> {
  const [file] = findings.targets.files;
  const [directory] = findings.targets.directories;
  if (file !== undefined) return describeFile(file, findings.investigation);
  if (directory !== undefined) return describeDirectory(directory, findings.investigation);
  throw new Error('describePlace was called without a place');
}

async function describeFile(file: IndexedFile, investigation: Investigation): Promise<Draft> {
  await investigation.step(`Reading ${file.path}`);
  const lines = await investigation.lines(file);
  const isDocument = file.role === 'docs';
  const description = isDocument ? sectionText(file, lines, 0) : fileComment(lines);
  const members = file.symbols.filter(({ indent, kind }) => (isDocument ? kind === 'heading' : indent <= 4));
  const top = members.filter(({ indent }) => indent === 0);
  const listed = top.length > 0 ? top : members;
  const shown = listed.slice(0, MOST_LISTED);
  const items = shown.map((symbol) => {
    if (isDocument) return `${fileLink(file, symbol.line)} ${prose(symbol.name)}`;
    const meaning = prose(firstSentence(docComment(lines, symbol.line), 160));
    return `${code(symbol.name)} (${fileLink(file, symbol.line, symbol.end)})${meaning === '' ? '' : `: ${meaning}`}`;
  });
  const what = isDocument ? 'section' : 'definition';
  const sections = [
    `${fileLink(file)} has ${count(file.lineCount, 'line')}${shown.length === 0 ? '' : ` and ${count(listed.length, what)}`}.${description === '' ? '' : ` ${endSentence(prose(firstSentence(description, 320)))}`}`,
  ];
  if (items.length > 0) sections.push(bulletsUpTo(MOST_LISTED, items, listed.length));
  else if (lines.length > 0) sections.push(fence(lines.slice(0, 20), file.path));
  const importers = isDocument ? [] : await importersOf(file, investigation);
  if (importers.length > 0) {
    const named = importers.slice(0, 5).map((other) => fileLink(other));
    sections.push(
      `**Imported by** ${count(importers.length, 'file')}: ${joinWords(named)}${importers.length > 5 ? ' …' : ''}.`,
    );
  }
  const size = (symbol: (typeof shown)[number]): number => symbol.end - symbol.line;
  const main = [...shown].sort((a, b) => size(b) - size(a))[0];
  const name = main === undefined || isDocument ? undefined : main.name;
  return {
    title: `What is in ${file.path}`,
    sections,
    sources: [fileSource(file), ...importers.slice(0, 5).map((other) => fileSource(other))],
    followUps: [
      ...(name === undefined ? [] : [`How does \`${name}\` work?`, `Where is \`${name}\` used?`]),
      `When was \`${file.path}\` last changed?`,
      `Who wrote \`${file.path}\`?`,
      `Which tests cover \`${file.path}\`?`,
    ],
    symbols: name === undefined ? [] : [name],
    files: [file, ...importers],
  };
}

/** Files with an import line that names this file; matched by name only. */
async function importersOf(file: IndexedFile, investigation: Investigation): Promise<IndexedFile[]> {
  const parts = file.path.replace(/\.[^./]+$/, '').split('/');
  const last = parts.at(-1) ?? '';
  const name = /^(?:index|__init__|mod|main|lib)$/.test(last) ? (parts.at(-2) ?? '') : last;
  const [longest] = name.split(/[^\p{L}\p{N}_]+/u).sort((a, b) => b.length - a.length);
  if (longest === undefined || longest.length < 2) return [];
  const pattern = new RegExp(`(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`);
  const others = investigation.corpus.index
    .findName(longest)
    .filter((other) => other !== file && other.repository === file.repository && other.importLines.size > 0);
  const importers: IndexedFile[] = [];
  for await (const [other, lines] of investigation.linesOfAll(others.sort(byUsefulness))) {
    if ([...other.importLines].some((line) => pattern.test(lines[line - 1] ?? ''))) importers.push(other);
  }
  return importers;
}

async function describeDirectory(
  { repository, path, files }: Findings['targets']['directories'][number],
  investigation: Investigation,
): Promise<Draft> {
  await investigation.step(`Reading ${path}/`);
  const sorted = [...files].sort((a, b) => byUsefulness(a, b));
  const items: string[] = [];
  await investigation.preload(sorted.slice(0, MOST_LISTED));
  for (const file of sorted.slice(0, MOST_LISTED)) {
    const lines = await investigation.lines(file);
    const main = file.symbols.find(({ exported, kind }) => exported && kind !== 'heading') ?? file.symbols[0];
    const description =
      file.role === 'docs'
        ? sectionText(file, lines, 0)
        : fileComment(lines) || (main === undefined ? '' : docComment(lines, main.line));
    const names = file.symbols
      .filter(({ exported, indent }) => exported && indent === 0)
      .slice(0, 3)
      .map(({ name }) => code(name));
    const meaning = prose(firstSentence(description, 140));
    items.push(`${fileLink(file)}${meaning !== '' ? `: ${meaning}` : names.length > 0 ? `: ${joinWords(names)}` : ''}`);
  }
  const [first, second] = sorted;
  const lines = sorted.reduce((sum, { lineCount }) => sum + lineCount, 0);
  const size = sorted.every(({ isRead }) => isRead) ? ` with ${count(lines, 'line')}` : '';
  return {
    title: `What is in ${path}/`,
    sections: [
      `${link(`${path}/`, directoryPath(repository, path))} has ${count(files.length, 'file')}${size}.`,
      bulletsUpTo(MOST_LISTED, items, sorted.length),
    ],
    sources: sorted.slice(0, 10).map((file) => fileSource(file)),
    followUps: [
      ...[first, second].flatMap((file) => {
        const main = file?.symbols.find(({ exported, kind }) => exported && kind !== 'heading');
        return main === undefined ? [] : [`How does \`${main.name}\` work?`];
      }),
      `Who wrote \`${path}/\`?`,
      `When was \`${path}/\` last changed?`,
    ],
    symbols: [],
    files: sorted,
  };
}
