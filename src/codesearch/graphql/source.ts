import { type DocumentNode, Kind, Lexer, parse, Source, TokenKind, visit } from 'graphql';
import { LIMITS } from '../limits.ts';

/** How large a document is, measured without recursion. */
export interface SourceSize {
  tokens: number;
  /** Brackets of all kinds within each other. */
  nesting: number;
  /** Selections within each other. */
  depth: number;
}

/** Measures a document before it is parsed; throws a `GraphQLError` for text that is not made of GraphQL tokens. */
export function measureSource(text: string): SourceSize {
  const lexer = new Lexer(new Source(text));
  const size: SourceSize = { tokens: 0, nesting: 0, depth: 0 };
  let open = 0;
  let selections = 0;
  let parentheses = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    size.tokens += 1;
    if (size.tokens > LIMITS.graphqlTokens) return size;
    if (token.kind === TokenKind.PAREN_L) parentheses += 1;
    if (token.kind === TokenKind.PAREN_R) parentheses -= 1;
    const isSelection = parentheses <= 0;
    if ([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L].includes(token.kind)) open += 1;
    if ([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R].includes(token.kind)) open -= 1;
    if (token.kind === TokenKind.BRACE_L && isSelection) selections += 1;
    if (token.kind === TokenKind.BRACE_R && isSelection) selections -= 1;
    size.nesting = Math.max(size.nesting, open);
    size.depth = Math.max(size.depth, selections);
  }
  return size;
}

/** Parses a document that was measured; throws a `GraphQLError` with the place of a syntax error. */
export function parseSource(text: string): DocumentNode {
  return parse(text, { maxTokens: LIMITS.graphqlTokens });
}

/** Whether a string of the document contains NUL, which no path, revision or pattern can. */
export function hasNulInString(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.STRING](node) {
      found ||= node.value.includes('\0');
    },
  });
  return found;
}

/** Whether a JSON value contains NUL in a string. */
export function containsNul(json: unknown): boolean {
  const waiting: unknown[] = [json];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && value.includes('\0')) return true;
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) waiting.push(part);
  }
  return false;
}
