/**
 * Reads GraphQL documents while they are being written: tokens for coloring, and what may stand at a place. It
 * accepts unfinished and wrong documents.
 *
 * @typedef {{ kind: 'name' | 'variable' | 'string' | 'number' | 'comment' | 'sign', text: string, start: number, end: number }} Token
 * @typedef {import('./graphql-schema.js').Schema} Schema
 * @typedef {import('./graphql-schema.js').TypeInfo} TypeInfo
 * @typedef {import('./graphql-schema.js').FieldInfo} FieldInfo
 * @typedef {import('./graphql-schema.js').ArgumentInfo} ArgumentInfo
 * @typedef {{ label: string, detail: string, description: string }} Completion
 */

const TOKEN =
  /(?<comment>#[^\n\r]*)|(?<string>"""(?:[^"\\]|\\.|"(?!""))*(?:"""|$)|"(?:[^"\\\n\r]|\\.)*(?:"|$|(?=[\n\r])))|(?<variable>\$[_A-Za-z0-9]*)|(?<name>[_A-Za-z][_0-9A-Za-z]*)|(?<number>-?\d[\d.eE+-]*)|(?<sign>\.\.\.|[{}()[\]:=!|@&])/gs;

/**
 * @param {string} text
 * @returns {Token[]}
 */
export function tokenize(text) {
  const tokens = [];
  for (const match of text.matchAll(TOKEN)) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0];
    tokens.push(
      /** @type {Token} */ ({ kind, text: match[0], start: match.index, end: match.index + match[0].length }),
    );
  }
  return tokens;
}

/**
 * The operations of a document, with the place of each.
 *
 * @param {string} text
 * @returns {{ name: string | undefined, start: number, end: number }[]}
 */
export function findOperations(text) {
  const operations = [];
  let depth = 0;
  /** @type {{ name: string | undefined, start: number } | undefined} */
  let open;
  let isFragment = false;
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment');
  for (const [index, token] of tokens.entries()) {
    if (depth === 0 && token.kind === 'name' && open === undefined) {
      if (token.text === 'fragment') isFragment = true;
      else if (!isFragment && ['query', 'mutation', 'subscription'].includes(token.text)) {
        const next = tokens[index + 1];
        open = { name: next?.kind === 'name' ? next.text : undefined, start: token.start };
      }
    }
    if (token.text === '{') {
      if (depth === 0 && open === undefined && !isFragment) open = { name: undefined, start: token.start };
      depth += 1;
    }
    if (token.text === '}') {
      depth = Math.max(0, depth - 1);
      if (depth > 0) continue;
      if (open !== undefined) operations.push({ ...open, end: token.end });
      open = undefined;
      isFragment = false;
    }
  }
  if (open !== undefined) operations.push({ ...open, end: text.length });
  return operations;
}

/**
 * What surrounds a place in a document.
 *
 * @typedef {{
 *   kind: 'document' | 'selection' | 'arguments' | 'input' | 'definitions',
 *   type: TypeInfo | undefined,
 *   field: FieldInfo | undefined,
 *   arguments: ArgumentInfo[],
 *   argument: ArgumentInfo | undefined,
 *   before: string,
 * }} Place
 *
 * @param {Schema} schema
 * @param {Token[]} tokens those before the place
 * @returns {Place}
 */
function findPlace(schema, tokens) {
  /** @type {Place[]} */
  const stack = [place('document')];
  const top = () => /** @type {Place} */ (stack.at(-1));
  let operation = schema.queryType;
  /** @type {TypeInfo | undefined} */
  let condition;
  let directive = '';
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]?.text ?? '';
    const here = top();
    here.before = token.text;
    if (token.kind === 'name') {
      if (before === '@') directive = token.text;
      else if (here.kind === 'document') {
        if (token.text === 'query') operation = schema.queryType;
        if (token.text === 'mutation') operation = schema.mutationType;
        if (token.text === 'subscription') operation = undefined;
        if (before === 'on') condition = schema.type(token.text);
      } else if (here.kind === 'selection') {
        if (before === 'on' && tokens[index - 2]?.text === '...') condition = schema.type(token.text);
        else if (before !== '...') here.field = schema.field(here.type, token.text);
        directive = '';
      } else if (before !== ':') {
        here.argument = here.arguments.find(({ name }) => name === token.text);
      }
      continue;
    }
    if (token.text === '{') {
      if (here.kind === 'document') {
        stack.push({ ...place('selection'), type: condition ?? operation });
      } else if (here.kind === 'selection') {
        const isFragment = condition !== undefined || before === '...';
        stack.push({
          ...place('selection'),
          type: condition ?? (isFragment ? here.type : schema.typeOf(here.field?.type)),
        });
      } else {
        stack.push({ ...place('input'), arguments: schema.typeOf(here.argument?.type)?.inputFields ?? [] });
      }
      condition = undefined;
      directive = '';
    } else if (token.text === '(') {
      const own = directive === '' ? here.field?.args : schema.directive(directive)?.args;
      stack.push(
        here.kind === 'document' && directive === ''
          ? place('definitions')
          : { ...place('arguments'), arguments: own ?? [] },
      );
      directive = '';
    } else if (token.text === '}' || token.text === ')') {
      if (stack.length > 1) stack.pop();
      if (stack.length === 1) condition = undefined;
      if (token.text === '}') top().field = undefined;
    }
  }
  return top();
}

/**
 * @param {Place['kind']} kind
 * @returns {Place}
 */
function place(kind) {
  return { kind, type: undefined, field: undefined, arguments: [], argument: undefined, before: '' };
}

/**
 * What may be written at the cursor, and where the word to replace starts; nothing within comments and strings.
 *
 * @param {Schema} schema
 * @param {string} text
 * @param {number} cursor
 * @returns {{ start: number, completions: Completion[] }}
 */
export function complete(schema, text, cursor) {
  const all = tokenize(text);
  const inside = all.find(({ start, end }) => start < cursor && cursor <= end);
  if (inside?.kind === 'comment' || (inside?.kind === 'string' && cursor < inside.end))
    return { start: cursor, completions: [] };
  const isWord = inside !== undefined && (inside.kind === 'name' || inside.kind === 'variable');
  const start = isWord ? inside.start : cursor;
  const typed = text.slice(start, cursor).toLowerCase();
  const tokens = all.filter((token) => token.end <= start && token.kind !== 'comment');
  const here = findPlace(schema, tokens);
  const found = candidates(schema, here, tokens, text)
    .filter(({ label }) => fits(label.toLowerCase(), typed))
    .sort((a, b) => rank(a, typed) - rank(b, typed) || (a.label < b.label ? -1 : 1));
  return { start, completions: found };
}

/**
 * One letter must begin the word; more may stand anywhere in it.
 *
 * @param {string} label
 * @param {string} typed
 */
function fits(label, typed) {
  return typed.length < 2 ? label.startsWith(typed) : label.includes(typed);
}

/**
 * @param {Completion} completion
 * @param {string} typed
 */
function rank({ label }, typed) {
  if (label.startsWith('__')) return 2;
  return label.toLowerCase().startsWith(typed) ? 0 : 1;
}

/**
 * @param {Schema} schema
 * @param {Place} here
 * @param {Token[]} tokens
 * @param {string} text
 * @returns {Completion[]}
 */
function candidates(schema, here, tokens, text) {
  const last = tokens.at(-1)?.text ?? '';
  if (last === '@')
    return schema.directives.map(({ name, description }) => ({
      label: name,
      detail: '',
      description: description ?? '',
    }));
  if (here.kind === 'document') {
    if (last === 'on') return typesOf(schema, ['OBJECT', 'INTERFACE', 'UNION']);
    if (last !== '' && last !== '}') return [];
    return words(['query', ...(schema.mutationType === undefined ? [] : ['mutation']), 'fragment']);
  }
  if (here.kind === 'selection') {
    if (last === '...') {
      const fragments = [...text.matchAll(/\bfragment\s+([_A-Za-z]\w*)/g)].map(([, name = '']) => name);
      return words(['on', ...fragments.filter((name) => name !== 'on')]);
    }
    if (last === 'on' && tokens.at(-2)?.text === '...') return possibleTypes(schema, here.type);
    return schema.fieldsOf(here.type).map(({ name, type, description }) => ({
      label: name,
      detail: schema.typeText(type),
      description: description ?? '',
    }));
  }
  if (here.kind === 'definitions') {
    return last === ':' || last === '[' ? typesOf(schema, ['SCALAR', 'ENUM', 'INPUT_OBJECT']) : [];
  }
  if (last !== ':' && last !== '[') {
    return here.arguments.map(({ name, type, description }) => ({
      label: name,
      detail: schema.typeText(type),
      description: description ?? '',
    }));
  }
  return valuesFor(schema, here.argument, text);
}

/**
 * @param {Schema} schema
 * @param {ArgumentInfo | undefined} argument
 * @param {string} text
 */
function valuesFor(schema, argument, text) {
  const type = schema.typeOf(argument?.type);
  const variables = [...new Set([...text.matchAll(/(\$[_A-Za-z]\w*)\s*:/g)].map(([, name = '']) => name))];
  const values =
    type?.kind === 'ENUM'
      ? (type.enumValues ?? []).map(({ name, description }) => ({
          label: name,
          detail: type.name,
          description: description ?? '',
        }))
      : words(type?.name === 'Boolean' ? ['true', 'false'] : []);
  return [...values, ...words(variables)];
}

/**
 * @param {string[]} labels
 * @returns {Completion[]}
 */
function words(labels) {
  return labels.map((label) => ({ label, detail: '', description: '' }));
}

/**
 * @param {Schema} schema
 * @param {string[]} kinds
 * @returns {Completion[]}
 */
function typesOf(schema, kinds) {
  return schema.types
    .filter(({ kind, name }) => kinds.includes(kind) && !name.startsWith('__'))
    .map(({ name, kind, description }) => ({
      label: name,
      detail: kind.toLowerCase().replace('_', ' '),
      description: description ?? '',
    }));
}

/**
 * @param {Schema} schema
 * @param {TypeInfo | undefined} type
 * @returns {Completion[]}
 */
function possibleTypes(schema, type) {
  const names = [
    type?.name ?? '',
    ...(type?.possibleTypes ?? []).map(({ name }) => name),
    ...(type?.interfaces ?? []).map(({ name }) => name),
  ];
  return typesOf(schema, ['OBJECT', 'INTERFACE', 'UNION']).filter(({ label }) => names.includes(label));
}

/**
 * The field or argument that the cursor stands on, as `Type.field`, for the documentation.
 *
 * @param {Schema} schema
 * @param {string} text
 * @param {number} cursor
 * @returns {{ type: string, field: string } | undefined}
 */
export function fieldAt(schema, text, cursor) {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment');
  const token = tokens.find(({ kind, start, end }) => kind === 'name' && start <= cursor && cursor <= end);
  if (token === undefined) return undefined;
  const here = findPlace(
    schema,
    tokens.filter(({ end }) => end <= token.start),
  );
  if (here.kind !== 'selection' || here.type === undefined) return undefined;
  return schema.field(here.type, token.text) === undefined ? undefined : { type: here.type.name, field: token.text };
}
