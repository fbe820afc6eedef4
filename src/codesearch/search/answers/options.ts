import { commentAbove, docComment, firstSentence } from '../blocks.ts';
import type { Definition, IndexedFile } from '../file-index.ts';
import type { Passage } from '../rank.ts';
import { indentOf } from '../syntax/indent.ts';
import { textTerms } from '../words.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { bullets, code, count, fileLink, joinWords, prose } from './markdown.ts';
import { shorten } from './surroundings.ts';
import { questionTitle } from './titles.ts';

interface Option {
  name: string;
  line: number;
  detail: string;
  description: string;
}

const MOST_OPTIONS = 30;
const OPTION_TYPE = /(options?|config(uration)?|settings?|params?|props|arguments|args|opts|flags)$/i;
const ENVIRONMENT =
  /\b(?:process\.env(?:\.|\[['"])|import\.meta\.env\.|os\.environ(?:\.get\(|\[)['"]|os\.getenv\(['"]|os\.(?:Getenv|LookupEnv)\("|env::var\("|ENV(?:\.fetch\(|\[)['"]|System\.getenv\(")([A-Z][A-Z0-9_]+)/g;

/** Answers "what options/settings/environment variables" with members of option types or variables read; undefined without any. */
export async function listOptions(findings: Findings): Promise<Draft | undefined> {
  const { question, investigation } = findings;
  const wantsEnvironment = /\benv(?:ironment)?\b/i.test(question.text);
  await investigation.step(
    wantsEnvironment
      ? 'Collecting the environment variables the code reads'
      : 'Collecting the members of option and configuration types',
  );
  const sections: string[] = [];
  const draft: Draft = {
    title: questionTitle(question, undefined),
    sections,
    sources: [],
    followUps: [],
    symbols: [],
    files: [],
  };
  if (wantsEnvironment) await addEnvironment(findings, draft);
  if (!wantsEnvironment || sections.length === 0) await addTypes(findings, draft);
  if (sections.length === 0) return undefined;
  const documents = findings.passages.filter(({ file, covered }) => file.role === 'docs' && covered > 0.4).slice(0, 2);
  if (documents.length > 0) {
    sections.push(`Documented in ${joinWords(documents.map(({ file, start, end }) => fileLink(file, start, end)))}.`);
    draft.sources.push(...documents.map(({ file, start, end }) => fileSource(file, start, end)));
  }
  const [symbol] = draft.symbols;
  const [file] = draft.files;
  draft.followUps.push(
    ...(symbol === undefined ? [] : [`Where is \`${symbol}\` used?`]),
    ...(wantsEnvironment ? ['What settings are there?'] : ['Which environment variables are read?']),
    ...(file === undefined ? [] : [`When was \`${file.path}\` last changed?`]),
  );
  return draft;
}

async function addTypes({ targets, passages, investigation, question }: Findings, draft: Draft): Promise<void> {
  const isType = ({ kind, name }: Definition['symbol']): boolean =>
    OPTION_TYPE.test(name) && ['interface', 'type', 'class', 'constant'].includes(kind);
  const named: Definition[] = targets.names.flatMap(({ definitions: own }) => own.slice(0, 1));
  const definitions = named.filter(({ symbol }) => isType(symbol));
  const stems = question.subjects.filter(({ weight }) => weight >= 0.5).map(({ stem }) => stem);
  const byName = [...investigation.corpus.index.all()]
    .filter(({ role }) => role === 'source' || role === 'config')
    .flatMap((file) => file.symbols.filter(isType).map((symbol) => ({ file, symbol })))
    .map((definition) => ({
      definition,
      fit: fitOf(definition, stems) * 2 + Number(definition.symbol.exported),
    }))
    .filter(({ fit }) => fit >= (stems.length > 0 ? 1 : 0))
    .sort(
      (a, b) =>
        b.fit - a.fit ||
        a.definition.file.path.length - b.definition.file.path.length ||
        (a.definition.symbol.name < b.definition.symbol.name ? -1 : 1),
    )
    .map(({ definition }) => definition);
  definitions.push(...byName, ...passages.filter(isDefinition).filter(({ symbol }) => isType(symbol)));
  if (definitions.length === 0)
    definitions.push(...named.filter(({ symbol }) => !['function', 'method'].includes(symbol.kind)));
  const seen = new Set<unknown>();
  for (const { file, symbol } of definitions) {
    if (seen.has(symbol) || draft.sections.length >= 6) continue;
    seen.add(symbol);
    const lines = await investigation.lines(file);
    const { end } = symbol;
    const options = membersOf(lines, symbol.line, end);
    if (options.length === 0 || !(OPTION_TYPE.test(symbol.name) || options.length > 1)) continue;
    const description = prose(firstSentence(docComment(lines, symbol.line)));
    draft.sections.push(
      `${code(symbol.name)} in ${fileLink(file, symbol.line, end)} has ${count(options.length, 'member')}${description === '' ? '' : `: ${description}`}`,
      optionBullets(file, options),
    );
    draft.sources.push(fileSource(file, symbol.line, end));
    draft.symbols.push(symbol.name);
    draft.files.push(file);
  }
}

/** Counts the subjects in the name of a type, and at half weight those in its path. */
function fitOf({ file, symbol }: Definition, stems: readonly string[]): number {
  const name = new Set(textTerms(symbol.name));
  const path = new Set(textTerms(file.path));
  return stems.reduce((sum, stem) => sum + (name.has(stem) ? 1 : path.has(stem) ? 0.5 : 0), 0);
}

function isDefinition(passage: Passage): passage is Passage & Definition {
  return passage.symbol !== undefined;
}

function optionBullets(file: IndexedFile, options: readonly Option[]): string {
  const items = options
    .slice(0, MOST_OPTIONS)
    .map(
      ({ name, detail, description, line }) =>
        `${code(name)}${detail === '' ? '' : ` ${code(detail)}`}${description === '' ? '' : `: ${description}`}${description === '' && detail === '' ? ` (${fileLink(file, line)})` : ''}`,
    );
  if (options.length > MOST_OPTIONS) items.push(`… and ${options.length - MOST_OPTIONS} more`);
  return bullets(items);
}

const MEMBER =
  /^\s*(?:readonly\s+|public\s+|private\s+|pub\s+|export\s+|static\s+)*(['"]?[A-Za-z_$][\w$.-]*['"]?)(\??)\s*(?::|\s|=)\s*(.+?)[,;{]?\s*(?:\s(?:\/\/|#)\s+(.*))?$/;

/** Top-level members of a type or an object, with the first sentence of their comments. */
function membersOf(lines: readonly string[], start: number, end: number): Option[] {
  const depth = Math.min(
    ...lines
      .slice(start, end - 1)
      .filter((line) => line.trim() !== '' && !/^\s*(?:[*)}\]]|\/\*|\/\/)/.test(line))
      .map(indentOf),
    80,
  );
  const members: Option[] = [];
  let inComment = false;
  for (let line = start + 1; line < end + 1; line += 1) {
    const text = lines[line - 1] ?? '';
    if (/^\s*\/\*/.test(text)) inComment = true;
    if (inComment) {
      inComment = !text.includes('*/');
      continue;
    }
    if (
      text.length > 300 ||
      indentOf(text) !== depth ||
      /^\s*(?:\/|\*|#|@|}|\]|(?:private|protected|static|async|get|set|abstract)\s|return\b|if\b|for\b|const\b|let\b|"""|def\b|self\.|super\b|await\b|throw\b)/.test(
        text,
      )
    )
      continue;
    const match = MEMBER.exec(text);
    if (match?.[1] === undefined || /\(/.test(text.slice(0, text.indexOf(match[1]) + match[1].length + 1))) continue;
    const description = prose(
      firstSentence(commentAbove(lines, line) || (match[4] ?? '') || described(lines, line, depth), 180),
    );
    members.push({
      name: `${match[1]}${match[2] ?? ''}`,
      line,
      detail: detailOf(match[3] ?? ''),
      description,
    });
  }
  return members;
}

/** A type or a plain value; empty for a function call, which does not help in a list. */
function detailOf(text: string): string {
  const plain = text.replace(/[{(]$/, '').trim();
  return /^[\w.]+\(/.test(plain) || (/\($/.test(text) && plain !== '') ? '' : shorten(plain, 60);
}

/** The description of a setting in its schema: the first string of several words. */
function described(lines: readonly string[], line: number, depth: number): string {
  let end = line;
  while (end < lines.length && end < line + 12 && indentOf(lines[end] ?? '') > depth) end += 1;
  const strings = lines
    .slice(line - 1, end)
    .join(' ')
    .slice(0, 1_500)
    .matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/g);
  return [...strings].map(([, , text]) => text ?? '').find((text) => text.split(' ').length >= 3) ?? '';
}

async function addEnvironment({ investigation }: Findings, draft: Draft): Promise<void> {
  const found = new Map<string, { file: IndexedFile; line: number; text: string }[]>();
  for (const marker of ['env', 'environ', 'getenv', 'lookupenv']) {
    for (const file of investigation.corpus.index.findName(marker)) {
      if (['docs', 'vendored', 'generated'].includes(file.role)) continue;
      for (const [index, text] of (await investigation.lines(file)).entries()) {
        for (const match of text.matchAll(ENVIRONMENT)) {
          const name = match[1] ?? '';
          const places = found.get(name) ?? [];
          if (!places.some((place) => place.file === file && place.line === index + 1))
            places.push({ file, line: index + 1, text });
          found.set(name, places);
        }
      }
    }
  }
  if (found.size === 0) return;
  const names = [...found.keys()].sort();
  const items = names.slice(0, 40).map((name) => {
    const places = (found.get(name) ?? []).toSorted(
      (a, b) => Number(a.file.role === 'test') - Number(b.file.role === 'test'),
    );
    const first = places[0];
    if (first === undefined) return code(name);
    draft.sources.push(fileSource(first.file, first.line));
    draft.files.push(first.file);
    return `${code(name)} in ${fileLink(first.file, first.line)}${places.length > 1 ? ` and ${count(places.length - 1, 'other place')}` : ''}: ${code(shorten(first.text))}`;
  });
  draft.sections.push(
    `The code reads ${count(names.length, 'environment variable')} by name. Names that it puts together as it runs are not among them.`,
    bullets(items),
  );
}
