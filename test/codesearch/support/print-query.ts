import type { Query, QueryNode } from '../../../src/codesearch/query/ast.ts';

/** Writes a query so that parsing it gives the same query again, with every value in quotes and every group in parentheses. */
export function printQuery({ root }: Query): string {
  return root === undefined ? '' : print(root);
}

function print(node: QueryNode): string {
  switch (node.kind) {
    case 'pattern':
      return node.syntax === 'literal' ? `content:${quote(node.text)}` : `/${escapeSlashes(node.text)}/`;
    case 'filter':
      return `${node.negated ? '-' : ''}${node.field}:${quote(node.value)}`;
    case 'not':
      return `NOT ${print(node.operand)}`;
    default:
      return `(${node.operands.map(print).join(` ${node.kind.toUpperCase()} `)})`;
  }
}

/** Text in double quotes, as the query language reads it. */
function quote(text: string): string {
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return `"${text.replace(/["\\\n\r\t]/g, (sign) => escapes[sign] ?? `\\${sign}`)}"`;
}

function escapeSlashes(source: string): string {
  return source.replace(/\\.|\//gs, (sign) => (sign === '/' ? '\\/' : sign));
}
