/**
 * @typedef {import('./graphql-schema.js').Schema} Schema
 * @typedef {import('./graphql-schema.js').TypeInfo} TypeInfo
 * @typedef {import('./graphql-schema.js').FieldInfo} FieldInfo
 * @typedef {import('./graphql-schema.js').TypeRef} TypeRef
 */

const MOST_FOUND = 60;

/**
 * The documentation of the schema: types with their fields, a search, and the field at the cursor.
 *
 * @param {HTMLElement} panel
 * @param {() => void} retry
 */
export function createDocs(panel, retry) {
  const heading = part('h2', 'Documentation');
  const search = /** @type {HTMLInputElement} */ (part('input'));
  search.type = 'search';
  search.placeholder = 'Search types and fields';
  search.setAttribute('aria-label', 'Search the documentation');
  const follow = part('div');
  follow.className = 'docs-field';
  const body = part('div', 'Loading…');
  panel.replaceChildren(heading, search, follow, body);
  /** @type {Schema | undefined} */
  let schema;
  /** @type {string[]} */
  let trail = [];

  search.addEventListener('input', () => showSearch(search.value.trim().toLowerCase()));

  function showRoot() {
    trail = [];
    body.replaceChildren(
      part('p', 'What this service answers. Choose a type to see its fields.'),
      ...[schema?.queryType, schema?.mutationType].flatMap((type) => (type === undefined ? [] : typeParts(type))),
    );
  }

  /** @param {string} name */
  function showType(name) {
    const type = schema?.type(name);
    if (type === undefined) return;
    trail.push(name);
    const back = button('Back', () => {
      trail.pop();
      const previous = trail.pop();
      if (previous === undefined) showRoot();
      else showType(previous);
    });
    body.replaceChildren(back, ...typeParts(type));
    panel.scrollTop = 0;
  }

  /** @param {TypeInfo} type */
  function typeParts(type) {
    const title = part('h3', type.name);
    title.append(part('small', ` ${type.kind.toLowerCase().replace('_', ' ')}`));
    const parts = [title];
    if (type.description) parts.push(part('p', type.description));
    parts.push(...(type.fields ?? []).map(fieldPart));
    parts.push(
      ...(type.inputFields ?? []).map(({ name, type: own, description }) =>
        entry([name, ': ', typeLink(own)], description),
      ),
    );
    parts.push(...(type.enumValues ?? []).map(({ name, description }) => entry([name], description)));
    parts.push(...(type.possibleTypes ?? []).map(({ name }) => entry([named(name)], null)));
    return parts;
  }

  /** @param {FieldInfo} field */
  function fieldPart({ name, args, type, description, isDeprecated, deprecationReason }) {
    const shown = args.flatMap((argument, index) => [
      index === 0 ? '(' : ', ',
      `${argument.name}: `,
      typeLink(argument.type),
      argument.defaultValue === null ? '' : ` = ${argument.defaultValue}`,
      index === args.length - 1 ? ')' : '',
    ]);
    const title = part('strong', name);
    const about = [description, isDeprecated ? `Deprecated. ${deprecationReason ?? ''}` : null]
      .filter(Boolean)
      .join(' ');
    return entry([title, ...shown, ': ', typeLink(type)], about || null);
  }

  /**
   * @param {(string | Node)[]} line
   * @param {string | null} description
   */
  function entry(line, description) {
    const item = part('div');
    item.className = 'docs-entry';
    const code = part('code');
    code.append(...line);
    item.append(code);
    if (description) item.append(part('p', description));
    return item;
  }

  /** @param {TypeRef} type */
  function typeLink(type) {
    const text = schema?.typeText(type) ?? '';
    const inner = schema?.typeOf(type);
    return inner === undefined ? document.createTextNode(text) : button(text, () => showType(inner.name));
  }

  /** @param {string} name */
  function named(name) {
    return button(name, () => showType(name));
  }

  /** @param {string} wanted */
  function showSearch(wanted) {
    if (schema === undefined) return;
    if (wanted === '') return showRoot();
    const found = schema.types
      .filter(({ name }) => !name.startsWith('__'))
      .flatMap((type) => [
        ...(type.name.toLowerCase().includes(wanted) ? [entry([named(type.name)], type.description)] : []),
        ...(type.fields ?? [])
          .filter(({ name }) => name.toLowerCase().includes(wanted))
          .map((field) => entry([named(type.name), `.${field.name}`], field.description)),
      ]);
    body.replaceChildren(...(found.length > 0 ? found.slice(0, MOST_FOUND) : [part('p', 'Nothing has this name.')]));
  }

  return {
    /** @param {Schema} given */
    useSchema(given) {
      schema = given;
      showRoot();
    },
    /**
     * Says what is needed before the schema can be shown.
     *
     * @param {string} message
     */
    ask(message) {
      body.replaceChildren(part('p', message), button('Load the schema', retry));
    },
    /** @param {string} message */
    fail(message) {
      const problem = part('p', `The schema could not be loaded: ${message}`);
      problem.className = 'error';
      body.replaceChildren(problem, button('Try again', retry));
    },
    /**
     * Shows the field that the cursor stands on.
     *
     * @param {{ type: string, field: string }} place
     */
    follow({ type, field }) {
      const own = schema?.type(type);
      const found = own === undefined ? undefined : schema?.field(own, field);
      if (found !== undefined) follow.replaceChildren(part('small', `${type}.`), fieldPart(found));
    },
  };
}

/**
 * @param {string} name
 * @param {string} [text]
 */
function part(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/**
 * @param {string} text
 * @param {() => void} action
 */
function button(text, action) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'plain';
  made.textContent = text;
  made.addEventListener('click', action);
  return made;
}
