/** What a template of the chart consists of. The subset of the language of Helm is listed in decision 34. */
export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; pipe: Pipe; line: number }
  | { kind: 'set'; name: string; isNew: boolean; pipe: Pipe; line: number }
  | { kind: 'if'; branches: { pipe: Pipe; body: Node[] }[]; otherwise: Node[]; line: number }
  | { kind: 'with'; pipe: Pipe; body: Node[]; line: number }
  | { kind: 'range'; names: string[]; pipe: Pipe; body: Node[]; line: number };

/** Commands whose results are passed on from left to right. */
export type Pipe = Term[][];

/** One word of a command. `path` names the fields below it. */
export type Term =
  | { kind: 'literal'; value: string | bigint | boolean }
  | { kind: 'field'; path: string[] }
  | { kind: 'variable'; name: string; path: string[] }
  | { kind: 'call'; name: string }
  | { kind: 'pipe'; pipe: Pipe; path: string[] };

/** A template that this renderer can't read, or that fails. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

interface Piece {
  /** Undefined for an action. */
  text?: string;
  words: string[];
  line: number;
}

/** Reads a file of templates. Puts what it defines into `defined`, and returns the rest. Throws {@link TemplateError}. */
export function parseTemplate(file: string, source: string, defined: Map<string, Node[]>): Node[] {
  const pieces = split(file, source);
  let at = 0;

  const { body, end } = block([]);
  if (end !== undefined) throw fail(end, 'ends what did not begin');
  return body;

  function fail({ line }: Piece, problem: string): TemplateError {
    return new TemplateError(`${file}:${line}: ${problem}`);
  }

  /** Reads up to an action that begins with one of `ends`, or to the end of the file. */
  function block(ends: string[]): { body: Node[]; end: Piece | undefined } {
    const body: Node[] = [];
    for (let piece = pieces[at]; piece !== undefined; piece = pieces[at]) {
      at += 1;
      if (piece.text !== undefined) {
        body.push({ kind: 'text', text: piece.text });
        continue;
      }
      const [first = '', ...rest] = piece.words;
      if (ends.includes(first)) return { body, end: piece };
      if (first === 'end' || first === 'else') throw fail(piece, `${first} without a beginning`);
      const node = action(piece, first, rest);
      if (node !== undefined) body.push(node);
    }
    if (ends.length > 0) throw new TemplateError(`${file}: an end is missing`);
    return { body, end: undefined };
  }

  function action(piece: Piece, first: string, rest: string[]): Node | undefined {
    const { line } = piece;
    switch (first) {
      case 'define': {
        const name = unquote(rest[0] ?? '');
        if (defined.has(name)) throw fail(piece, `${name} is defined twice`);
        defined.set(name, block(['end']).body);
        return undefined;
      }
      case 'if':
        return conditional(piece, rest);
      case 'with': {
        const pipe = readPipe(piece, rest);
        return { kind: 'with', pipe, body: block(['end']).body, line };
      }
      case 'range': {
        const assign = rest.indexOf(':=');
        const names = rest.slice(0, Math.max(assign, 0)).filter((word) => word !== ',');
        const pipe = readPipe(piece, rest.slice(assign + 1));
        return { kind: 'range', names, pipe, body: block(['end']).body, line };
      }
      default: {
        const [, operator = ''] = piece.words;
        if (first.startsWith('$') && (operator === ':=' || operator === '=')) {
          return { kind: 'set', name: first, isNew: operator === ':=', pipe: readPipe(piece, rest.slice(1)), line };
        }
        return { kind: 'output', pipe: readPipe(piece, piece.words), line };
      }
    }
  }

  function conditional(piece: Piece, condition: string[]): Node {
    const branches: { pipe: Pipe; body: Node[] }[] = [];
    let next: string[] | undefined = condition;
    let otherwise: Node[] = [];
    while (next !== undefined) {
      const pipe = readPipe(piece, next);
      const { body, end } = block(['else', 'end']);
      branches.push({ pipe, body });
      const [word, second, ...rest] = end?.words ?? [];
      next = word === 'else' && second === 'if' ? rest : undefined;
      if (word === 'else' && second === undefined) otherwise = block(['end']).body;
      else if (word === 'else' && second !== 'if') throw fail(piece, `else ${second} is not supported`);
    }
    return { kind: 'if', branches, otherwise, line: piece.line };
  }

  function readPipe(piece: Piece, words: string[]): Pipe {
    const open = [...words];
    const pipe = commands();
    if (open.length > 0) throw fail(piece, `${open[0]} is not expected`);
    return pipe;

    function commands(): Pipe {
      const found: Pipe = [[]];
      for (let word = open[0]; word !== undefined && !word.startsWith(')'); word = open[0]) {
        open.shift();
        if (word === '|') found.push([]);
        else found.at(-1)?.push(term(word));
      }
      if (found.some((command) => command.length === 0)) throw fail(piece, 'a command is empty');
      return found;
    }

    function term(word: string): Term {
      if (word === '(') {
        const inner = commands();
        const closing = open.shift();
        if (closing === undefined) throw fail(piece, 'a bracket is not closed');
        return { kind: 'pipe', pipe: inner, path: fieldsOf(closing.slice(1)) };
      }
      if (/^["`]/.test(word)) return { kind: 'literal', value: unquote(word) };
      if (/^-?\d+$/.test(word)) return { kind: 'literal', value: BigInt(word) };
      if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
      if (word.startsWith('$')) {
        const [name = '', ...path] = word.split('.');
        return { kind: 'variable', name, path };
      }
      if (word.startsWith('.')) return { kind: 'field', path: fieldsOf(word) };
      if (/^[A-Za-z]\w*$/.test(word)) return { kind: 'call', name: word };
      throw fail(piece, `${word} is not expected`);
    }
  }
}

function fieldsOf(word: string): string[] {
  return word.split('.').filter((name) => name !== '');
}

function unquote(word: string): string {
  return word.startsWith('`') ? word.slice(1, -1) : String(JSON.parse(word));
}

const actionPattern = /\{\{(-\s)?\s*([\s\S]*?)\s*(\s-)?\}\}/g;
const wordPattern =
  /"(?:[^"\\]|\\.)*"|`[^`]*`|:=|\)(?:\.\w+)*|[=|(,]|-?\d+(?![\w.])|\$\w*(?:\.\w+)*|(?:\.\w+)+|\.|[A-Za-z]\w*/y;

/** Texts and actions in their order. A dash next to the braces removes the white space there. */
function split(file: string, source: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let isTrimmed = false;
  const addText = (text: string): void => {
    const left = isTrimmed ? text.trimStart() : text;
    if (left !== '') pieces.push({ text: left, words: [], line: 0 });
  };
  for (const match of source.matchAll(actionPattern)) {
    const [whole, trimBefore, content = '', trimAfter] = match;
    const line = source.slice(0, match.index).split('\n').length;
    const before = source.slice(end, match.index);
    addText(trimBefore === undefined ? before : before.trimEnd());
    isTrimmed = trimAfter !== undefined;
    end = match.index + whole.length;
    if (!/^\/\*[\s\S]*\*\/$/.test(content)) pieces.push({ words: wordsOf(content, `${file}:${line}`), line });
  }
  addText(source.slice(end));
  return pieces;
}

function wordsOf(content: string, place: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < content.length) {
    if (/\s/.test(content[at] ?? '')) {
      at += 1;
      continue;
    }
    wordPattern.lastIndex = at;
    const [word] = wordPattern.exec(content) ?? [];
    if (word === undefined) throw new TemplateError(`${place}: "${content.slice(at)}" is not supported`);
    words.push(word);
    at += word.length;
  }
  return words;
}
