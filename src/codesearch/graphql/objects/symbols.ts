import { escapeRegExp } from '../../escape.ts';
import type { FileMatch } from '../../query/results.ts';
import type { Work } from '../work.ts';
import { pageInfo, pageOf } from './connection.ts';
import { createBlob } from './file.ts';
import type { RepositoryContext, SymbolArguments } from './repository-context.ts';

const SYMBOL_KINDS = new Set(
  (
    'FILE MODULE NAMESPACE PACKAGE CLASS METHOD PROPERTY FIELD CONSTRUCTOR ENUM INTERFACE FUNCTION VARIABLE CONSTANT ' +
    'STRING NUMBER BOOLEAN ARRAY OBJECT KEY NULL ENUMMEMBER STRUCT EVENT OPERATOR TYPEPARAMETER'
  ).split(' '),
);

/** The objects of the type `Symbol` for definitions in a file. */
export function symbolObjects(file: ReturnType<typeof createBlob>, symbols: FileMatch['symbols']): object[] {
  return symbols.map(({ name, kind, line }) => {
    const [url, canonicalURL] = [`${file.url}?L${line}`, `${file.canonicalURL}?L${line}`];
    const range = { start: { line: line - 1, character: 0 }, end: { line, character: 0 } };
    return {
      name,
      containerName: null,
      kind: SYMBOL_KINDS.has(kind) ? kind : 'UNKNOWN',
      language: file.language,
      location: { resource: file, range, url, canonicalURL },
      url,
      canonicalURL,
      fileLocal: false,
    };
  });
}

/** Finds definitions at a commit by a search for symbols. Patterns with white space or quotation marks find nothing there. */
export async function findSymbols(context: RepositoryContext, oid: string, asked: SymbolArguments, work: Work) {
  const { first } = pageOf({ first: asked.first ?? null });
  const filters = (asked.includePatterns ?? []).map((pattern) => `file:${pattern.replaceAll(/\s/g, '\\s')}`);
  const place = `repo:^${escapeRegExp(context.repository.name)}$@${oid}`;
  const query = [place, ...filters, 'type:symbol', `count:${first + 1}`, 'patternType:regexp', asked.query || '.'].join(
    ' ',
  );
  const { viewer, signal } = work;
  const found = await work.search(JSON.stringify([query]), () => context.data.search({ query, viewer, signal }));
  const nodes = found.results.flatMap((result) => {
    // The words of a client are part of the query, and may name another repository.
    if (result.kind !== 'file' || result.repository !== context.repository.name) return [];
    const file = createBlob(context, { oid, revision: oid, path: result.path });
    return symbolObjects(file, result.symbols);
  });
  work.expect(nodes.length);
  return { nodes: nodes.slice(0, first), pageInfo: { ...pageInfo(null), hasNextPage: nodes.length > first } };
}
