import { stem } from '../../index/stem.ts';
import { splitIdentifier } from '../../index/words.ts';
import type { EarlierQuestion, Focus } from '../finding.ts';
import { asKind } from './kind.ts';
import { parseQuestion, type Question } from './question.ts';
import { withQuotes } from './quoted.ts';
import { separateSurroundings } from './surroundings.ts';
import { relatedStems } from './thesaurus.ts';

/** A question with what it takes over from the conversation. */
export interface QuestionInContext extends Question {
  before: Focus | undefined;
  /** The question makes no sense alone: its subject is that of the previous answer. */
  continues: boolean;
}

const ELLIPTIC = /^(?:and|or|but|also|ok|okay|so|then|what about|how about|same for|now)\b/i;
const ORDINAL: readonly [RegExp, number][] = [
  [/\b(?:first|1st)\b/i, 0],
  [/\b(?:second|2nd)\b/i, 1],
  [/\b(?:third|3rd)\b/i, 2],
  [/\b(?:that|this|the same) file\b/i, 0],
];

/** Parses a question in its conversation: questions with pronouns and incomplete questions get the earlier subject. */
export function parseQuestionInContext(text: string, earlier: readonly EarlierQuestion[]): QuestionInContext {
  const { asked, quotes, carriedOn } = separateSurroundings(text);
  const before =
    earlier.findLast((record) => record.focus !== undefined)?.focus ??
    carriedOn.reduce<Focus | undefined>(
      (focus, each) => focusOf(takeOverSubject(parseQuestion(each), focus)),
      undefined,
    );
  return takeOverSubject(withQuotes(parseQuestion(asked), quotes), before);
}

/** Adds the subject of the previous question or answer when the question makes no sense alone. */
function takeOverSubject(question: Question, before: Focus | undefined): QuestionInContext {
  if (before === undefined) return { ...question, before, continues: false };
  const strong = question.subjects.filter((subject) => subject.weight >= 0.5);
  const named = question.identifiers.length > 0 || question.paths.length > 0;
  const elliptic = ELLIPTIC.test(question.text.trim());
  const bare = strong.length === 0 && !named && question.kind !== 'about';
  const continues =
    bare || ((question.refersBack || elliptic) && !named) || (question.refersBack && strong.length <= 1);
  if (!continues) return { ...question, before, continues };
  const asksElse = elliptic && !bare && !question.refersBack;
  const kind = asksElse && question.kind === 'explain' ? asKind(before.kind) : question.kind;
  const ordinal = ORDINAL.find(([word]) => word.test(question.text))?.[1];
  const file = ordinal === undefined ? undefined : before.files[ordinal];
  const weight = asksElse ? 0.35 : bare || strong.length === 0 ? 1 : 0.6;
  const known = new Set(question.subjects.map((subject) => subject.stem));
  const taken = before.words
    .map((word) => {
      const isName = splitIdentifier(word).length > 1;
      const key = isName ? word.toLowerCase() : stem(word.toLowerCase());
      return { word, stem: key, weight, related: isName ? [] : relatedStems(key) };
    })
    .filter((subject) => !known.has(subject.stem));
  return {
    ...question,
    kind,
    subjects: [...question.subjects, ...taken],
    identifiers: asksElse ? question.identifiers : [...question.identifiers, ...before.symbols.slice(0, 1)],
    paths: file !== undefined && !named ? [...question.paths, file.path] : question.paths,
    before,
    continues,
  };
}

/** What a question is about; used when it has no answer yet. */
function focusOf({ subjects, identifiers, kind }: Question): Focus {
  const words = subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word);
  return { symbols: identifiers.slice(0, 5), files: [], words: words.slice(0, 8), kind };
}
