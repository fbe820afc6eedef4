import { directoryPath } from '../../addresses.ts';
import { lastChange } from '../../index/commits.ts';
import type { CodeSymbol } from '../../index/symbols.ts';
import { CLOSE, closestCommits } from '../commit-messages.ts';
import { isOneThing, isSure } from '../confidence.ts';
import { type Asked, type Draft, type Pointer, pointTo, pointToCommit } from '../draft.ts';
import { code, endSentence, fileLink, link, nameInText, nameOf, prose, shorten } from '../markdown.ts';
import type { Kind } from '../question/kind.ts';
import { type Passage, passageOfDefinition } from '../rank.ts';
import { bestStatement, descriptionOf } from '../statement.ts';

/** Share of the best score from which another passage is worth a line. */
const OTHER_FROM = 0.6;
const MOST_OTHERS = 3;
/** Lines around the best one, where it is in no definition. */
const AROUND = 7;

/** "How does X work", "where is X": the place that the question names or that matches best, what is said there, and where else to look. */
export async function explain(asked: Asked): Promise<Draft | undefined> {
  const { question, investigation, passages, targets } = asked;
  const main = choosePassage(asked);
  if (main === undefined) return undefined;
  const lines = await investigation.lines(main.file);
  const named = targets.names.find(({ name }) => name === main.symbol?.name);
  // A place is no answer to a question of another kind, nor to one that wants yes or no.
  const isAsked = PLACES.has(question.kind) && !YES_OR_NO.test(question.text);
  const isShown = question.continues && question.before?.files[0]?.path === main.file.path;
  const isOne = named === undefined ? isSure(passages, asked) : isShown || isOneThing(named.definitions);
  const isCertain = isAsked && isOne;
  const others = otherPassages(asked, main);
  const pointers = await Promise.all(others.map((other) => point(other, asked)));
  const reasons = question.kind === 'why' ? await reasonsFor(main, asked) : [];
  const name = nameOf(main.symbol);
  return {
    title: main.symbol === undefined ? main.file.path : shorten(main.symbol.name, 60),
    sentence: sentence(main, lines, asked, isCertain),
    passage: main,
    pointers: [...reasons, ...pointers].slice(0, MOST_OTHERS),
    followUps:
      name === undefined || main.file.role === 'test'
        ? [`What changed last in \`${main.file.path}\`?`]
        : [
            `Who calls \`${name}\`?`,
            `Which tests cover \`${name}\`?`,
            ...(question.kind === 'where' ? [`How does \`${name}\` work?`] : [`When was \`${name}\` added?`]),
          ],
    symbols: [main, ...others].flatMap(({ symbol }) =>
      symbol === undefined || symbol.kind === 'heading' ? [] : [symbol.name],
    ),
    files: [main.file, ...others.map(({ file }) => file)],
  };
}

const PLACES: ReadonlySet<Kind> = new Set(['explain', 'where', 'why']);
const YES_OR_NO = /^\s*(?:is|are|does|do|can|could|has|have|will|should)\b/i;

type Lines = Pick<Passage, 'file' | 'start' | 'end' | 'symbol'>;

/** Where else to look: the best passages apart from these lines, unless they are far behind the best. */
function otherPassages({ passages }: Asked, main?: Lines): Passage[] {
  const least = (passages[0]?.score ?? 0) * OTHER_FROM;
  return passages
    .filter((other) => main === undefined || !isSamePlace(other, main))
    .filter(({ score, file }) => score >= least && (file.role !== 'test' || main?.file.role === 'test'))
    .slice(0, MOST_OTHERS);
}

/** The definition that the question names, or else the best passage; of text between definitions, what is at its best line. */
function choosePassage({ targets, passages }: Asked): Passage | undefined {
  const definition = targets.names[0]?.definitions[0];
  if (definition !== undefined) {
    const known = passages.find(({ file, symbol }) => file === definition.file && symbol === definition.symbol);
    return { ...passageOfDefinition(definition), keyLines: known?.keyLines ?? [definition.symbol.line] };
  }
  const [best] = passages;
  if (best === undefined || best.symbol !== undefined || best.file.role === 'docs') return best;
  const key = best.keyLines[0] ?? best.start;
  const symbol = best.file.symbols.find(({ line, end, kind }) => kind !== 'heading' && line <= key && key <= end);
  if (symbol !== undefined) return { ...best, symbol, start: symbol.line, end: symbol.end };
  return { ...best, start: Math.max(best.start, key - AROUND), end: Math.min(best.end, key + AROUND) };
}

function sentence(main: Passage, lines: readonly string[], { words, question }: Asked, isCertain: boolean): string {
  const { file, symbol, start, end } = main;
  const place = fileLink(file, start, end);
  const statement = bestStatement(main, lines, words)?.text;
  const described = descriptionOf(main, lines);
  // A reason only if it stands at the code.
  const said =
    question.kind === 'why' || symbol === undefined || symbol.kind === 'heading'
      ? (statement ?? described)
      : described === ''
        ? (statement ?? '')
        : described;
  const what = symbol === undefined ? place : `${nameInText(symbol)}, ${place}`;
  const lead = isCertain ? what : `I'm not sure. The closest is ${what}`;
  return said === '' ? `${isCertain ? `This is in ${what}` : lead}.` : `${lead}: ${endSentence(said)}`;
}

/** The commits whose messages may say why: the one that matches best, and the one that wrote the line that matches best. */
async function reasonsFor({ file, keyLines, start }: Passage, asked: Asked): Promise<Pointer[]> {
  const repository = asked.investigation.corpus.repository(file.repository);
  const line = keyLines[0] ?? start;
  const wrote = repository === undefined ? undefined : await lastChange(repository, file, line, line);
  const [closest] = await closestCommits(asked, CLOSE);
  const found = [
    ...(closest === undefined ? [] : [pointToCommit(closest.repository, closest.commit)]),
    ...(wrote === undefined ? [] : [pointToCommit(file.repository, wrote)]),
  ];
  return [...new Map(found.map((pointer) => [pointer.source.link, pointer])).values()];
}

async function point(passage: Passage, { words, investigation }: Asked) {
  const { file, start, end, symbol } = passage;
  const lines = await investigation.lines(file);
  const said = descriptionOf(passage, lines) || (bestStatement(passage, lines, words)?.text ?? '');
  const text = [symbol === undefined ? '' : nameInText(symbol), shorten(said, 110)].filter((part) => part !== '');
  return pointTo(file, text.join(', '), start, end);
}

function isSamePlace(a: Lines, b: Lines): boolean {
  const isOverlapping = a.start <= b.end && b.start <= a.end;
  return a.file === b.file && (isOverlapping || (a.symbol !== undefined && a.symbol === b.symbol));
}

/** "What is in this file or folder": what it says of itself, and what it defines. Undefined where the question asks about something in it. */
export async function describePlace({ targets, question, investigation }: Asked): Promise<Draft | undefined> {
  const [file] = targets.files;
  const [directory] = targets.directories;
  if (targets.names.length > 0 || (file === undefined && directory === undefined)) return undefined;
  if (question.phrase.length >= 2 && ['where', 'why', 'howTo', 'option'].includes(question.kind)) return undefined;
  if (file !== undefined) {
    const lines = await investigation.lines(file);
    const defined = file.symbols.filter(({ indent, kind }) => indent < 4 && kind !== 'constant');
    const said = descriptionOf({ file, symbol: defined.find(({ kind }) => kind !== 'heading') }, lines);
    return {
      title: file.path,
      sentence: `${fileLink(file)} has ${lines.length} lines${defined.length === 0 ? '' : ` and ${file.role === 'docs' ? 'the sections' : 'defines'} ${names(defined)}`}.${said === '' ? '' : ` ${endSentence(said)}`}`,
      passage: { file, start: 1, end: Math.min(lines.length, 15), symbol: undefined, keyLines: [1] },
      pointers: [],
      followUps: [`Who worked on \`${file.path}\`?`, `What changed last in \`${file.path}\`?`],
      symbols: defined.slice(0, 3).map(({ name }) => name),
      files: [file],
    };
  }
  if (directory === undefined) return undefined;
  const { files, path, repository } = directory;
  return {
    title: `${path}/`,
    sentence: `${link(`${path}/`, directoryPath(repository, path))} has ${files.length} files.`,
    pointers: files
      .slice(0, MOST_OTHERS)
      .map((each) => pointTo(each, names(each.symbols.filter(({ indent }) => indent < 4)))),
    followUps: [`Who worked on \`${path}\`?`],
    symbols: [],
    files: files.slice(0, MOST_OTHERS),
  };
}

function names(symbols: readonly CodeSymbol[]): string {
  const shown = [...new Set(symbols.map(({ name, kind }) => (kind === 'heading' ? `“${prose(name)}”` : code(name))))];
  return `${shown.slice(0, 5).join(', ')}${shown.length > 5 ? ' …' : ''}`;
}
