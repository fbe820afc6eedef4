import { languageOf } from './roles.ts';

export type SymbolKind = 'function' | 'method' | 'class' | 'interface' | 'type' | 'constant' | 'heading' | 'module';

/** A definition, recognized by the form of its line; `line` counts from 1. */
export interface CodeSymbol {
  name: string;
  kind: SymbolKind;
  line: number;
  /** Whether the line shows that the definition is visible outside its file. */
  exported: boolean;
  /** Columns of leading white space; a tab counts as four. */
  indent: number;
}

type Pattern = readonly [RegExp, SymbolKind];

const NAME = '([\\p{L}_$][\\p{L}\\p{N}_$]*)';
const at = (source: string): RegExp => new RegExp(source.replaceAll('NAME', NAME), 'u');

const BRACED_METHOD = at(
  '^\\s+(?:(?:public|private|protected|static|override|readonly|async|get|set)\\s+)*[*#]?NAME\\s*(?:<[^;]*>)?\\([^;]*\\{\\s*$',
);

const SCRIPT: Pattern[] = [
  [at('^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:async\\s+)?function\\s*\\*?\\s+NAME'), 'function'],
  [at('^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?class\\s+NAME'), 'class'],
  [at('^\\s*(?:export\\s+)?(?:declare\\s+)?interface\\s+NAME'), 'interface'],
  [at('^\\s*(?:export\\s+)?(?:declare\\s+)?(?:const\\s+)?enum\\s+NAME'), 'type'],
  [at('^\\s*(?:export\\s+)?(?:declare\\s+)?type\\s+NAME\\b[^=]*='), 'type'],
  [at('^(?:export\\s+)?(?:declare\\s+)?(?:namespace|module)\\s+NAME'), 'module'],
  [
    at(
      '^\\s*(?:export\\s+)?(?:const|let|var)\\s+NAME\\s*(?::[^=]+)?=\\s*(?:async\\s*)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|NAME\\s*=>|\\($)',
    ),
    'function',
  ],
  [at('^(?:export\\s+)?(?:const|let|var)\\s+NAME\\b'), 'constant'],
  [at('^\\s*(?:module\\.)?exports\\.NAME\\s*='), 'function'],
  [at('^\\s*[\\w.]+\\.prototype\\.NAME\\s*='), 'method'],
  [BRACED_METHOD, 'method'],
  [at('^\\s+(?:(?:public|private|protected|static|override|async)\\s+)+NAME\\s*(?:<.*>)?\\('), 'method'],
];

const PATTERNS: Record<string, Pattern[]> = {
  ts: SCRIPT,
  tsx: SCRIPT,
  js: SCRIPT,
  jsx: SCRIPT,
  vue: SCRIPT,
  svelte: SCRIPT,
  python: [
    [at('^\\s*(?:async\\s+)?def\\s+NAME'), 'function'],
    [at('^\\s*class\\s+NAME'), 'class'],
    [at('^NAME\\s*(?::[^=]+)?=[^=]'), 'constant'],
  ],
  go: [
    [at('^func\\s+\\([^)]*\\)\\s*NAME'), 'method'],
    [at('^func\\s+NAME'), 'function'],
    [at('^\\s*type\\s+NAME\\s+interface\\b'), 'interface'],
    [at('^\\s*type\\s+NAME\\s'), 'type'],
    [at('^(?:var|const)\\s+NAME'), 'constant'],
    [at('^\\t([A-Z][\\p{L}\\p{N}_]*)(?:\\s+[\\w.*\\[\\]]+)?\\s*=\\s'), 'constant'],
  ],
  rust: [
    [
      at(
        '^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:default\\s+)?(?:const\\s+|async\\s+|unsafe\\s+|extern\\s+"[^"]*"\\s+)*fn\\s+NAME',
      ),
      'function',
    ],
    [at('^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:struct|enum|union)\\s+NAME'), 'class'],
    [at('^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:unsafe\\s+)?trait\\s+NAME'), 'interface'],
    [at('^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?type\\s+NAME'), 'type'],
    [at('^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:const|static)\\s+(?:mut\\s+)?NAME'), 'constant'],
    [at('^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?mod\\s+NAME'), 'module'],
    [at('^\\s*macro_rules!\\s*NAME'), 'function'],
  ],
  ruby: [
    [at('^\\s*def\\s+(?:self\\.)?NAME'), 'method'],
    [at('^\\s*class\\s+(?:\\w+::)*NAME'), 'class'],
    [at('^\\s*module\\s+(?:\\w+::)*NAME'), 'module'],
    [at('^\\s*([A-Z][A-Z\\d_]+)\\s*='), 'constant'],
  ],
  c: [
    [at('^\\s*(?:typedef\\s+)?(?:struct|enum|union)\\s+NAME\\s*\\{?\\s*$'), 'type'],
    [at('^#\\s*define\\s+NAME'), 'constant'],
    [at('^\\s*(?:template\\s*<.*>\\s*)?(?:class|namespace)\\s+NAME[^;]*$'), 'class'],
    [at('^[\\w:<>*&~\\s]+?[\\s*&](?:\\w+::)*~?NAME\\s*\\([^;]*$'), 'function'],
  ],
  sh: [
    [at('^\\s*(?:function\\s+)?NAME\\s*\\(\\)'), 'function'],
    [at('^\\s*function\\s+NAME'), 'function'],
  ],
  lua: [[at('^\\s*(?:local\\s+)?function\\s+(?:[\\w.]+[.:])?NAME'), 'function']],
  elixir: [
    [at('^\\s*defp?\\s+NAME'), 'function'],
    [at('^\\s*defmodule\\s+(?:\\w+\\.)*NAME'), 'module'],
  ],
  php: [
    [at('^\\s*(?:(?:public|private|protected|static|abstract|final)\\s+)*function\\s+&?NAME'), 'function'],
    [at('^\\s*(?:(?:abstract|final|readonly)\\s+)*class\\s+NAME'), 'class'],
    [at('^\\s*(?:interface|trait)\\s+NAME'), 'interface'],
  ],
  sql: [
    [
      at(
        '^\\s*(?:CREATE|create)\\s+(?:OR REPLACE\\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|table|view|function)\\s+(?:IF NOT EXISTS\\s+)?"?NAME',
      ),
      'type',
    ],
  ],
  proto: [
    [at('^\\s*(?:message|service|enum)\\s+NAME'), 'type'],
    [at('^\\s*rpc\\s+NAME'), 'method'],
  ],
  graphql: [[at('^\\s*(?:type|input|enum|interface|scalar|union)\\s+NAME'), 'type']],
  hcl: [
    [at('^(?:resource|data)\\s+"[^"]+"\\s+"NAME"'), 'constant'],
    [at('^(?:variable|module|output)\\s+"NAME"'), 'constant'],
  ],
  md: [[/^#{1,6}\s+(\S.*)$/u, 'heading']],
  makefile: [[/^([A-Za-z][\w.-]*):(?!=)/u, 'function']],
}; // prettier-ignore

/** Java and similar languages: a method is a type and a name, then parentheses and a brace. */
const BRACED: Pattern[] = [
  [
    at(
      '^\\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|inner|case)\\s+)*(?:class|record|object|struct|actor|extension)\\s+NAME',
    ),
    'class',
  ],
  [
    at('^\\s*(?:(?:public|private|protected|internal|static|sealed)\\s+)*(?:interface|trait|protocol)\\s+NAME'),
    'interface',
  ],
  [at('^\\s*(?:(?:public|private|protected|internal|static)\\s+)*enum\\s+(?:class\\s+)?NAME'), 'type'],
  [at('^\\s*(?:[@\\w]+\\s+)*(?:fun|func|def|fn)\\s+(?:<[^>]*>\\s*)?(?:\\w+\\.)?NAME'), 'function'],
  [
    at(
      '^\\s+(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\\s[\\w<>\\[\\],.?\\s]*\\sNAME\\s*\\(',
    ),
    'method',
  ],
]; // prettier-ignore

const RESERVED = new Set(
  'if for while switch catch function return else do try with new typeof await in of case default finally super constructor async static public private protected yield throw delete void'.split(
    ' ',
  ),
);

function patternsFor(language: string): Pattern[] {
  if (language === 'cpp' || language === 'objc') return PATTERNS.c ?? [];
  return (
    PATTERNS[language] ??
    (['java', 'kotlin', 'scala', 'csharp', 'swift', 'dart', 'zig'].includes(language) ? BRACED : [])
  );
}

/** Finds the definitions of a file, in order. Reads one line at a time and supports the common languages. */
export function findSymbols(path: string, lines: readonly string[]): CodeSymbol[] {
  const language = languageOf(path);
  const patterns = patternsFor(language);
  const symbols: CodeSymbol[] = [];
  if (patterns.length === 0) return symbols;
  const isScript = patterns === SCRIPT;
  const hasBlockComments = !['python', 'ruby', 'sh', 'md', 'makefile', 'lua', 'elixir'].includes(language);
  let fenced = false;
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    if (language === 'md' && /^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (hasBlockComments && /^\s*\/\*/.test(line)) inComment = true;
    const isComment = inComment;
    if (line.includes('*/')) inComment = false;
    if (isComment) continue;
    if (fenced || line.length < 3 || line.length > 400 || (/^\s*(\/\/|\*|\/\*|#\s|--)/.test(line) && language !== 'md'))
      continue;
    const wrapped = isScript ? wrappedMethod(lines, index) : undefined;
    if (wrapped !== undefined && !RESERVED.has(wrapped)) {
      symbols.push({ name: wrapped, kind: 'method', line: index + 1, exported: false, indent: indentOf(line) });
      continue;
    }
    const compact = withoutLongSpaces(line);
    // Only a line of this form can match, and then it matches at once: a search for a match that fails is slow.
    const opens = compact.endsWith('{') && !compact.includes(';');
    for (const [pattern, kind] of patterns) {
      if (pattern === BRACED_METHOD && !opens) continue;
      const name = pattern.exec(compact)?.[1];
      if (name === undefined || RESERVED.has(name)) continue;
      symbols.push({
        name: language === 'md' ? headingText(name).slice(0, 120) : name,
        kind: kind === 'function' && language === 'python' && indentOf(line) > 0 ? 'method' : kind,
        line: index + 1,
        exported: /^\s*(export|pub|public)\b/.test(line) || (language === 'go' && /^[A-Z]/.test(name)),
        indent: indentOf(line),
      });
      break;
    }
  }
  return symbols;
}

/**
 * The line with one space for each run of white space, so that no pattern can divide a long run in many ways. Keeps a single
 * leading tab: in Go it marks a constant of a block.
 */
function withoutLongSpaces(line: string): string {
  const text = line.trim().replace(/\s+/g, ' ');
  const margin = line.slice(0, line.length - line.trimStart().length);
  return `${margin === '\t' || margin === '' ? margin : ' '}${text}`;
}

/** The text of a heading, without the `#` signs that may close it. */
function headingText(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trimEnd() || text;
}

const WRAPPED = at('^(\\s+)(?:(?:public|private|protected|static|override|async)\\s+)*[*#]?NAME\\s*(?:<.*>)?\\($');

/** The name of a method with one parameter per line; a call of the same form does not end with a brace. */
function wrappedMethod(lines: readonly string[], index: number): string | undefined {
  const [, margin, name] = WRAPPED.exec(lines[index] ?? '') ?? [];
  if (margin === undefined || name === undefined) return undefined;
  const close = lines.slice(index + 1, index + 14).find((line) => line.startsWith(`${margin})`));
  return close?.trimEnd().endsWith('{') === true && !close.includes('=>') ? name : undefined;
}

/** Columns of leading white space; a tab counts as four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns += 1;
    else if (character === '\t') columns += 4;
    else break;
  }
  return columns;
}
