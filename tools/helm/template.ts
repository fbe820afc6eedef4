import { functions, isTrue, textOf, type Value } from './template-functions.ts';
import { type Node, type Pipe, parseTemplate, TemplateError, type Term } from './template-syntax.ts';

type Scope = { dot: Value; variables: Map<string, Value>[] };

/** Templates by the names of their files, and what they define. Throws {@link TemplateError} for what it can't read. */
export function readTemplates(files: ReadonlyMap<string, string>): (file: string, values: Value) => string {
  const defined = new Map<string, Node[]>();
  const bodies = new Map([...files].map(([file, source]) => [file, parseTemplate(file, source, defined)]));

  return (file, values) => {
    const body = bodies.get(file);
    if (body === undefined) throw new TemplateError(`there is no ${file}`);
    return write(file, body, newScope(values));
  };

  function newScope(dot: Value): Scope {
    return { dot, variables: [new Map([['$', dot]])] };
  }

  function write(file: string, nodes: Node[], scope: Scope): string {
    return nodes.map((node) => writeNode(file, node, scope)).join('');
  }

  function writeNode(file: string, node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    const evaluated = (pipe: Pipe): Value => {
      try {
        return evaluate(pipe, scope, file);
      } catch (error) {
        // The innermost place is the one to look at.
        if (!(error instanceof TemplateError) || /^\S+:\d+: /.test(error.message)) throw error;
        throw new TemplateError(`${file}:${node.line}: ${error.message}`);
      }
    };
    const inner = (nodes: Node[], changes: Partial<Scope> = {}, named: [string, Value][] = []): string =>
      write(file, nodes, { dot: scope.dot, ...changes, variables: [...scope.variables, new Map(named)] });

    switch (node.kind) {
      case 'output': {
        const value = evaluated(node.pipe);
        return evaluatedText(value, `${file}:${node.line}`);
      }
      case 'set': {
        const value = evaluated(node.pipe);
        const owner = node.isNew
          ? scope.variables.at(-1)
          : scope.variables.findLast((variables) => variables.has(node.name));
        if (owner === undefined) throw new TemplateError(`${file}:${node.line}: ${node.name} is not known`);
        owner.set(node.name, value);
        return '';
      }
      case 'if': {
        const taken = node.branches.find(({ pipe }) => isTrue(evaluated(pipe)));
        return inner(taken?.body ?? node.otherwise);
      }
      case 'with': {
        const dot = evaluated(node.pipe);
        return isTrue(dot) ? inner(node.body, { dot }) : '';
      }
      case 'range': {
        const [valueName, keyName] = [...node.names].reverse();
        return entriesOf(evaluated(node.pipe))
          .map(([key, dot]) => {
            const names: [string | undefined, Value][] = [
              [keyName, key],
              [valueName, dot],
            ];
            return inner(
              node.body,
              { dot },
              names.flatMap(([name, value]) => (name === undefined ? [] : [[name, value]])),
            );
          })
          .join('');
      }
    }
  }

  function evaluate(pipe: Pipe, scope: Scope, file: string): Value {
    return pipe.reduce<Value[]>((passed, command) => [run(command, passed, scope, file)], [])[0];
  }

  function run([head, ...rest]: Term[], passed: Value[], scope: Scope, file: string): Value {
    if (head === undefined) return undefined;
    if (head.kind !== 'call') {
      if (rest.length + passed.length > 0) throw new TemplateError('only a function takes arguments');
      return resolve(head, scope, file);
    }
    const { name } = head;
    // These two stop at the value that decides.
    if (name === 'and' || name === 'or') {
      let last: Value;
      for (const term of rest) {
        last = resolve(term, scope, file);
        if (isTrue(last) === (name === 'or')) return last;
      }
      return last;
    }
    const values = [...rest.map((term) => resolve(term, scope, file)), ...passed];
    if (name === 'include') {
      const [template, dot] = values;
      const body = defined.get(textOf(template));
      if (body === undefined) throw new TemplateError(`${textOf(template)} is not defined`);
      return write(textOf(template), body, newScope(dot));
    }
    const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (known === undefined) throw new TemplateError(`the function ${name} is not supported`);
    return known(...values);
  }

  function resolve(term: Term, scope: Scope, file: string): Value {
    switch (term.kind) {
      case 'literal':
        return term.value;
      case 'field':
        return below(scope.dot, term.path);
      case 'variable': {
        const owner = scope.variables.findLast((variables) => variables.has(term.name));
        if (owner === undefined) throw new TemplateError(`${term.name} is not known`);
        return below(owner.get(term.name), term.path);
      }
      case 'pipe':
        return below(evaluate(term.pipe, scope, file), term.path);
      case 'call':
        return run([term], [], scope, file);
    }
  }
}

function evaluatedText(value: Value, place: string): string {
  try {
    return textOf(value);
  } catch (error) {
    throw new TemplateError(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The last field may be absent, as in Go. What it is a field of may not. */
function below(value: Value, path: string[]): Value {
  return path.reduce<Value>((owner, name) => {
    if (typeof owner !== 'object' || owner === null || Array.isArray(owner)) {
      throw new TemplateError(`.${path.join('.')}: nothing has a field ${name} here`);
    }
    return Object.hasOwn(owner, name) ? owner[name] : undefined;
  }, value);
}

/** Items with their positions, or values with their names in alphabetical order. */
function entriesOf(value: Value): [Value, Value][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, index) => [BigInt(index), item]);
  if (typeof value === 'object') {
    return Object.keys(value)
      .toSorted()
      .map((name) => [name, value[name]]);
  }
  throw new TemplateError('range needs a list or a map');
}
