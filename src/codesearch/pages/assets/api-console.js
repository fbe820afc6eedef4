import { createDocs } from './console-docs.js';
import { createEditor } from './console-editor.js';
import { createHistory } from './console-history.js';
import { findOperations, tokenize } from './graphql-language.js';
import { createSchema, INTROSPECTION } from './graphql-schema.js';

const EXAMPLE = `# Ctrl+Enter runs the query, Ctrl+Space completes.
query Me {
  currentUser {
    username
  }
}
`;
const LONGEST_SHOWN = 500_000;

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no #${id}.`);
  return found;
}

const run = element('run', HTMLButtonElement);
const token = element('token', HTMLInputElement);
const status = element('status', HTMLSpanElement);
const variables = element('variables', HTMLTextAreaElement);
const errors = element('errors', HTMLDivElement);
const result = element('result', HTMLPreElement);
const historyList = element('history', HTMLSelectElement);
const queryText = element('query', HTMLTextAreaElement);

const history = createHistory();
const docs = createDocs(element('docs', HTMLElement), () => void loadSchema());
const editor = createEditor(queryText, element('completions', HTMLUListElement), (place) => docs.follow(place));

/** @type {AbortController | undefined} */
let running;
let hasSchema = false;

/**
 * Sends one request. The token stays in the field: it is never stored.
 *
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 */
function send(body, signal) {
  /** @type {Record<string, string>} */
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'X-Requested-With': 'codesearch-console 1.0',
  };
  const own = token.value.trim();
  if (own !== '') headers.Authorization = `token ${own}`;
  return fetch('/.api/graphql', { method: 'POST', headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

async function loadSchema() {
  try {
    const response = await send({ query: INTROSPECTION, operationName: 'Introspection' });
    const reply = await response.json();
    if (response.status === 401 && token.value === '')
      return docs.ask('Sign in or enter an access token to see the schema.');
    if (!reply.data) throw new Error(messageOf(reply) ?? `status ${response.status}`);
    const schema = createSchema(reply.data);
    editor.useSchema(schema);
    docs.useSchema(schema);
    hasSchema = true;
  } catch (error) {
    docs.fail(error instanceof Error ? error.message : String(error));
  }
}

/** @param {any} reply */
function messageOf(reply) {
  return reply?.errors?.[0]?.message ?? reply?.error?.message ?? reply?.message;
}

async function execute() {
  if (running !== undefined) {
    running.abort();
    return;
  }
  const query = queryText.value;
  const sent = readVariables();
  if (sent === undefined) return;
  const operations = findOperations(query);
  const cursor = queryText.selectionStart;
  const operation =
    operations.length < 2
      ? undefined
      : (operations.find(({ start, end }) => start <= cursor && cursor <= end) ?? operations[0]);
  running = new AbortController();
  run.textContent = 'Stop';
  status.textContent = 'Running…';
  const startedMs = performance.now();
  try {
    const response = await send(
      { query, variables: sent, ...(operation?.name === undefined ? {} : { operationName: operation.name }) },
      running.signal,
    );
    const text = await response.text();
    const tookMs = Math.round(performance.now() - startedMs);
    status.textContent = `${response.status} · ${tookMs} ms · ${text.length.toLocaleString('en-US')} characters`;
    showReply(text, response.status);
    if (response.ok) remember(query);
    if (response.ok && !hasSchema) void loadSchema();
  } catch (error) {
    const isStopped = error instanceof DOMException && error.name === 'AbortError';
    status.textContent = isStopped ? 'Stopped' : 'No reply';
    if (!isStopped) showErrors([{ message: 'The service did not reply. Is it still running?' }]);
  } finally {
    running = undefined;
    run.textContent = 'Run';
  }
}

/** The variables; undefined, with an error shown, when the text is no JSON object. */
function readVariables() {
  const text = variables.value.trim();
  if (text === '') return {};
  try {
    const parsed = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
    showErrors([{ message: 'The variables must be a JSON object.' }]);
  } catch (error) {
    showErrors([{ message: `The variables are not valid JSON. ${error instanceof Error ? error.message : ''}` }]);
  }
  return undefined;
}

/**
 * @param {string} text
 * @param {number} code
 */
function showReply(text, code) {
  /** @type {any} */
  let reply;
  try {
    reply = JSON.parse(text);
  } catch {
    showErrors([{ message: `The reply is not JSON (status ${code}).` }]);
    result.textContent = text.slice(0, LONGEST_SHOWN);
    return;
  }
  const problems = Array.isArray(reply.errors)
    ? reply.errors
    : code >= 400
      ? [{ message: messageOf(reply) ?? `status ${code}` }]
      : [];
  showErrors(problems);
  showJson(JSON.stringify(reply, undefined, 2));
}

/** @param {{ message?: string, path?: (string | number)[], locations?: { line: number, column: number }[], extensions?: unknown }[]} problems */
function showErrors(problems) {
  errors.hidden = problems.length === 0;
  errors.replaceChildren(
    ...problems.slice(0, 50).map((problem) => {
      const item = document.createElement('div');
      item.className = 'error';
      const message = document.createElement('strong');
      message.textContent = problem.message ?? 'Error';
      item.append(message);
      if (problem.path) item.append(note(`at ${problem.path.join('.')}`));
      for (const { line, column } of problem.locations ?? []) {
        const jump = document.createElement('button');
        jump.type = 'button';
        jump.className = 'plain';
        jump.textContent = `line ${line}, column ${column}`;
        jump.addEventListener('click', () => editor.goTo(line, column));
        item.append(' ', jump);
      }
      if (problem.extensions) item.append(note(JSON.stringify(problem.extensions)));
      return item;
    }),
  );
}

/** @param {string} text */
function note(text) {
  const part = document.createElement('span');
  part.className = 'dim';
  part.textContent = ` ${text}`;
  return part;
}

/** @param {string} text */
function showJson(text) {
  const shown = text.slice(0, LONGEST_SHOWN);
  const parts = [];
  let end = 0;
  for (const match of shown.matchAll(
    /"(?:[^"\\\n]|\\.)*"(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
  )) {
    parts.push(shown.slice(end, match.index));
    const part = document.createElement('span');
    part.className = match[1] !== undefined ? 'key' : match[0].startsWith('"') ? 'string' : 'number';
    part.textContent = match[0];
    parts.push(part);
    end = match.index + match[0].length;
    if (parts.length > 40_000) break;
  }
  parts.push(shown.slice(end), shown.length < text.length ? '\n… the rest is not shown' : '');
  result.replaceChildren(...parts);
  result.scrollTop = 0;
}

/** @param {string} query */
function remember(query) {
  if (tokenize(query).every(({ kind }) => kind === 'comment')) return;
  history.add({ query, variables: variables.value });
  showHistory();
}

function showHistory() {
  const entries = history.entries();
  const options = entries.map(({ query }, index) => new Option(titleOf(query), String(index)));
  historyList.replaceChildren(new Option('History', ''), ...options);
  if (entries.length > 0) historyList.append(new Option('Clear the history', 'clear'));
  historyList.value = '';
}

/** @param {string} query */
function titleOf(query) {
  const line = query
    .replace(/#[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}

historyList.addEventListener('change', () => {
  if (historyList.value === 'clear') history.clear();
  const chosen = history.entries()[Number(historyList.value)];
  if (historyList.value !== '' && chosen !== undefined) {
    editor.setText(chosen.query);
    variables.value = chosen.variables;
    queryText.focus();
  }
  showHistory();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  editor.closeCompletions();
  void execute();
});
run.addEventListener('click', () => void execute());
token.addEventListener('change', () => void loadSchema());

const latest = history.entries()[0];
editor.setText(latest?.query ?? EXAMPLE);
variables.value = latest?.variables ?? '';
showHistory();
void loadSchema();
