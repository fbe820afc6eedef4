import type { IndexedFile } from '../index/file-index.ts';
import { docComment, firstSentence, stripMarks } from './blocks.ts';
import { prose } from './markdown.ts';
import { coverage, type QueryWord } from './query-words.ts';
import type { Passage } from './rank.ts';

/** A sentence that people wrote about the code, and the line where it begins. */
export interface Statement {
  text: string;
  line: number;
  covered: number;
}

const LONGEST = 240;
/** A sentence with less of the question's weight is not about it. */
const LEAST = 0.25;
const FEWEST_CHARACTERS = 20;

/** The sentence in the comments of a passage that says most about the question; in a document, of its text. */
export function bestStatement(
  passage: Passage,
  lines: readonly string[],
  words: readonly QueryWord[],
): Statement | undefined {
  let best: Statement | undefined;
  for (const { text, line } of paragraphsOf(passage, lines)) {
    const sentences = sentencesOf(text);
    for (const [at, sentence] of sentences.entries()) {
      const covered = coverage(sentence, words);
      if (covered > (best?.covered ?? 0))
        best = { text: prose(joinedUpTo(LONGEST, sentences.slice(at))), line, covered };
    }
  }
  return best !== undefined && best.covered >= LEAST ? best : undefined;
}

/** What the comment of a definition says first; empty without a comment. */
export function descriptionOf({ file, symbol }: Pick<Passage, 'file' | 'symbol'>, lines: readonly string[]): string {
  if (symbol === undefined) return '';
  return (
    prose(
      firstSentence(
        symbol.kind === 'heading' ? sectionText(file, lines, symbol.line) : docComment(lines, symbol.line),
        LONGEST,
      ),
    ) || (file.role === 'docs' ? prose(symbol.name) : '')
  );
}

/** Consecutive lines of comment, or of text in a document, without marks. */
export function paragraphsOf(
  { file, start, end }: Pick<Passage, 'file' | 'start' | 'end'>,
  lines: readonly string[],
): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = [];
  let own: string[] = [];
  const isDocument = file.role === 'docs';
  // A part of a document may begin within a block of code.
  let fenced = isDocument && lines.slice(0, start - 1).filter((line) => FENCE.test(line)).length % 2 === 1;
  const close = (line: number): void => {
    const text = isDocument ? own.join(' ') : stripMarks(own).replace(/\n/g, ' ');
    if (text.length >= FEWEST_CHARACTERS) found.push({ text, line: line - own.length });
    own = [];
  };
  for (let line = start; line <= end; line += 1) {
    const text = lines[line - 1] ?? '';
    if (FENCE.test(text)) fenced = !fenced;
    if (isText(file, text, line, fenced)) own.push(isDocument ? withoutMarks(text) : text);
    else close(line);
    if (isDocument && ITEM.test(lines[line] ?? '')) close(line + 1);
  }
  close(end + 1);
  return found;
}

/** Also within a comment or a block quote. */
const FENCE = /^\s*(?:\/\/[/!]?|\*|#|>)?\s*(?:```|~~~)/;
/** A line of a comment without text, or with a heading, as in the documentation of Rust. */
const BREAK = /^\s*(?:\/\/[/!]?|\*)\s*(?:#{1,6}\s.*)?$/;
/** The beginning of a list item or of a row of a table. */
const ITEM = /^\s*(?:(?:[*+-]|\d+\.)\s|\|)/;

/** The mark of a block quote, and the `[!NOTE]` of one that stands out. */
const QUOTE = /^\s*(?:>\s?)+(?:\[!\w+\]\s*)?/;

function withoutMarks(text: string): string {
  return text
    .replace(QUOTE, '')
    .replace(ITEM, '')
    .replace(/\s*\|\s*$/, '')
    .replace(/\s*\|\s*/g, ': ')
    .trim();
}

function isText(file: IndexedFile, text: string, line: number, fenced: boolean): boolean {
  if (file.role !== 'docs')
    return !fenced && file.commentLines.has(line) && text.trim() !== '' && !FENCE.test(text) && !BREAK.test(text);
  return !fenced && text.replace(QUOTE, '').trim() !== '' && !/^\s*(?:#|```|~~~|<|!\[|---|\|[\s:|-]+$)/.test(text);
}

/** As many sentences as fit, at least the first. */
function joinedUpTo(most: number, sentences: readonly string[]): string {
  let text = (sentences[0] ?? '').slice(0, most);
  for (const sentence of sentences.slice(1)) {
    if (text.length + sentence.length >= most) break;
    text += ` ${sentence}`;
  }
  return text;
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, 4_000)
    .split(/(?<=[.!?:])\s+(?=[A-Z`"(])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= FEWEST_CHARACTERS);
}

/** The first paragraph under a heading, or at the beginning of a document. */
export function sectionText(file: IndexedFile, lines: readonly string[], line: number): string {
  const end = Math.min(lines.length, line + 25);
  return paragraphsOf({ file, start: line + 1, end }, lines).find(({ text }) => /\s/.test(text))?.text ?? '';
}
