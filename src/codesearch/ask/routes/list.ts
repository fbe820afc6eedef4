import type { Definition } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { comparePaths } from '../investigation.ts';
import { code, count, joinWords, nameInText, nameOf, shorten } from '../markdown.ts';
import { coverage } from '../query-words.ts';
import { descriptionOf } from '../statement.ts';

const MOST_LISTED = 8;
/** What a list is asked for with, and not what it is of. */
const OF_A_LIST = /^(?:lists?|show|enumerate|all|every|definitions?|functions?|methods?|class(?:es)?|types?)$/;
/** Share of the question's weight in a name from which on a definition is listed. */
const NAMED_FROM = 0.6;
/** Definitions of code whose name, or that of their file, has most of the question; of errors also those that are one. Best first. */
function definitionsNamed({ words, question, investigation }: Asked): Definition[] {
  if (/\b(?:files?|modules?|folders?|director(?:y|ies)|places?)\b/i.test(question.text)) return [];
  const strong = new Set(question.subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word));
  const known = words.filter(({ terms, word }) => terms.size > 0 && strong.has(word));
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
  const known = words.filter(({ terms, word }) => terms.size > 0 && !OF_A_LIST.test(word)).slice(0, 4);
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
