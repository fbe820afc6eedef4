import type { Definitions } from './definitions.ts';
import type { Snapshot } from './git-directory.ts';
import { cutPair, type Pair, sampled, trainingTerms } from './pairs.ts';

const FILES_MAX = 1_000;
const FILE_BYTES_MAX = 500_000;
const DOCUMENT = /\.(mdx?|markdown|rst|adoc)$|(^|\/)(changes|changelog|history|news)[^/]*$/i;
/** Where documents of a package that is copied into the repository lie. */
const COPIED = /(^|\/)(node_modules|vendor|third[_-]?party|fixtures?)\//i;
const CODE_BLOCK = /^ *(`{3}|~{3})[^\n]*\n[\s\S]*?^ *\1/gm;
/** What separates paragraphs: an empty line, or the mark of a list's item. */
const BREAK = /\n\s*\n|\n\s*(?=[*+-] |\d+\. )/;
/** The last name of a span of code: `stop` of `server.stop()`. */
const SPAN = /`+[^`\n]{0,200}?([A-Za-z_]\w{2,60})(?:\([^`\n]{0,200}\))?`+/g;
const ADDRESS = /https?:\S+|\]\([^)]*\)/g;
/** A paragraph that names more definitions describes none of them well. */
const NAMES_MAX = 3;

/** Pairs of paragraphs of documents and the definitions that they name. */
export async function* readDocumentPairs(snapshot: Snapshot, definitions: Definitions): AsyncGenerator<Pair> {
  const files = snapshot.files().filter((path) => DOCUMENT.test(path) && !COPIED.test(path));
  for await (const { text } of snapshot.texts(sampled(files, FILES_MAX), FILE_BYTES_MAX)) {
    for (const paragraph of text.replace(CODE_BLOCK, '\n').split(BREAK)) yield* pairsOf(paragraph, definitions);
  }
}

function* pairsOf(paragraph: string, definitions: Definitions): Generator<Pair> {
  const names = new Set(Array.from(paragraph.matchAll(SPAN), ([, name = '']) => name));
  const named = [...names].flatMap((name) => {
    const code = definitions.codeOf(name);
    return code === undefined ? [] : [{ name, code }];
  });
  if (named.length > NAMES_MAX) return;
  const words = paragraph.replace(ADDRESS, ' ');
  for (const { name, code } of named) {
    yield* cutPair({ kind: 'document', question: trainingTerms(words.replaceAll(name, ' ')), ...code });
  }
}
