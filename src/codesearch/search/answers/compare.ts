import type { QuestionInContext } from '../questions/carry-over.ts';
import { parseQuestion } from '../questions/question.ts';
import type { Draft } from './draft.ts';
import { code, joinWords } from './markdown.ts';
import { questionTitle } from './titles.ts';

const SECTIONS_EACH = 2;

/** Splits a comparison ("difference between A and B", "A vs B") into one question for each thing. */
export function splitComparison(question: QuestionInContext): [QuestionInContext, QuestionInContext] | undefined {
  const text = question.text
    .slice(0, 400)
    .replace(/\s+/g, ' ')
    .replace(/[?!.\s]+$/, '');
  const match =
    /\bdiffer(?:ences?|s?)?\s+between\s+(.+?)\s+and\s+(.+)$/i.exec(text) ??
    /^(?:compare\s+)(.+?)\s+(?:and|with|to)\s+(.+)$/i.exec(text) ??
    /^(?!(?:how|why|when|where|which|who|do|does|is|are|can)\b)(?:what(?:'s| is| are)?\s+)?((?:\S+\s+){1,5}?)(?:vs\.?|versus)((?:\s+\S+){1,5})$/i.exec(
      text,
    );
  const [, left, right] = match ?? [];
  if (left === undefined || right === undefined) return undefined;
  const side = (thing: string): QuestionInContext => ({
    ...parseQuestion(`what is ${thing}`),
    before: question.before,
    continues: false,
  });
  return [side(left.trim()), side(right.trim())];
}

/** Joins the answers about both things, shortened to what each one is. */
export function compare(question: QuestionInContext, drafts: readonly Draft[]): Draft {
  const names = drafts.map(({ symbols }) => symbols[0]).filter((name) => name !== undefined);
  return {
    title: questionTitle(question, undefined),
    sections: [
      names.length === drafts.length
        ? `This is what ${joinWords(names.map(code))} are, side by side.`
        : 'This is what the code says of each.',
      ...drafts.flatMap(({ sections }) => sections.slice(0, SECTIONS_EACH)),
    ],
    sources: drafts.flatMap(({ sources }) => sources.slice(0, 5)),
    followUps: names.map((name) => `Where is \`${name}\` used?`).concat(drafts.flatMap(({ followUps }) => followUps)),
    symbols: names,
    files: drafts.flatMap(({ files }) => files),
  };
}
