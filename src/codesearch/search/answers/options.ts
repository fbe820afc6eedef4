import type { Definition, IndexedFile } from '../../index/file-index.ts';
import { indentOf } from '../../index/syntax/indent.ts';
import { commentAbove, firstSentence } from '../blocks.ts';
import { CONFIDENCE } from '../constants.ts';
import { coverage } from '../coverage.ts';
import { type Draft, emptyDraft, type Findings, fileSource } from './draft.ts';
import { bulletsUpTo, code, count, fileLink, prose } from './markdown.ts';
import { descriptionOf, whatIsSaid } from './statement.ts';
import { shorten } from './surroundings.ts';
import { questionTitle } from './titles.ts';

const MOST_OPTIONS = 30;
const MOST_TYPES = 3;
const MOST_NEAREST = 3;
const OPTION_TYPE = /(options?|config(uration)?|settings?|params?|props|arguments|args|opts|flags)$/i;
const OF_ENVIRONMENT = /\benv(?:ironment)?\s*(?:vars?|variables?)\b|\b(?:from|in|by|through|via) the environment\b/i;
const DESTRUCTURED = /\{([^{}]{1,300})\}\s*=\s*(?:process|Deno|Bun|import\.meta)\.env\b/g;
const ENVIRONMENT =
  /\b(?:process\.env(?:\.|\[['"])|import\.meta\.env\.|_?environ(?:\.get\(|\[)['"]|os\.getenv\(['"]|os\.(?:Getenv|LookupEnv)\("|env::var(?:_os)?\("|\benv!\("|option_env!\("|\b(?:secure_)?getenv\(['"]|GetEnvironmentVariable\("|Deno\.env\.get\(['"]|Bun\.env\.|ENV(?:\.fetch\(|\[)['"]|System\.getenv\(")([A-Z][A-Z0-9_]+)/g;
/** A variant of an enumeration, alone or with what it holds. */
const VARIANT = /^\s*([A-Z]\w*)(\(.*\))?(?:\s*\{.*)?,?\s*$/;
const MEMBER =
  /^\s*(?:(?:readonly|public|pub|export|static) )*(['"]?[A-Za-z_$][\w$.-]*['"]?\??)\s*[:=\s]\s*([^\s(][^({]*?)[,;{]?\s*$/;
const NO_MEMBER = /^\s*(?:[/*#@}\]]|(?:private|protected|async|get|set|return|if|for|const|let|def|await|throw)\b)/;

/** Answers "what options/settings/environment variables" with members of option types or variables read; undefined without any. */
export async function listOptions(findings: Findings): Promise<Draft | undefined> {
  const { question, investigation } = findings;
  const draft = emptyDraft(questionTitle(question, undefined));
  const wantsEnvironment = OF_ENVIRONMENT.test(question.text);
  await investigation.step(
    wantsEnvironment ? 'Collecting environment variables' : 'Collecting members of option types',
  );
  if (wantsEnvironment) await addEnvironment(findings, draft);
  else await addTypes(findings, draft);
  if (draft.sections.length === 0) return undefined;
  const [symbol] = draft.symbols;
  draft.followUps.push(
    ...(symbol === undefined ? [] : [`Where is \`${symbol}\` used?`, `Why was \`${symbol}\` last changed?`]),
    wantsEnvironment ? 'What settings are there?' : 'Which environment variables are read?',
  );
  return draft;
}

/** The named definition, or else the option types whose name has most of the question. */
async function addTypes({ targets, words, investigation }: Findings, draft: Draft): Promise<void> {
  const isType = ({ kind, name }: Definition['symbol']): boolean =>
    OPTION_TYPE.test(name) && ['interface', 'type', 'class', 'constant'].includes(kind);
  const named = targets.names.flatMap(({ definitions }) => definitions.slice(0, 1));
  const others = [...investigation.corpus.index.all()]
    .filter(({ role }) => role === 'source' || role === 'config')
    .flatMap((file) => file.symbols.filter(isType).map((symbol) => ({ file, symbol })))
    .map((each) => ({ ...each, fit: coverage(`${each.symbol.name} ${each.file.path}`, words) }))
    .filter(({ fit }) => fit > 0 || words.length === 0)
    .sort((a, b) => b.fit - a.fit || Number(b.symbol.exported) - Number(a.symbol.exported));
  for (const { file, symbol } of [...named.filter((each) => isType(each.symbol)), ...others]) {
    if (draft.symbols.includes(symbol.name) || draft.symbols.length >= MOST_TYPES) continue;
    const lines = await investigation.lines(file);
    const members = membersOf(lines, symbol);
    if (members.length === 0) continue;
    const description = descriptionOf({ file, symbol }, lines);
    draft.sections.push(
      `${code(symbol.name)} in ${fileLink(file, symbol.line, symbol.end)} has ${count(members.length, 'member')}${description === '' ? '' : `: ${description}`}`,
      bulletsUpTo(MOST_OPTIONS, members),
    );
    draft.sources.push(fileSource(file, symbol.line, symbol.end));
    draft.symbols.push(symbol.name);
    draft.files.push(file);
  }
}

/** The members of a type or an object at its own depth, each with the first sentence of its comment. */
function membersOf(lines: readonly string[], { line: start, end }: Definition['symbol']): string[] {
  const depth = indentOf(lines.slice(start, end).find((line) => line.trim() !== '') ?? '');
  const isEnumeration = /\benum\b/.test(lines[start - 1] ?? '');
  const members: string[] = [];
  for (let line = start + 1; line < end; line += 1) {
    const text = lines[line - 1] ?? '';
    if (text.length > 300 || indentOf(text) !== depth || NO_MEMBER.test(text)) continue;
    const bare = text.replace(/\s+\/\/.*$/, '');
    const [, name, detail = ''] = (isEnumeration ? VARIANT.exec(bare) : undefined) ?? MEMBER.exec(bare) ?? [];
    if (name === undefined) continue;
    const description = prose(firstSentence(commentAbove(lines, line), 180));
    const value = detail === '' ? '' : ` ${code(shorten(detail, 60))}`;
    members.push(`${code(name)}${value}${description === '' ? '' : `: ${description}`}`);
  }
  return members;
}

async function addEnvironment(findings: Findings, draft: Draft): Promise<void> {
  const { investigation } = findings;
  const found = new Map<string, { file: IndexedFile; line: number; text: string }[]>();
  const files = new Set(
    ['env', 'environ', 'getenv', 'secure_getenv', 'lookupenv', 'option_env', 'getenvironmentvariable'].flatMap((name) =>
      investigation.corpus.index.findName(name),
    ),
  );
  const readable = [...files]
    .filter(({ role }) => role !== 'docs' && role !== 'vendored')
    .sort((a, b) => Number(a.role === 'test') - Number(b.role === 'test'));
  for await (const [file, lines] of investigation.linesOfAll(readable)) {
    for (const [index, text] of lines.entries()) {
      const named = [...text.matchAll(ENVIRONMENT)].map(([, name = '']) => name);
      const destructured = [...text.matchAll(DESTRUCTURED)].flatMap(
        ([, names = '']) => names.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [],
      );
      for (const name of [...named, ...destructured]) {
        const places = found.get(name) ?? [];
        places.push({ file, line: index + 1, text });
        found.set(name, places);
      }
    }
  }
  if (found.size === 0) {
    draft.sections.push('No place was found where the code reads an environment variable by name in a usual way.');
    return addNearest(findings, draft);
  }
  const items = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, [first, ...others]]) => {
      if (first === undefined) return code(name);
      draft.sources.push(fileSource(first.file, first.line));
      draft.files.push(first.file);
      const more = others.length === 0 ? '' : ` and ${count(others.length, 'other place')}`;
      return `${code(name)} in ${fileLink(first.file, first.line)}${more}: ${code(shorten(first.text))}`;
    });
  draft.sections.push(
    `The code reads ${count(found.size, 'environment variable')} by name. Names that it puts together as it runs are not among them.`,
    bulletsUpTo(MOST_OPTIONS, items),
  );
}

/** Where a document or the code mentions environment variables all the same. */
async function addNearest({ passages, words, investigation }: Findings, draft: Draft): Promise<void> {
  const nearest = passages.filter(({ covered }) => covered >= CONFIDENCE.sure).slice(0, MOST_NEAREST);
  if (nearest.length === 0) return;
  const items: string[] = [];
  for (const passage of nearest) {
    const { file, start, end } = passage;
    const said = whatIsSaid(passage, await investigation.lines(file), words);
    items.push(`${fileLink(file, start, end)}${said === '' ? '' : `: ${said}`}`);
    draft.sources.push(fileSource(file, start, end));
    draft.files.push(file);
  }
  draft.sections.push(`They are mentioned in:\n\n${bulletsUpTo(MOST_NEAREST, items)}`);
}
