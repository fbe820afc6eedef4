import { LIMITS } from '../limits.ts';
import { GraphqlError, type Token, tokenize } from './lexer.ts';

export type Value = { kind: 'variable'; name: string } | { kind: 'literal'; value: unknown };

/** A field; `key` is its alias, or else its name. */
export interface Field {
  key: string;
  name: string;
  parameters: Map<string, Value>;
  selection: Field[] | undefined;
}

/** One query operation; no other kind is offered. */
export interface Operation {
  name: string | undefined;
  defaults: Map<string, unknown>;
  required: string[];
  selection: Field[];
}

/** Parses the queries of a document. Rejects fragments, directives and mutations with an error that names them. */
export function parseDocument(source: string): Operation[] {
  const tokens = tokenize(source);
  let position = 0;
  let fields = 0;
  let aliases = 0;
  const peek = (): Token => tokens[position] ?? { kind: 'end', value: '<EOF>' };
  const next = (): Token => tokens[position++] ?? { kind: 'end', value: '<EOF>' };
  const at = (value: string): boolean => peek().kind === 'punctuator' && peek().value === value;
  const take = (value: string): boolean => {
    if (!at(value)) return false;
    position += 1;
    return true;
  };
  const expect = (value: string): void => {
    if (!take(value)) throw new GraphqlError(`Syntax Error: Expected "${value}", found "${peek().value}".`);
  };
  const name = (): string => {
    const token = next();
    if (token.kind !== 'name') throw new GraphqlError(`Syntax Error: Expected a name, found "${token.value}".`);
    return token.value;
  };

  function value(depth: number): Value {
    if (depth > LIMITS.graphqlDepth) throw new GraphqlError('The query is nested too deeply.');
    if (take('$')) return { kind: 'variable', name: name() };
    if (take('[')) {
      const items: unknown[] = [];
      while (!take(']')) items.push(constant(depth + 1));
      return { kind: 'literal', value: items };
    }
    if (take('{')) {
      const entries = new Map<string, unknown>();
      while (!take('}')) {
        const key = name();
        expect(':');
        entries.set(key, constant(depth + 1));
      }
      return { kind: 'literal', value: Object.fromEntries(entries) };
    }
    const token = next();
    if (token.kind === 'string') return { kind: 'literal', value: token.value };
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.value) };
    if (token.kind === 'name') {
      const words = new Map<string, unknown>([
        ['true', true],
        ['false', false],
        ['null', null],
      ]);
      return { kind: 'literal', value: words.has(token.value) ? words.get(token.value) : token.value };
    }
    throw new GraphqlError(`Syntax Error: Unexpected "${token.value}".`);
  }

  function constant(depth: number): unknown {
    const parsed = value(depth);
    if (parsed.kind === 'variable') throw new GraphqlError('Variables are not offered inside lists and objects.');
    return parsed.value;
  }

  function selection(depth: number): Field[] {
    if (depth > LIMITS.graphqlDepth)
      throw new GraphqlError(`The query is nested more than ${LIMITS.graphqlDepth} deep.`);
    expect('{');
    const selected: Field[] = [];
    while (!take('}')) {
      if (at('...')) throw new GraphqlError('Fragments are not offered here.');
      selected.push(field(depth));
    }
    if (selected.length === 0) throw new GraphqlError('Syntax Error: A selection must not be empty.');
    return selected;
  }

  function field(depth: number): Field {
    const first = name();
    const aliased = take(':');
    if (aliased && ++aliases > LIMITS.graphqlAliases) throw new GraphqlError('The query has too many aliases.');
    if (++fields > LIMITS.graphqlFields) throw new GraphqlError('The query has too many fields.');
    const own = aliased ? name() : first;
    const parameters = new Map<string, Value>();
    if (take('(')) {
      while (!take(')')) {
        const key = name();
        expect(':');
        parameters.set(key, value(0));
      }
    }
    if (at('@')) throw new GraphqlError('Directives are not offered here.');
    return { key: first, name: own, parameters, selection: at('{') ? selection(depth + 1) : undefined };
  }

  function operation(): Operation {
    const defaults = new Map<string, unknown>();
    const required: string[] = [];
    let title: string | undefined;
    if (!at('{')) {
      const kind = name();
      if (kind !== 'query') throw new GraphqlError(`Only queries are offered here, no ${kind}.`);
      if (peek().kind === 'name') title = name();
      if (take('(')) {
        while (!take(')')) {
          expect('$');
          const variable = name();
          expect(':');
          const isRequired = type();
          if (take('=')) defaults.set(variable, constant(0));
          else if (isRequired) required.push(variable);
        }
      }
    }
    return { name: title, defaults, required, selection: selection(1) };
  }

  function type(): boolean {
    if (take('[')) {
      type();
      expect(']');
    } else name();
    return take('!');
  }

  const operations: Operation[] = [];
  while (peek().kind !== 'end') operations.push(operation());
  return operations;
}
