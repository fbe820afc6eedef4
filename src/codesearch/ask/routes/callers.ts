import type { Definition } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import type { Usage } from '../investigation.ts';
import { code, count, fileLink } from '../markdown.ts';
import { nameOf, shorten } from './names.ts';

const MOST_LINES = 5;
/** Names that objects of many kinds have: a bare call says nothing of whose it is. */
const COMMON =
  /^(?:get|set|add|remove|delete|find|has|is|run|start|stop|open|close|read|write|load|save|send|call|apply|parse|format|create|build|init|update|next|push|pop|map|filter|log|error|print|test|render|process|handle|execute|match|replace|clear|reset|size|length|name|value|key|index|to_s|new|dump|dumps|loads|toString|equals|hashCode)$/;

/** "Who calls X": the lines, and no more. Undefined where the question names nothing that is defined here. */
export async function callers({ targets, question, investigation }: Asked): Promise<Draft | undefined> {
  const [target] = targets.names;
  if (target === undefined) return undefined;
  const { name, definitions } = target;
  await investigation.step(`Looking for the lines that use ${name}`);
  const owner = ownerOf(question.identifiers, name);
  const all = (await investigation.usages(name, definitions, { isHandedOn: true })).filter(
    (usage) => !isInString(usage.text, name),
  );
  const qualified =
    owner === undefined
      ? []
      : all.filter(({ text }) =>
          new RegExp(`${owner}\\s*(?:\\.|::|->|#)\\s*${name.replace(/\W/g, '\\$&')}`, 'i').test(text),
        );
  const usages = sorted(qualified.length > 0 ? qualified : all.filter(({ file }) => file.role !== 'docs'), name);
  const [definition] = definitions;
  const place = definition === undefined ? '' : ` (${fileLink(definition.file, definition.symbol.line)})`;
  const isProven = isOnlyOne(name, definitions) || qualified.length > 0;
  const many = investigation.hasMoreUsages(name) ? 'at least ' : '';
  const inTests = usages.filter(({ file }) => file.role === 'test').length;
  const tests = inTests === 0 || inTests === usages.length ? '' : `, ${inTests} of them in tests`;
  const sentence =
    usages.length === 0
      ? `I found no line that uses ${code(name)}${place}, apart from its definition.`
      : isProven
        ? `${code(name)} is used in ${many}${count(usages.length, 'line')}${inTests === usages.length ? ', all in tests' : tests}.`
        : `${many === '' ? count(usages.length, 'line') : `At least ${count(usages.length, 'line')}`} ${usages.length === 1 ? 'uses' : 'use'} something named ${code(name)}${tests}; I don't check whether it is the one in ${definition === undefined ? 'question' : fileLink(definition.file, definition.symbol.line)}.`;
  const caller = usages.find(
    ({ within, file }) => within !== undefined && within.name !== name && file.role !== 'test',
  )?.within;
  return {
    title: `Uses of ${name}`,
    sentence,
    pointers: usages
      .slice(0, MOST_LINES)
      .map((usage) => pointTo(usage.file, `${within(usage)}${code(shorten(usage.text, 90))}`, usage.line)),
    ...(usages.length > MOST_LINES ? { footnote: `And ${count(usages.length - MOST_LINES, 'more line')}.` } : {}),
    followUps: [
      `How does \`${name}\` work?`,
      ...(nameOf(caller) === undefined ? [] : [`Who calls \`${nameOf(caller)}\`?`]),
      ...(inTests > 0 ? [`Which tests cover \`${name}\`?`] : []),
    ],
    symbols: [name],
    files: [...new Set([...usages.map(({ file }) => file), ...definitions.map(({ file }) => file)])],
  };
}

/** Source before tests, calls before other uses, one line of each file first. */
function sorted(usages: readonly Usage[], name: string): Usage[] {
  const seen = new Set<unknown>();
  const isFirst = new Map(usages.map((usage) => [usage, !seen.has(usage.file) && seen.add(usage.file) !== undefined]));
  const rank = (usage: Usage): number =>
    (usage.file.role === 'test' ? 8 : usage.file.role === 'source' ? 0 : 4) +
    (usage.text.includes(`${name}(`) ? 0 : 2) +
    (isFirst.get(usage) === true ? 0 : 1);
  return usages.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a bare name can only mean this definition: no other has it, and it is no name that many kinds of objects have. */
function isOnlyOne(name: string, definitions: readonly Definition[]): boolean {
  const code = definitions.filter(
    ({ file }) => file.role !== 'vendored' && file.role !== 'test' && file.role !== 'example',
  );
  return code.length === 1 && !COMMON.test(name);
}

/** `Gson` in `Gson.fromJson`. */
function ownerOf(identifiers: readonly string[], name: string): string | undefined {
  const parts = identifiers
    .map((identifier) => identifier.split(/\.|::|#|->/))
    .find((own) => own.at(-1) === name && own.length > 1);
  return parts?.at(-2)?.replace(/[^\w$]/g, '');
}

/** Whether a line has the name only within quotes. */
function isInString(text: string, name: string): boolean {
  return !text.replace(/(["'])(?:(?!\1)[^\\]|\\.)*\1/g, '""').includes(name);
}

function within({ within: symbol }: Usage): string {
  return symbol === undefined ? '' : `in ${code(symbol.name)}, `;
}
