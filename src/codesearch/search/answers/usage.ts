import { escapeRegExp } from '../../escape.ts';
import { conditionOf } from '../../index/syntax/condition.ts';
import type { Usage } from '../investigation.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { bullets, code, count, endSentence, fence, fileLink, joinWords } from './markdown.ts';
import { descriptionOf } from './statement.ts';
import { firstPerFile, kindWord, usageLines } from './surroundings.ts';

const MOST_FILES = 10;
const MOST_NAMED = 3;

/** Answers "what calls X", "where is X used", "when is X thrown": first the callers, then every line by file. */
export async function explainUsage({ targets, investigation }: Findings): Promise<Draft> {
  const [target] = targets.names;
  if (target === undefined) throw new Error('explainUsage was called without a name');
  const { name, definitions } = target;
  await investigation.step(`Following ${name} through the code`);
  const usages = await investigation.usages(name, definitions, { isHandedOn: true });
  const calls = new RegExp(`(?<![\\w$])${escapeRegExp(name)}\\s*[(!]`);
  const groups = {
    // What calls or throws it comes before what only names it.
    source: usages
      .filter(({ file }) => !['test', 'docs', 'example', 'vendored'].includes(file.role))
      .sort((a, b) => Number(calls.test(b.text)) - Number(calls.test(a.text))),
    test: usages.filter(({ file }) => file.role === 'test'),
    other: usages.filter(({ file }) => file.role === 'docs' || file.role === 'example'),
  };
  const [first] = definitions;
  const description = first === undefined ? '' : descriptionOf(first, await investigation.lines(first.file));
  const place = first === undefined ? '' : `, ${kindWord(first.symbol)} in ${fileLink(first.file, first.symbol.line)},`;
  const meaning = description === '' ? '' : ` ${endSentence(description)}`;
  const [decisive] = groups.source;
  const sections = [
    usages.length === 0
      ? `No line that was read uses ${code(name)}${place} besides its definition.${meaning}`
      : `${code(name)}${place} is used ${investigation.hasMoreUsages(name) ? 'at least ' : ''}${await summary(name, groups, usages, (usage) => investigation.lines(usage.file))}.${meaning}`,
  ];
  if (decisive !== undefined) {
    const lines = await investigation.lines(decisive.file);
    const to = Math.min(decisive.within?.end ?? lines.length, decisive.line + 4);
    const from = Math.max(decisive.within?.line ?? 1, decisive.line - 4);
    sections.push(fence(lines.slice(from - 1, Math.max(to, decisive.line)), decisive.file.path));
  }
  for (const [heading, group, most] of [
    ['In the code', groups.source, MOST_FILES],
    ['In tests', groups.test, 4],
    ['In documents and examples', groups.other, 3],
  ] as const) {
    if (group.length > 0) sections.push(`**${heading}**\n\n${bullets(usageLines(group, most))}`);
  }
  const caller = groups.source.find(({ within }) => within !== undefined && within.name !== name)?.within;
  return {
    title: `Uses of ${name}`,
    sections,
    sources: [
      ...firstPerFile(groups.source).map(({ file, line }) => fileSource(file, line)),
      ...definitions.slice(0, 1).map(({ file, symbol }) => fileSource(file, symbol.line)),
      ...firstPerFile([...groups.test, ...groups.other]).map(({ file, line }) => fileSource(file, line)),
    ],
    followUps: [
      `How does \`${name}\` work?`,
      ...(caller === undefined ? [] : [`Where is \`${caller.name}\` used?`]),
      ...(groups.test.length > 0 ? [`Which tests cover \`${name}\`?`] : []),
      `Why was \`${name}\` last changed?`,
    ],
    symbols: [name, ...(caller === undefined ? [] : [caller.name])],
    files: [...new Set([...usages.map(({ file }) => file), ...definitions.map(({ file }) => file)])],
  };
}

/** "in 2 places: `a` (src/a.ts:3) when `x`, and `b` (src/b.ts:5)". */
async function summary(
  name: string,
  groups: Record<'source' | 'test' | 'other', Usage[]>,
  usages: readonly Usage[],
  linesOf: (usage: Usage) => Promise<string[]>,
): Promise<string> {
  const { source, test } = groups;
  if (source.length === 0) {
    const where = test.length === usages.length ? 'only in tests' : 'in no code, only in tests, documents and examples';
    return `${where}: ${joinWords(
      firstPerFile(usages)
        .slice(0, MOST_NAMED)
        .map(({ file, line }) => fileLink(file, line)),
    )}`;
  }
  const named: string[] = [];
  for (const usage of source.slice(0, MOST_NAMED)) {
    const { file, line, within } = usage;
    const condition = await conditionOf(file.path, await linesOf(usage), line, name);
    named.push(
      `${within === undefined ? '' : `${code(within.name)} at `}${fileLink(file, line)}${condition === undefined ? '' : ` when ${code(condition)}`}`,
    );
  }
  const files = new Set(source.map(({ file }) => file)).size;
  const tests = new Set(test.map(({ file }) => file)).size;
  return `in ${count(source.length, 'place')} in ${count(files, 'source file')}${tests === 0 ? '' : ` and in ${count(tests, 'test file')}`}: ${joinWords(named)}${source.length > MOST_NAMED ? ' …' : ''}`;
}
