import type { TrackedFile } from '../git/repository.ts';
import type { Corpus } from '../index/corpus.ts';
import { createFileAnalyzer } from '../index/file-analyzer.ts';
import type { CodeSymbol } from '../index/symbols.ts';
import { LIMITS } from '../limits.ts';
import { fileMatch } from './content.ts';
import { type Place, readTexts, selectFiles } from './files.ts';
import type { PlannedBranch } from './plan.ts';
import { evaluate, type Run } from './run.ts';

/** The public service has no kind for types in general; it calls them classes. */
const KINDS: Partial<Record<CodeSymbol['kind'], string>> = { type: 'CLASS' };

/** Finds definitions by name: from the index, and at other revisions also by reading files. */
export async function searchSymbols(corpus: Corpus, place: Place, branch: PlannedBranch, run: Run): Promise<void> {
  const files = await selectFiles(place, branch, run);

  async function add(path: string, symbols: readonly CodeSymbol[]): Promise<void> {
    const found: CodeSymbol[] = [];
    for (const symbol of symbols) {
      await run.pause();
      if (symbol.kind !== 'heading' && isNamed(symbol.name)) found.push(symbol);
    }
    if (found.length === 0) return;
    const matches = found.map(({ name, kind, line }) => ({ name, kind: KINDS[kind] ?? kind.toUpperCase(), line }));
    await run.add({ ...fileMatch(place, path), symbols: matches });
  }

  function isNamed(name: string): boolean {
    const { expression, patterns } = branch;
    return expression === undefined || evaluate(expression, (index) => patterns[index]?.test(name) === true);
  }

  const unknown: (TrackedFile & { textLength: undefined })[] = [];
  for (const { path, blob } of files) {
    const file = corpus.index.get(place.repository.name, path);
    if (file?.blob === blob && file.isRead) await add(path, file.symbols);
    else if (place.revision === '' || unknown.length >= LIMITS.symbolFilesPerRevision) run.limitHit = true;
    else unknown.push({ path, blob, textLength: undefined });
  }
  for await (const { group, texts } of readTexts(place, unknown)) {
    const known = group.flatMap(({ path, blob }) => {
      const text = texts.get(blob);
      return text === undefined || text.length > LIMITS.fileBytes ? [] : [{ path, text }];
    });
    const analyzer = createFileAnalyzer(known.reduce((sum, { text }) => sum + text.length, 0));
    try {
      for await (const [{ path }, { symbols }] of analyzer.analyze(known)) await add(path, symbols);
    } finally {
      await analyzer.close();
    }
  }
}
