import { escapeRegExp } from '../../escape.ts';
import type { Definition } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import type { Investigation, Usage } from '../investigation.ts';
import { code, count, fileLink, nameOf, shorten } from '../markdown.ts';

const MOST_LINES = 5;

/** "Who calls X": the lines, and no more. Undefined where the question names nothing that is defined here. */
export async function callers({ targets, question, investigation }: Asked): Promise<Draft | undefined> {
  const [target] = targets.names;
  const [definition] = target?.definitions ?? [];
  if (target === undefined || definition === undefined) return undefined;
  const { name, definitions } = target;
  await investigation.step(`Looking for the lines that use ${name}`);
  const found = (await investigation.usages(name, definitions)).filter(
    ({ text, file }) => file.role !== 'docs' && isUse(text, name) && !isPrototype(text, file.path),
  );
  const owner = ownerOf(question.identifiers, name);
  const qualified = found.filter(({ text }) => receiverOf(text, name) === owner);
  const lines: (Usage & { isProven: boolean })[] = [];
  for (const usage of owner === undefined || qualified.length === 0 ? found : qualified)
    lines.push({ ...usage, isProven: await resolves(usage, definition, investigation) });
  const usages = sorted(lines, name);
  const isProven = usages.every((usage) => usage.isProven);
  const amount = `${investigation.hasMoreUsages(name) ? 'at least ' : ''}${count(usages.length, 'line')}`;
  const inTests = usages.filter(({ file }) => file.role === 'test').length;
  const tests = inTests === 0 ? '' : inTests === usages.length ? ', all in tests' : `, ${inTests} of them in tests`;
  const place = fileLink(definition.file, definition.symbol.line);
  const rest = usages.length > MOST_LINES ? `And ${count(usages.length - MOST_LINES, 'more line')}. ` : '';
  const unchecked = isProven ? '' : `I can't tell of all of them whether it is the one in ${place}.`;
  const caller = usages.find(({ within, file }) => within?.name !== name && file.role !== 'test')?.within;
  return {
    title: `Uses of ${name}`,
    sentence:
      usages.length === 0
        ? `I found no line that uses ${code(name)} (${place}), apart from its definition.`
        : isProven
          ? `${code(name)} is used in ${amount}${tests}.`
          : `Something named ${code(name)} stands in ${amount}${tests}.`,
    pointers: usages
      .slice(0, MOST_LINES)
      .map((usage) => pointTo(usage.file, `${within(usage)}${code(shorten(usage.text, 90))}`, usage.line)),
    footnote: `${rest}${unchecked}`.trim(),
    followUps: [
      `How does \`${name}\` work?`,
      ...(nameOf(caller) === undefined || caller?.name === 'main' ? [] : [`Who calls \`${nameOf(caller)}\`?`]),
      ...(inTests > 0 ? [`Which tests cover \`${name}\`?`] : []),
    ],
    symbols: [name],
    files: [...new Set([...usages.map(({ file }) => file), ...definitions.map(({ file }) => file)])],
  };
}

/** Whether a line has the name in its code: not only in a text or a comment, and not as what it defines. */
function isUse(text: string, name: string): boolean {
  const own = text.replace(/(["'])(?:(?!\1)[^\\]|\\.)*\1/g, '""').replace(/(?:\/\/|#(?![\w{<[])).*$/, '');
  const found = new RegExp(
    `(\\b(?:def|fn|func|fun|function|class|struct|interface|enum|trait|type)\\s+(?:\\([^)]*\\)\\s*|self\\.)?)?${escapeRegExp(name)}(?![\\w$])`,
  ).exec(own);
  return found !== null && found[1] === undefined;
}

/** A declaration of C or C++ without a body, such as `extern int close(int);` */
function isPrototype(text: string, path: string): boolean {
  if (!/;\s*$/.test(text) || /=|->|\breturn\b/.test(text)) return false;
  return /\.(?:h|hh|hpp|hxx)$/i.test(path)
    ? /^\s*\w[\w\s:<>,*&()]*[\s*&]\w+\s*\(/.test(text)
    : /\.(?:c|cc|cpp|cxx)$/i.test(path) && /^\s*(?:static|extern)\b/.test(text);
}

/**
 * Whether a line can only mean this definition: as a bare name in its file, in one that imports it, or beside it where no import is
 * needed; behind the name of its class or module; behind `this` in its class.
 */
async function resolves(
  { file, text, line, within: around }: Usage,
  { file: home, symbol }: Definition,
  investigation: Investigation,
): Promise<boolean> {
  const receiver = receiverOf(text, symbol.name);
  if (receiver !== undefined && /^(?:this|self|Self|cls)$/.test(receiver))
    return file === home && around?.owner === symbol.owner;
  const module = moduleOf(home.path);
  if (receiver !== undefined && receiver !== symbol.owner && receiver !== module) return false;
  if (receiver === undefined && symbol.kind === 'method' && around?.owner !== symbol.owner) return false;
  if (file === home || (receiver !== undefined && receiver === symbol.owner)) return true;
  const isBeside = /\.(?:go|java|kt)$/.test(file.path) && folderOf(file.path) === folderOf(home.path);
  if (isBeside) return true;
  const lines = await investigation.lines(file);
  const imported = lines.filter((_, at) => at + 1 < line && file.importLines.has(at + 1)).join('\n');
  return [symbol.name, module].some((name) => new RegExp(`(?<![\\w$])${escapeRegExp(name)}(?![\\w$])`).test(imported));
}

/** `this` in `this.moor(boat)`, `Utils` in `Utils::clean`; of a longer expression its last name. Undefined for a bare name. */
function receiverOf(text: string, name: string): string | undefined {
  return new RegExp(`([\\w$]*)\\)?\\s*(?:\\.|::|->)\\s*${escapeRegExp(name)}(?![\\w$])`).exec(text)?.[1];
}

/** The name that files import: that of the file, or of its folder if the file stands for it. */
function moduleOf(path: string): string {
  const [file = '', folder = ''] = path.split('/').reverse();
  const own = file.split('.')[0] ?? '';
  return /^(?:index|mod|lib|main|__init__)$/.test(own) ? folder : own;
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

/** What is proven first, source before tests, calls before other uses, one line of each file first. */
function sorted<Line extends Usage & { isProven: boolean }>(usages: readonly Line[], name: string): Line[] {
  const seen = new Set<unknown>();
  const isFirst = new Map(usages.map((usage) => [usage, !seen.has(usage.file) && seen.add(usage.file) !== undefined]));
  const rank = (usage: Line): number =>
    (usage.file.role === 'test' ? 16 : usage.file.role === 'source' ? 0 : 8) +
    (usage.isProven ? 0 : 4) +
    (usage.text.includes(`${name}(`) ? 0 : 2) +
    (isFirst.get(usage) === true ? 0 : 1);
  return usages.toSorted((a, b) => rank(a) - rank(b));
}

/** `Gson` in `Gson.fromJson`. */
function ownerOf(identifiers: readonly string[], name: string): string | undefined {
  const parts = identifiers
    .map((identifier) => identifier.split(/\.|::|#|->/))
    .find((own) => own.at(-1) === name && own.length > 1);
  return parts?.at(-2)?.replace(/[^\w$]/g, '');
}

function within({ within: symbol }: Usage): string {
  return symbol === undefined ? '' : `in ${code(symbol.name)}, `;
}
