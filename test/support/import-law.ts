import { posix } from 'node:path';

/** Source texts by path from the project's root, for example `src/core/lifecycle/advance.ts`. */
export type Sources = Map<string, string>;

interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** What one part of the source may import beside itself. A pattern `node:*` or `@slack/*` matches all with this prefix. */
interface Part {
  /** Other parts, by name. */
  parts: readonly string[];
  packages: readonly string[];
  /** Packages whose types, and nothing else, may be imported. */
  typesOf?: readonly string[];
}

const markdownPackages = [
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'mdast-util-to-markdown',
  'micromark-extension-gfm',
];

/** Parts by name. A file directly in `src` is a separate part, named without its extension. */
const parts: Record<string, Part> = {
  core: { parts: [], packages: ['zod'] },
  render: {
    parts: ['core'],
    packages: [
      ...markdownPackages,
      'micromark-extension-cjk-friendly',
      'micromark-extension-cjk-friendly-gfm-strikethrough',
    ],
    typesOf: ['@slack/types', 'mdast'],
  },
  service: {
    parts: ['core'],
    packages: ['node:*', 'cockatiel', 'lru-cache', 'undici', 'zod', ...markdownPackages],
    typesOf: ['mdast'],
  },
  slack: { parts: ['core', 'render'], packages: ['node:*', '@slack/*', 'lru-cache', 'zod'] },
  storage: {
    parts: ['core', 'redis-client'],
    packages: ['node:*', 'keyv', '@keyv/*', 'lmdb', 'lru-cache', 'redis', 'zod'],
  },
  /** The pages on which people sign in at the service. */
  'sign-in': { parts: ['core', 'render'], packages: ['node:*', 'zod'] },
  'rate-limits': { parts: ['core'], packages: ['rate-limiter-flexible'], typesOf: ['redis'] },
  scheduler: { parts: ['core', 'redis-client'], packages: ['node:*', 'bullmq', 'redis'] },
  observability: { parts: ['core'], packages: ['node:*', '@opentelemetry/*', 'pino', 'prom-client'] },
  codesearch: {
    parts: ['command-line'],
    packages: [
      'node:*',
      '@ai-sdk/openai-compatible',
      '@node-oauth/oauth2-server',
      '@vscode/tree-sitter-wasm',
      'ai',
      'graphql',
      'lmdb',
      'lru-cache',
      're2js',
      'mdast-util-from-markdown',
      'mdast-util-gfm',
      'mdast-util-to-markdown',
      'micromark',
      'micromark-extension-gfm',
      'stemmer',
      'zod',
    ],
    typesOf: ['mdast'],
  },
  demo: { parts: ['command-line'], packages: ['node:*', 'zod'] },
  /** A workspace for the demo, the tests and trying the app; it must not know the app that it judges. */
  'local-slack': {
    parts: ['command-line'],
    packages: [
      'node:*',
      'gemoji',
      'mdast-util-from-markdown',
      'mdast-util-gfm',
      'micromark-extension-gfm',
      'ws',
      'yaml',
      'zod',
    ],
    typesOf: ['mdast'],
  },
  'command-line': { parts: [], packages: ['node:util'] },
  'redis-client': { parts: [], packages: ['redis'] },
  config: { parts: ['core', 'setting-forms'], packages: ['zod'] },
  'setting-forms': { parts: ['core'], packages: ['node:*', 'zod'] },
  /** Programs beside the app. */
  cli: {
    parts: ['observability', 'app', 'command-line', 'config', 'setting-forms', 'storage', 'core', 'render', 'version'],
    packages: ['node:*'],
  },
  version: { parts: [], packages: ['node:*', 'zod'] },
  /** Builds the app of its parts. */
  app: {
    parts: [
      'config',
      'core',
      'service',
      'observability',
      'rate-limits',
      'render',
      'scheduler',
      'sign-in',
      'slack',
      'storage',
      'version',
    ],
    packages: ['node:*'],
    typesOf: ['pino'],
  },
  main: { parts: ['app', 'config', 'observability'], packages: ['node:*'], typesOf: ['pino'] },
};

/**
 * What each folder or file of the code search service may import from the others: the program starts the service, the
 * service connects the folders, HTTP is the outermost folder, git the innermost.
 */
const codesearchFolders: Record<string, readonly string[]> = {
  addresses: [],
  limits: [],
  escape: [],
  'group-by': [],
  'data-directory': [],
  git: ['limits'],
  accounts: ['escape', 'limits'],
  index: ['git', 'limits'],
  query: ['escape', 'git', 'group-by', 'index', 'limits'],
  ask: ['addresses', 'escape', 'git', 'group-by', 'index', 'limits'],
  conversations: ['accounts', 'ask', 'limits'],
  agent: ['addresses', 'escape', 'git', 'index', 'limits', 'query', 'ask'],
  graphql: ['accounts', 'addresses', 'conversations', 'escape', 'git', 'index', 'limits', 'query', 'ask'],
  pages: ['accounts', 'addresses', 'conversations', 'escape', 'git', 'group-by', 'index', 'limits', 'query', 'ask'],
  http: ['accounts', 'addresses', 'conversations', 'git', 'graphql', 'index', 'limits', 'pages', 'query', 'ask'],
  service: [
    'http',
    'accounts',
    'agent',
    'conversations',
    'data-directory',
    'git',
    'graphql',
    'index',
    'limits',
    'pages',
    'query',
    'ask',
  ],
  arguments: ['accounts', 'agent', 'graphql'],
  'account-commands': ['accounts', 'data-directory'],
  main: ['account-commands', 'accounts', 'arguments', 'service'],
};

/** Protects from programs that a repository's configuration names: no other file of the service may start a program. */
const onlyCallerOfGit = 'src/codesearch/git/git.ts';

/** The entry file of each program; only these read the environment. */
const programs = new Set([
  'src/main.ts',
  'src/codesearch/main.ts',
  'src/demo/main.ts',
  'src/local-slack/main.ts',
  'src/cli/feedback.ts',
  'src/cli/admin.ts',
  'src/cli/doctor.ts',
  // Gives git a few variables, and reads none itself.
  onlyCallerOfGit,
]);

/** Every breach of the import law and of other rules that can be checked automatically. */
export function findBreaches(sources: Sources): string[] {
  const breaches = [...sources].flatMap(([path, text]) =>
    (path.startsWith('src/') ? breachesOfSource(path, text) : breachesOfTest(text)).map((what) => `${path} ${what}`),
  );
  return [...breaches, ...findCycles(sources)];
}

function breachesOfSource(path: string, text: string): string[] {
  const code = withoutCommentsAndTexts(text);
  const imports = importsOf(text);
  return [
    ...imports.flatMap((imported) => breachOfImport(path, imported)),
    ...(/(?:^|\/)index\.ts$/.test(path) ? ['is a barrel'] : []),
    ...(isOnlyExports(text) ? ['only re-exports'] : []),
    ...(/^\s*export\s*(?:type\s*)?\*/m.test(code) ? ['has export *'] : []),
    ...(/^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m.test(code) ? ['has a default export'] : []),
    ...(/\bprocess\s*(?:\.\s*env|\[\s*['"`]env)\b/.test(code) && !programs.has(path) ? ['reads process.env'] : []),
    ...(path.startsWith('src/codesearch/') &&
    path !== onlyCallerOfGit &&
    imports.some(({ specifier }) => /^(?:node:)?child_process$/.test(specifier))
      ? ['starts programs beside the git wrapper']
      : []),
    ...(path.startsWith('src/local-slack/') &&
    (/\bprocess\s*\.\s*(?:platform|arch)\b/.test(code) ||
      imports.some(({ specifier }) => /^(?:node:)?(?:child_process|os)$/.test(specifier)))
      ? ['depends on the machine']
      : []),
    ...(imports.some(({ specifier }) => /^(?:node:)?process$/.test(specifier)) ? ['imports node:process'] : []),
    ...(/\bconsole\s*[.[]/.test(code) ? ['writes to the console'] : []),
    ...(path.startsWith('src/slack/') && /(?<![.\w])fetch\s*\(/.test(code) ? ['calls fetch past the proxy'] : []),
    ...(/\brequire\s*\(|\bcreateRequire\b/.test(code) ? ['requires'] : []),
  ];
}

function breachesOfTest(text: string): string[] {
  const code = withoutCommentsAndTexts(text);
  return /\bvi\s*\.\s*(?:mock|doMock|hoisted|unstable_mockModule)\s*\(/.test(code) ? ['mocks a module'] : [];
}

function breachOfImport(path: string, { specifier, typeOnly }: Import): string[] {
  const own = partOf(path);
  const law = own === undefined ? undefined : parts[own];
  if (own === undefined || law === undefined) return ['belongs to no part of the house'];
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    const other = partOf(target);
    const isLawful = other === own ? keepsFolderOrder(path, target) : other !== undefined && law.parts.includes(other);
    return isLawful ? [] : [`imports ${target}`];
  }
  if (law.packages.some((allowed) => covers(allowed, specifier))) return [];
  if (law.typesOf?.some((allowed) => covers(allowed, specifier))) {
    return typeOnly ? [] : [`imports more than types of ${specifier}`];
  }
  return [`imports ${specifier}`];
}

/** Whether an import within a part follows the order of its folders, if the part has one. */
function keepsFolderOrder(path: string, target: string): boolean {
  const [from, to] = [codesearchFolderOf(path), codesearchFolderOf(target)];
  return from === to || (to !== undefined && codesearchFolders[from ?? '']?.includes(to) === true);
}

function covers(allowed: string, specifier: string): boolean {
  return allowed.endsWith('*') ? specifier.startsWith(allowed.slice(0, -1)) : specifier === allowed;
}

function partOf(path: string): string | undefined {
  return /^src\/(?:([\w-]+)\/|([\w-]+)\.ts$)/.exec(path)?.slice(1).find(Boolean);
}

function codesearchFolderOf(path: string): string | undefined {
  return /^src\/codesearch\/(?:([\w-]+)\/|([\w-]+)\.ts$)/.exec(path)?.slice(1).find(Boolean);
}

/** All imports and re-exports of a source; an import is type-only when all its names are types. */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const imports = code.matchAll(/^\s*import\b(?:([^'"`;(]*?)\bfrom\s*)?\s*['"]([^'"\n]+)['"]/gm);
  const exports = code.matchAll(/^\s*export\b(\s*(?:type\s*)?(?:\{[^}]*\}|\*[^'"`;]*?))\s*from\s*['"]([^'"\n]+)['"]/gm);
  const dynamic = code.matchAll(/\bimport\s*\(\s*(['"`])([^'"`\n]+)\1/g);
  return [
    ...[...imports, ...exports].map(([, clause = '', specifier = '']) => ({ specifier, typeOnly: isTypeOnly(clause) })),
    ...[...dynamic].map(([, , specifier = '']) => ({ specifier, typeOnly: false })),
  ];
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\s+(?!from\b|,)/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

function isOnlyExports(text: string): boolean {
  const rest = withoutComments(text).replaceAll(
    /^\s*export\s*(?:type\s*)?(?:\{[^}]*\}|\*[^'"]*)\s*from\s*['"][^'"]+['"];?/gm,
    '',
  );
  return text.trim() !== '' && rest.replaceAll(/^\s*import\b[^;]*;/gm, '').trim() === '';
}

/** Cycles of imports, including type imports: two files that need each other's types belong together. */
function findCycles(sources: Sources): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      cycles.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const { specifier } of importsOf(sources.get(path) ?? '')) {
      if (specifier.startsWith('.')) visit(posix.join(posix.dirname(path), specifier), [...trail, path]);
    }
    done.add(path);
  };
  for (const path of sources.keys()) visit(path, []);
  return cycles;
}

/** Comments, strings and regular expressions, in source order. */
const pieces =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:[(,=:[!&|?{};+]|=>|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

function withoutComments(text: string): string {
  return text.replaceAll(pieces, (piece) => (/^\/[/*]/.test(piece) ? '' : piece));
}

/** Keeps the `${…}` of templates, because they are code, and short strings, because they may be property names. */
function withoutCommentsAndTexts(text: string): string {
  return text.replaceAll(pieces, (piece) => {
    if (piece.startsWith('`')) return `\`${[...piece.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(' ')}\``;
    if (/^['"]/.test(piece)) return piece.length > 12 ? "''" : piece;
    return '';
  });
}
