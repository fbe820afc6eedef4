import type { Node } from '@vscode/tree-sitter-wasm';
import { grammarOf, withTree } from '../index/syntax/grammars.ts';

const LONGEST = 160;

/**
 * The condition under which a line runs, as the code writes it: that of the nearest `if` or `case` around it in its function. Where the
 * line has the given text, the condition of that text counts: `if (a) b()` runs `b` on one line with its condition.
 */
export async function conditionOf(
  path: string,
  lines: readonly string[],
  line: number,
  text = '',
): Promise<string | undefined> {
  const grammar = await grammarOf(path);
  if (grammar === undefined) return undefined;
  return withTree(grammar, lines.join('\n'), ({ rootNode }) => {
    const whole = lines[line - 1] ?? '';
    const column = text !== '' && whole.includes(text) ? whole.indexOf(text) : whole.search(/\S/);
    let node = rootNode.descendantForPosition({ row: line - 1, column: Math.max(0, column) });
    while (node !== null) {
      const { parent } = node;
      if (parent === null || /function|method|arrow|lambda|closure|class/.test(parent.type)) return undefined;
      const condition = conditionAround(parent, node);
      if (condition !== undefined) return condition.length > LONGEST ? undefined : condition;
      node = parent;
    }
    return undefined;
  });
}

function conditionAround(parent: Node, from: Node): string | undefined {
  const condition = parent.childForFieldName('condition');
  if (/^(?:if|elif|unless)/.test(parent.type) && condition !== null && from.id !== condition.id) {
    const text = condition.text.replace(/\s+/g, ' ').replace(/^\((.*)\)$/, '$1');
    const isOtherwise = /^else/.test(from.type) || parent.childForFieldName('alternative')?.id === from.id;
    return isOtherwise ? `not ${text}` : text;
  }
  const value = parent.childForFieldName('value') ?? parent.childForFieldName('pattern');
  return /case|match_arm/.test(parent.type) && value !== null && value.id !== from.id
    ? value.text.replace(/\s+/g, ' ')
    : undefined;
}
