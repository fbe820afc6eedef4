import { blockEnd } from '../blocks.ts';
import type { Usage } from '../investigation.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { endSentence } from './explain.ts';
import { bullets, code, count, fence, fileLink, joinWords, withArticle } from './markdown.ts';
import { describe, kindWord, usageLines } from './related.ts';

const MOST_FILES = 10;

/** Answers "what calls X", "where is X used": every line that mentions it, by file and enclosing definition. */
export async function explainUsage({ targets, investigation }: Findings): Promise<Draft> {
  const [target] = targets.names;
  if (target === undefined) throw new Error('explainUsage was called without a name');
  const { name, definitions } = target;
  await investigation.step(`Following ${name} through the code`);
  const usages = await investigation.usages(name, definitions);
  const groups = {
    source: usages.filter(({ file }) => !['test', 'docs', 'example', 'vendored', 'generated'].includes(file.role)),
    test: usages.filter(({ file }) => file.role === 'test'),
    other: usages.filter(({ file }) => file.role === 'docs' || file.role === 'example'),
  };
  const first = definitions[0];
  const place =
    first === undefined
      ? ''
      : `, ${withArticle(kindWord(first.symbol))} defined in ${fileLink(first.file, first.symbol.line)},`;
  const description = first === undefined ? '' : await describe(first, investigation);
  const sections = [
    usages.length === 0
      ? `Nothing uses ${code(name)}${place} besides its definition${description === '' ? '' : `. ${description}`}`
      : `${code(name)}${place} is used in ${summary(groups)}.${description === '' ? '' : ` ${endSentence(description)}`}`,
  ];
  const decisive = groups.source.find(({ text }) => text.includes(`${name}(`)) ?? groups.source[0];
  if (decisive !== undefined) {
    const lines = await investigation.lines(decisive.file);
    const end =
      decisive.within === undefined ? lines.length : Math.max(decisive.line, blockEnd(lines, decisive.within));
    const from = Math.max(1, decisive.line - 3);
    const to = Math.min(end, decisive.line + 4);
    sections.push(
      `For example in ${fileLink(decisive.file, from, to)}:`,
      fence(lines.slice(from - 1, to), decisive.file.path),
    );
  }
  if (groups.source.length > 0) sections.push(`**In the code**\n\n${bullets(usageLines(groups.source, MOST_FILES))}`);
  if (groups.test.length > 0) sections.push(`**In tests**\n\n${bullets(usageLines(groups.test, 4))}`);
  if (groups.other.length > 0)
    sections.push(`**In documents and examples**\n\n${bullets(usageLines(groups.other, 3))}`);
  const caller = groups.source.find(({ within }) => within !== undefined && within.name !== name)?.within;
  return {
    title: `Uses of ${name}`,
    sections,
    sources: [
      ...definitions.slice(0, 1).map(({ file, symbol }) => fileSource(file, symbol.line)),
      ...firstPerFile(usages)
        .slice(0, 10)
        .map(({ file, line }) => fileSource(file, line)),
    ],
    followUps: [
      `How does \`${name}\` work?`,
      ...(caller === undefined ? [] : [`What calls \`${caller.name}\`?`]),
      ...(groups.test.length > 0 ? [`Which tests cover \`${name}\`?`] : []),
      ...(first === undefined ? [] : [`When was \`${first.file.path}\` last changed?`]),
    ],
    symbols: [name, ...(caller === undefined ? [] : [caller.name])],
    files: [...new Set([...definitions.map(({ file }) => file), ...usages.map(({ file }) => file)])],
  };
}

function summary(groups: Record<'source' | 'test' | 'other', Usage[]>): string {
  const files = (usages: Usage[]): number => new Set(usages.map(({ file }) => file)).size;
  const parts = [
    groups.source.length === 0
      ? ''
      : `${count(groups.source.length, 'place')} in ${count(files(groups.source), 'source file')}`,
    groups.test.length === 0 ? '' : count(files(groups.test), 'test file'),
    groups.other.length === 0 ? '' : count(files(groups.other), 'document or example', 'documents and examples'),
  ];
  return joinWords(parts.filter((part) => part !== ''));
}

function firstPerFile(usages: readonly Usage[]): Usage[] {
  const byFile = new Map(usages.toReversed().map((usage) => [usage.file, usage]));
  return [...byFile.values()].reverse();
}
