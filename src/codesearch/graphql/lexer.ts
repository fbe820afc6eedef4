/** A token of a GraphQL document; the `value` of a string is already unescaped. */
export interface Token {
  kind: 'punctuator' | 'name' | 'number' | 'string' | 'end';
  value: string;
}

/** The document is not GraphQL, or uses something the service does not offer. */
export class GraphqlError extends Error {
  override readonly name = 'GraphqlError';
}

const TOKEN =
  /[\s,\uFEFF]+|#[^\n\r]*|(?<punctuator>\.\.\.|[!$&()[\]{}:=@|])|(?<name>[_A-Za-z]\w*)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"""(?<block>(?:\\"""|(?!""")[\s\S])*)"""|(?<string>"(?:\\.|[^"\\\n])*")/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    if (groups === undefined) throw new GraphqlError(`Syntax Error: Unexpected character at ${at}.`);
    if (groups.punctuator !== undefined) tokens.push({ kind: 'punctuator', value: groups.punctuator });
    else if (groups.name !== undefined) tokens.push({ kind: 'name', value: groups.name });
    else if (groups.number !== undefined) tokens.push({ kind: 'number', value: groups.number });
    else if (groups.block !== undefined)
      tokens.push({ kind: 'string', value: groups.block.replaceAll('\\"""', '"""').trim() });
    else if (groups.string !== undefined) tokens.push({ kind: 'string', value: unquote(groups.string) });
  }
  tokens.push({ kind: 'end', value: '<EOF>' });
  return tokens;
}

function unquote(literal: string): string {
  try {
    return String(JSON.parse(literal.replaceAll('\t', '\\t')));
  } catch {
    throw new GraphqlError('Syntax Error: Invalid string.');
  }
}
