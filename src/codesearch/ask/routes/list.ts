import type { Definition } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { comparePaths } from '../investigation.ts';
import { code, count, fileLink, joinWords } from '../markdown.ts';
import { coverage } from '../query-words.ts';
import { passageOfDefinition } from '../rank.ts';
import { descriptionOf } from '../statement.ts';
import { nameInText, nameOf, shorten } from './names.ts';

const MOST_LISTED = 8;
/** Share of the question's weight in a name from which on a definition is listed. */
const NAMED_FROM = 0.6;
const ENVIRONMENT =
  /\b(?:process\.env(?:\.|\[['"])|import\.meta\.env\.|_?environ(?:\.get\(|\[)['"]|os\.getenv\(['"]|os\.(?:Getenv|LookupEnv)\("|env::var(?:_os)?\("|\benv!\("|option_env!\("|\b(?:secure_)?getenv\(['"]|GetEnvironmentVariable\("|Deno\.env\.get\(['"]|Bun\.env\.|ENV(?:\.fetch\(|\[)['"]|System\.getenv\(")([A-Z][A-Z0-9_]+)/g;
const READERS = ['env', 'environ', 'getenv', 'secure_getenv', 'lookupenv', 'option_env', 'getenvironmentvariable'];

/** "Which environment variables are read": each by its first place. */
export async function environment({ question, investigation }: Asked): Promise<Draft | undefined> {
  if (
    !/\benv(?:ironment)?\s*(?:vars?|variables?)\b/i.test(question.text) ||
    /\bsets?\b/i.test(question.text) ||
    question.identifiers.length > 0
  )
    return undefined;
  await investigation.step('Collecting environment variables');
  const files = new Set(READERS.flatMap((name) => investigation.corpus.index.findName(name)));
  const found = new Map<string, Draft['pointers'][number]>();
  for await (const [file, lines] of investigation.linesOfAll(
    [...files].filter(({ role }) => role === 'source' || role === 'config'),
  )) {
    for (const [at, text] of lines.entries()) {
      for (const [, name = ''] of text.matchAll(ENVIRONMENT))
        if (!found.has(name)) found.set(name, pointTo(file, code(name), at + 1));
    }
  }
  if (found.size === 0) return undefined;
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pointer]) => pointer);
  return listing(
    'Environment variables',
    `The code reads ${count(found.size, 'environment variable')} by name.`,
    sorted,
  );
}

/** "Which formats are there": the enumeration that has them all. */
export async function enumeration(asked: Asked): Promise<Draft | undefined> {
  const found = definitionsNamed(asked);
  for (const { file, symbol } of found.slice(0, MOST_LISTED)) {
    if (!/\benum\b/.test((await asked.investigation.lines(file))[symbol.line - 1] ?? '')) continue;
    const others = found.filter((other) => other.symbol !== symbol).slice(0, 3);
    return {
      title: symbol.name,
      sentence: `${code(symbol.name)} lists them, ${fileLink(file, symbol.line, symbol.end)}.`,
      passage: passageOfDefinition({ file, symbol }),
      pointers: others.map((other) => pointTo(other.file, code(other.symbol.name), other.symbol.line)),
      followUps: [`Who calls \`${symbol.name}\`?`],
      symbols: [symbol.name],
      files: [file],
    };
  }
  return undefined;
}

/** Definitions of code whose name, or that of their file, has most of the question; of errors also those that are one. Best first. */
function definitionsNamed({ words, question, investigation }: Asked): Definition[] {
  if (/\b(?:files?|modules?|folders?|director(?:y|ies)|places?)\b/i.test(question.text)) return [];
  const known = words.filter(({ terms }) => terms.size > 0);
  const asksErrors = /\b(?:exceptions?|errors?)\b/i.test(question.text) && known.length < 2;
  const found: { definition: Definition; named: number }[] = [];
  for (const file of investigation.corpus.index.all()) {
    if (file.role !== 'source') continue;
    const byFile = coverage(file.path.split('/').at(-1) ?? '', words);
    for (const symbol of file.symbols) {
      if (symbol.kind === 'constant' || symbol.indent > 4) continue;
      const named = Math.max(coverage(symbol.name, words), symbol.kind === 'method' ? 0 : byFile * 0.95);
      const isOne = named >= NAMED_FROM || (asksErrors && isError(symbol, file.path));
      if (isOne) found.push({ definition: { file, symbol }, named });
    }
  }
  return found
    .sort(
      ({ named, definition: a }, { named: other, definition: b }) =>
        other - named || comparePaths(a.file, b.file) || a.symbol.line - b.symbol.line,
    )
    .map(({ definition }) => definition);
}

/** "Which files", "list the exceptions": definitions with such names, or else the best place of each file. */
export async function list(asked: Asked): Promise<Draft | undefined> {
  const { words, passages, investigation } = asked;
  const known = words.filter(({ terms }) => terms.size > 0).slice(0, 4);
  const about = joinWords(known.map(({ word }) => code(word)));
  const found = definitionsNamed(asked);
  if (found.length > 1) {
    const pointers = [];
    for (const definition of found.slice(0, MOST_LISTED)) {
      const said = descriptionOf(definition, await investigation.lines(definition.file));
      pointers.push(
        pointTo(
          definition.file,
          [code(definition.symbol.name), shorten(said, 80)].filter((part) => part !== '').join(', '),
          definition.symbol.line,
        ),
      );
    }
    return listing(
      `Definitions named after ${about.replaceAll('`', '')}`,
      `${count(found.length, 'definition is', 'definitions are')} named after ${about}.`,
      pointers,
      found.map(({ symbol }) => nameOf(symbol)),
      found.length,
    );
  }
  const files = [...new Map(passages.toReversed().map((passage) => [passage.file, passage])).values()].reverse();
  if (files.length < 2 || about === '') return undefined;
  return listing(
    `Files about ${about.replaceAll('`', '')}`,
    `I'm not sure that these are all. The closest files for ${about}:`,
    files.map(({ file, symbol, start, end }) =>
      pointTo(file, symbol === undefined ? '' : nameInText(symbol), start, end),
    ),
    files.map(({ symbol }) => nameOf(symbol)),
  );
}

function isError({ kind, name }: Definition['symbol'], path: string): boolean {
  if (kind !== 'class' && kind !== 'type') return false;
  return /(?:Error|Exception|Warning|Fault)$/.test(name) || /(?:^|\/)(?:exc|exceptions?|errors?)\.[a-z]+$/.test(path);
}

function listing(
  title: string,
  sentence: string,
  pointers: Draft['pointers'],
  names: readonly (string | undefined)[] = [],
  total = pointers.length,
): Draft {
  const asked = [...new Set(names)].filter((name) => name !== undefined);
  const rest = total - Math.min(MOST_LISTED, pointers.length);
  return {
    ...{
      title,
      sentence,
      pointers: pointers.slice(0, MOST_LISTED),
      followUps: asked.slice(0, 3).map((name) => `How does \`${name}\` work?`),
      symbols: [],
      files: [],
    },
    ...(rest > 0 ? { footnote: `And ${rest} more.` } : {}),
  };
}
