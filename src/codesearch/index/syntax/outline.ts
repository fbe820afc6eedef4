import type { Outline } from '../symbols.ts';
import { definitionsByLine } from './definitions-by-line.ts';
import { definitionsInTree } from './definitions-in-tree.ts';
import { grammarOf, withTree } from './grammars.ts';

/** Finds the definitions and comments of a file: with a grammar where there is one, otherwise line by line. */
export async function outlineOf(path: string, text: string): Promise<Outline> {
  const grammar = await grammarOf(path);
  const parsed =
    grammar === undefined ? undefined : await withTree(grammar, text, (tree) => definitionsInTree(grammar, tree, text));
  return parsed ?? definitionsByLine(path, text.split('\n'));
}
