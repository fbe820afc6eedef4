import { posix } from 'node:path';

/** Sources by path from the project's root, such as `src/core/lifecycle/advance.ts`. */
export type Sources = Map<string, string>;

interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** What one part of the house may import, beside itself. A pattern `node:*` or `@slack/*` stands for all that begin so. */
interface Part {
  /** Other parts, by name. */
  parts: readonly string[];
  packages: readonly string[];
  /** Packages of which only types may be imported. */
  typesOf?: readonly string[];
}

const markdownPackages = [
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'mdast-util-to-markdown',
  'micromark-extension-gfm',
];

/** Files that lie in `src` itself are parts of their own, named without their extension. */
const parts: Record<string, Part> = {
  core: { parts: [], packages: [] },
  render: {
    parts: ['core'],
    packages: markdownPackages,
    typesOf: ['@slack/types', 'mdast'],
  },
  deepsearch: {
    parts: ['core'],
    packages: ['node:*', 'cockatiel', 'undici', 'zod', ...markdownPackages],
    typesOf: ['mdast'],
  },
  slack: { parts: ['core', 'render'], packages: ['node:*', '@slack/*', 'zod'] },
  storage: { parts: ['core'], packages: ['node:*', 'keyv', '@keyv/*', 'lmdb', 'redis', 'zod'] },
  'rate-limits': { parts: ['core'], packages: ['rate-limiter-flexible'], typesOf: ['redis'] },
  scheduler: { parts: ['core'], packages: ['node:*', 'bullmq', 'redis'] },
  observability: { parts: ['core'], packages: ['node:*', 'pino', 'prom-client'] },
  codesearch: {
    parts: ['command-line'],
    packages: [
      'node:*',
      'lmdb',
      'mdast-util-from-markdown',
      'micromark',
      'micromark-extension-gfm',
      'minisearch',
      'stemmer',
      'zod',
    ],
    typesOf: ['mdast'],
  },
  demo: { parts: ['command-line'], packages: ['node:*'] },
  'command-line': { parts: [], packages: ['node:util'] },
  config: { parts: [], packages: ['node:*', 'zod'] },
  /** Programs beside the app. */
  cli: { parts: ['command-line', 'config', 'storage', 'core'], packages: ['node:*'] },
  version: { parts: [], packages: ['node:*', 'zod'] },
  /** The builders of the app: each file is a part, and only `app` knows them all. */
  'app/context': { parts: ['config', 'core', 'slack', 'storage'], packages: [] },
  'app/digest': { parts: [], packages: ['node:*'] },
  'app/deep-search': {
    parts: ['app/context', 'config', 'deepsearch', 'observability', 'version'],
    packages: ['node:*'],
  },
  'app/slack': { parts: ['app/context', 'observability', 'slack'], packages: [] },
  'app/lifecycle': {
    parts: ['app/context', 'app/deep-search', 'app/digest', 'app/slack', 'config', 'core', 'scheduler', 'slack'],
    packages: [],
  },
  'app/listeners': {
    parts: ['app/context', 'app/deep-search', 'app/digest', 'app/lifecycle', 'app/slack', 'core', 'slack'],
    packages: [],
  },
  'app/background': { parts: ['app/context', 'app/lifecycle', 'app/slack', 'core', 'scheduler'], packages: [] },
  app: {
    parts: [
      'app/context',
      'app/deep-search',
      'app/slack',
      'app/lifecycle',
      'app/listeners',
      'app/background',
      'config',
      'version',
      'core',
      'deepsearch',
      'slack',
      'storage',
      'rate-limits',
      'observability',
    ],
    packages: ['node:*'],
    typesOf: ['pino'],
  },
  main: { parts: ['app', 'config', 'observability'], packages: ['node:*'], typesOf: ['pino'] },
};

/**
 * What one folder or file of the code search service may import of the others, beside itself: the program starts the
 * service, which puts the rooms together; HTTP is at the outer edge, the search at the inner one.
 */
const codesearchRooms: Record<string, readonly string[]> = {
  limits: [],
  search: ['limits'],
  conversations: ['search', 'limits'],
  graphql: ['limits'],
  pages: ['conversations', 'search'],
  http: ['conversations', 'graphql', 'pages', 'search', 'limits'],
  service: ['http', 'conversations', 'graphql', 'pages', 'search'],
  arguments: ['http'],
  main: ['arguments', 'service'],
};

/** The first file of each program: the only ones that read the environment. */
const programs = new Set(['src/main.ts', 'src/codesearch/main.ts', 'src/demo/main.ts', 'src/cli/feedback.ts']);

const longestFile = 400;

/** Every breach of the import law and of the habits a machine can check; empty when the house is in order. */
export function findBreaches(sources: Sources): string[] {
  const breaches = [...sources].flatMap(([path, text]) =>
    (path.startsWith('src/') ? breachesOfSource(path, text) : breachesOfTest(text)).map((what) => `${path} ${what}`),
  );
  return [...breaches, ...findCycles(sources)];
}

function breachesOfSource(path: string, text: string): string[] {
  const code = withoutCommentsAndTexts(text);
  const imports = importsOf(text);
  const lines = text.trimEnd().split('\n').length;
  return [
    ...imports.flatMap((imported) => breachOfImport(path, imported)),
    ...(/(?:^|\/)index\.ts$/.test(path) ? ['is a barrel'] : []),
    ...(isOnlyExports(text) ? ['only re-exports'] : []),
    ...(/^\s*export\s*(?:type\s*)?\*/m.test(code) ? ['has export *'] : []),
    ...(/^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m.test(code) ? ['has a default export'] : []),
    ...(/\bprocess\s*(?:\.\s*env|\[\s*['"`]env)\b/.test(code) && !programs.has(path) ? ['reads process.env'] : []),
    ...(imports.some(({ specifier }) => /^(?:node:)?process$/.test(specifier)) ? ['imports node:process'] : []),
    ...(/\bconsole\s*[.[]/.test(code) ? ['writes to the console'] : []),
    ...(path.startsWith('src/slack/') && /(?<![.\w])fetch\s*\(/.test(code) ? ['calls fetch past the proxy'] : []),
    ...(/\brequire\s*\(|\bcreateRequire\b/.test(code) ? ['requires'] : []),
    ...(lines > longestFile ? [`has ${lines} lines`] : []),
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
    const isLawful = other === own ? keepsRooms(path, target) : other !== undefined && law.parts.includes(other);
    return isLawful ? [] : [`imports ${target}`];
  }
  if (law.packages.some((allowed) => covers(allowed, specifier))) return [];
  if (law.typesOf?.some((allowed) => covers(allowed, specifier))) {
    return typeOnly ? [] : [`imports more than types of ${specifier}`];
  }
  return [`imports ${specifier}`];
}

/** Whether an import between two files of the same part keeps the order of the rooms, where the part has one. */
function keepsRooms(path: string, target: string): boolean {
  const [from, to] = [codesearchRoomOf(path), codesearchRoomOf(target)];
  return from === to || (to !== undefined && codesearchRooms[from ?? '']?.includes(to) === true);
}

function covers(allowed: string, specifier: string): boolean {
  return allowed.endsWith('*') ? specifier.startsWith(allowed.slice(0, -1)) : specifier === allowed;
}

function partOf(path: string): string | undefined {
  return /^src\/(?:(app\/[\w-]+)\.ts$|([\w-]+)\/|([\w-]+)\.ts$)/.exec(path)?.slice(1).find(Boolean);
}

function codesearchRoomOf(path: string): string | undefined {
  return /^src\/codesearch\/(?:([\w-]+)\/|([\w-]+)\.ts$)/.exec(path)?.slice(1).find(Boolean);
}

/** All imports and re-exports of a source; one of types only counts as such when every name in it is a type. */
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

/** Circles of imports, types included: two files that need each other's types are one thing in two places. */
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

/** Comments, quoted texts and regular expressions, in the order in which a reader would meet them. */
const pieces =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:[(,=:[!&|?{};+]|=>|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

function withoutComments(text: string): string {
  return text.replaceAll(pieces, (piece) => (/^\/[/*]/.test(piece) ? '' : piece));
}

/** Of templates only the `${…}` are kept, since these are code; short quoted texts may be property names. */
function withoutCommentsAndTexts(text: string): string {
  return text.replaceAll(pieces, (piece) => {
    if (piece.startsWith('`')) return `\`${[...piece.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(' ')}\``;
    if (/^['"]/.test(piece)) return piece.length > 12 ? "''" : piece;
    return '';
  });
}
