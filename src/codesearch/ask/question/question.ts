import { stem } from '../../index/stem.ts';
import { splitIdentifier } from '../../index/words.ts';
import { type Kind, kindOf } from './kind.ts';
import { isForeign } from './language.ts';
import { type Pasted, pastedMessage } from './pasted.ts';
import { relatedStems } from './thesaurus.ts';
import { KIND_STEMS, STOP_WORDS, WEAK_STEMS } from './vocabulary.ts';

/** One word the question is about: as written, its stem, and related stems, which count less. */
export interface Subject {
  word: string;
  stem: string;
  weight: number;
  related: string[];
}

/** A parsed question, without its conversation. */
export interface Question {
  text: string;
  kind: Kind;
  /** Not English: only its names, paths and quoted texts can be found. */
  isForeign: boolean;
  /** An error message or a log line that was copied into the question, without its class name and time. */
  pasted?: Pasted;
  subjects: Subject[];
  /** Names that can only be code: in backticks, in camelCase, snake_case, with `()` or dots. As written. */
  identifiers: string[];
  /** Paths and file names. */
  paths: string[];
  /** Texts to look up as they are written: quoted ones, names, settings. Longest first. */
  literals: string[];
  /** Significant words in order. */
  phrase: string[];
  /** Contains "it", "there", "that function": refers to an earlier question or answer. */
  refersBack: boolean;
}

const CONTEXT_WEIGHT = 0.2;
const MOST_SUBJECTS = 24;
/** Characters of a question that are read; real questions are shorter. */
const LONGEST_READ = 12_000;
const FILE_NAME =
  /^(?:[\w@.+-]+\/)+[\w@.+-]*$|^[\w@+-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift|cpp|cc|c|h|hpp|md|mdx|json|ya?ml|toml|sh|sql|proto|lua|css|scss|html|txt|cfg|ini|vue|svelte|rst|lock)$|^(?:Dockerfile|Makefile|README|LICENSE|CHANGELOG)$/;
const REFERS_BACK =
  /\b(?:it|its|there|that|this|these|those|they|them|their|the same|same (?:file|function|class|place|thing)|above|the former|the latter)\b/i;
const REPOSITORY_WORDS =
  /\b(?:this|that|the|these)\s+(?:repo|repository|project|codebase|code base|package|library|app|service|code|program)\b/gi;

/** Parses a question. Quoted lines and code blocks around it are context and count at a fifth of the weight. */
export function parseQuestion(text: string): Question {
  const { asked, context } = separateContext(text.slice(0, LONGEST_READ));
  const { identifiers, paths, rest } = takeCode(asked);
  const kind = kindOf(asked);
  const pasted = pastedMessage(text.slice(0, LONGEST_READ));
  const subjects = new Map<string, Subject>();
  const add = (word: string, weight: number): void => {
    const lower = word.toLowerCase();
    if (STOP_WORDS.has(lower) || /^[a-z\d]$/.test(lower)) return;
    const key = stem(lower);
    const saysKind = KIND_STEMS[kind]?.has(key) === true;
    const weighed = weight * (saysKind ? 0.1 : WEAK_STEMS.has(key) ? 0.3 : 1);
    const known = subjects.get(key);
    if (known !== undefined) known.weight = Math.max(known.weight, weighed);
    else if (subjects.size < MOST_SUBJECTS) {
      subjects.set(key, { word: lower, stem: key, weight: weighed, related: relatedStems(key) });
    }
  };
  for (const identifier of identifiers) {
    const parts = splitIdentifier(identifier.replace(/[^\p{L}\p{N}_]+/gu, ' '));
    if (parts.length > 1 && /^[\p{L}\p{N}_$]+$/u.test(identifier)) {
      // The whole name is a separate index term and more specific than its parts.
      const whole = identifier.toLowerCase();
      subjects.set(whole, { word: identifier, stem: whole, weight: 1.2, related: [] });
    }
    for (const part of parts) add(part, parts.length > 1 ? 0.3 : 1.2);
  }
  for (const path of paths) for (const part of path.split(/[/._-]+/).flatMap(splitIdentifier)) add(part, 0.4);
  const words = wordsOf(rest);
  for (const word of words) add(word, 1);
  for (const word of wordsOf(context).slice(0, 200)) add(word, CONTEXT_WEIGHT);
  return {
    text: asked,
    kind,
    isForeign: isForeign(asked),
    ...(pasted === undefined ? {} : { pasted }),
    subjects: [...subjects.values()],
    identifiers,
    paths,
    literals: [...new Set([...(pasted === undefined ? [] : [pasted.text]), ...literalsIn(asked, identifiers)])],
    phrase: words.filter((word) => !STOP_WORDS.has(word.toLowerCase())),
    refersBack: REFERS_BACK.test(asked.replace(REPOSITORY_WORDS, ' ').replace(/`[^`]*`/g, ' ')),
  };
}

function wordsOf(text: string): string[] {
  return text.replace(/['’](?:s|re|ve|ll|t|d|m)\b/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

const QUOTED =
  /"([^"\n]{3,300})"|“([^”\n]{3,300})”|\u0060([^\u0060\n]{3,300})\u0060|(?<![\p{L}\p{N}])'([^'\n]{3,300})'(?![\p{L}\p{N}])/gu;
/** Switches and possible names. Each run of word characters is matched in one way only, so that no text takes long. */
const NAME = /(?<![\w/.-])(?:--?[a-z][\w.-]+|@?[\w-]+(?:[./:][\w-]+)*)(?![\w/-])/g;
/** Words that are joined by more than a hyphen, or begin with hyphens: names, settings, switches, packages. */
const JOINED = /^--?[a-z][\w.-]|[\w-][._/:-][\w-]|^@?[A-Z][A-Z0-9]{3,}$/;

/** What a question says word for word. */
function literalsIn(text: string, identifiers: readonly string[]): string[] {
  const quoted = [...text.matchAll(QUOTED)].map((parts) => parts.slice(1).find((part) => part !== undefined) ?? '');
  // A double quote within single quotes is part of the text.
  const outer = quoted.filter((each) => !quoted.some((other) => other !== each && other.includes(each)));
  const joined = (text.replace(QUOTED, ' ').match(NAME) ?? []).filter((each) => JOINED.test(each));
  return [...new Set([...outer, ...identifiers, ...joined.map((each) => each.replace(/^@(?=[A-Z0-9]+$)|[.:]+$/g, ''))])]
    .filter((each) => /[\p{L}\p{N}]{2}/u.test(each))
    .sort((a, b) => b.length - a.length);
}

function separateContext(text: string): { asked: string; context: string } {
  const context: string[] = [];
  const withoutFences = text.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, (fence) => {
    context.push(fence);
    return ' ';
  });
  const asked = withoutFences.split('\n').filter((line) => {
    const quoted = /^\s*(?:>|&gt;)/.test(line);
    if (quoted) context.push(line);
    return !quoted;
  });
  const own = asked
    .join('\n')
    .replace(/https?:\/\/\S+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(own) ? { asked: own, context: context.join('\n') } : { asked: text, context: '' };
}

function takeCode(text: string): { identifiers: string[]; paths: string[]; rest: string } {
  const identifiers = new Set<string>();
  const paths = new Set<string>();
  const keep = (code: string): void => {
    const name = code.replace(/\(.*\)$/s, '').replace(/^[^\p{L}\p{N}_$.@/]+|[^\p{L}\p{N}_$/]+$/gu, '');
    if (name === '' || name.length > 200) return;
    if (FILE_NAME.test(name) || /\//.test(name)) paths.add(name.replace(/^\.?\//, '').replace(/\/$/, ''));
    else identifiers.add(name);
  };
  const withoutTicks = text.replace(/`+([^`\n]+)`+/g, (_, code: string) => {
    keep(code.trim());
    return ' ';
  });
  const inside =
    /^what(?:['’]s|\s+is|\s+are)?\s+(?:in|inside|under)\s+(?:the\s+)?([\w@./-]+)(?:\s+(?:folder|directory|file))?\s*[?.!]*$/i.exec(
      text.trim(),
    )?.[1];
  if (inside !== undefined && !/^(?:first|second|third|last|it|this|that|there|here)$/i.test(inside))
    paths.add(inside.replace(/[/.]+$/, ''));
  const rest = withoutTicks
    .split(/\s+/)
    .map((token) => {
      const bare = token.replace(/^["'“([]+|["'”)\],;:!?.]+$/g, (edge) => (edge.startsWith('()') ? '()' : ''));
      const called = /^[\p{L}_$][\p{L}\p{N}_$.]*\(\)?$/u.test(token.replace(/[?.,;:!]+$/, ''));
      if (called || isCodeLike(bare)) {
        keep(bare.replace(/\(+$/, ''));
        return ' ';
      }
      return token;
    })
    .join(' ');
  return { identifiers: [...identifiers], paths: [...paths], rest };
}

function isCodeLike(token: string): boolean {
  if (FILE_NAME.test(token)) return true;
  if (!/^[@\p{L}_$][\p{L}\p{N}_$.:#-]*$/u.test(token)) return false;
  if (/^(?:e\.g|i\.e|etc|vs)\.?$/i.test(token)) return false;
  return (
    /[a-z\d][A-Z]/.test(token) ||
    /[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(token) ||
    /^[\p{L}_$]\w+(?:\.|::|#)[\p{L}_$]\w+/u.test(token)
  );
}
