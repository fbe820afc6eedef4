/** Most characters of a text. Longer texts are not parsed. */
const MAX_LENGTH = 100_000;
/** Most lines and marks. Each takes about 25 µs of a parser's time. */
const MAX_WORK = 6_000;
/** Most repeated reads of characters. Each takes some nanoseconds. */
const MAX_STEPS = 8_000_000;
/** Most lists, quotations and footnotes that are open at the same time. */
const MAX_CONTAINERS = 30;
/** Most emphasis marks in one block of lines. This is twice the depth of emphasis. */
const MAX_EMPHASIS = 1_000;
/** Most brackets of links in one block of lines. */
const MAX_BRACKETS = 2_000;

/** What a line opens and may continue, read from its beginning. */
interface Opening {
  markers: number;
  quotes: number;
  /** Columns of white space before and between the markers. */
  indent: number;
  isBlank: boolean;
  /** Index where the opening ends and the content begins. */
  end: number;
}

interface Fence {
  mark: string;
  length: number;
}

/**
 * Whether a Markdown parser like micromark parses the text in at most about 0.3 s. The parser's time grows with the
 * square of nested containers, emphasis, unclosed tags and words of punctuation. Real answers have few of these. The
 * check itself takes linear time. It overestimates: code counts as text, unless a fence certainly surrounds it.
 */
export function isQuicklyParsed(markdown: string): boolean {
  if (markdown.length > MAX_LENGTH) return false;
  let work = 0;
  let steps = 0;
  let open = 0;
  let afterBlank = true;
  let block = newBlock();
  let fence: Fence | undefined;
  // False after a possible fence in a container or in HTML: the next fence may be the end of that one.
  let isFenceCertain = !markdown.startsWith('\uFEFF');
  for (let start = 0; start < markdown.length; ) {
    const end = endOfLine(markdown, start);
    const next = markdown.charCodeAt(end) === CR && markdown.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
    if (fence !== undefined) {
      if (closes(markdown.slice(start, end), fence)) fence = undefined;
      work += 1;
      if (work > MAX_WORK) return false;
      start = next;
      continue;
    }
    const line = openingOf(markdown, start, end);
    const mark = markdown.charCodeAt(line.end);
    if (mark === LESS) isFenceCertain = false;
    else if (mark === TICK || mark === TILDE) {
      const found = fenceAt(markdown.slice(line.end, end));
      if (line.end > start && found !== undefined) isFenceCertain = false;
      else if (isFenceCertain && found !== undefined) {
        fence = found;
        steps += stepsOf(block);
        block = newBlock();
        open = 0;
      }
    }
    if (line.isBlank) {
      steps += stepsOf(block);
      block = newBlock();
      work += 1 + 2 * open;
    } else {
      const continued = Math.min(open, Math.floor(line.indent / 2) + line.quotes);
      // A line without indentation after a blank line continues nothing. Later lines of a paragraph may be less
      // indented.
      if (line.markers > 0) open = (line.indent >= 2 || line.quotes > 0 ? continued : 0) + line.markers;
      else if (afterBlank && continued === 0) open = 0;
      if (open > MAX_CONTAINERS) return false;
      const before = block.work;
      block.work += 1 + 2 * (continued + line.markers);
      readLine(markdown, start, end, block);
      work += block.work - before;
      if (block.emphasis > MAX_EMPHASIS || block.brackets > MAX_BRACKETS) return false;
    }
    if (work > MAX_WORK || steps > MAX_STEPS) return false;
    afterBlank = line.isBlank;
    start = next;
  }
  return steps + stepsOf(block) <= MAX_STEPS;
}

/** Lines without a blank line between them. The parser formats them together. */
interface Block {
  length: number;
  work: number;
  emphasis: number;
  brackets: number;
  /** Marks that may begin a tag, a comment or an address. The parser searches for the end of each. */
  angles: number;
  ticks: number;
  /** Reads of words: the length of each times its punctuation. */
  words: number;
}

function newBlock(): Block {
  return { length: 0, work: 0, emphasis: 0, brackets: 0, angles: 0, ticks: 0, words: 0 };
}

function stepsOf(block: Block): number {
  // Runs of backticks without a counterpart all differ in length, so there are few.
  const loneTicks = Math.sqrt(2 * block.ticks);
  return (block.emphasis + block.brackets) * block.work + (block.angles + loneTicks) * block.length + block.words;
}

const CR = 13;
const LF = 10;
const LESS = 60;
const TICK = 96;
const TILDE = 126;

/** Marks of inline formatting and their weights. */
const MARKS: ReadonlyMap<number, number> = new Map(
  [...'*_~[]()<>&!`\\:@|'].map((mark) => [mark.charCodeAt(0), mark === '|' ? 2 : 1]),
);

function readLine(text: string, start: number, end: number, block: Block): void {
  let wordLength = 0;
  let punctuation = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 9) {
      block.words += wordLength * punctuation;
      wordLength = 0;
      punctuation = 0;
      continue;
    }
    wordLength += 1;
    if (code >= 128 || isAlphanumeric(code)) continue;
    punctuation += 1;
    const weight = MARKS.get(code);
    if (weight === undefined) continue;
    block.work += weight;
    if (code === 96) block.ticks += 1;
    else if (code === 60) block.angles += 1;
    else if (code === 91 || code === 93) block.brackets += 1;
    else if (code === 42 || code === 126) block.emphasis += 1;
    // Inside a name like snake_case an underscore is no mark.
    else if (code === 95 && !(isAlphanumeric(text.charCodeAt(at - 1)) && isAlphanumeric(text.charCodeAt(at + 1))))
      block.emphasis += 1;
  }
  block.words += wordLength * punctuation;
  block.length += end - start;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function endOfLine(text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charCodeAt(end) !== LF && text.charCodeAt(end) !== CR) end += 1;
  return end;
}

function openingOf(text: string, start: number, end: number): Opening {
  const opening: Opening = { markers: 0, quotes: 0, indent: 0, isBlank: true, end };
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === 32) opening.indent += 1;
    else if (code === 9) opening.indent += 4;
    else if (code === 62) {
      opening.quotes += 1;
      opening.markers += 1;
    } else {
      opening.isBlank = false;
      const length = markerLength(text, at, end);
      if (length === 0) return { ...opening, end: at };
      opening.markers += 1;
      at += length - 1;
    }
    at += 1;
  }
  opening.isBlank &&= opening.quotes === 0;
  return opening;
}

/** The fence that a line opens. `line` has no indentation. The info string after backticks contains no backticks. */
function fenceAt(line: string): Fence | undefined {
  const [, run = '', info = ''] = /^(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
  const mark = run.charAt(0);
  return run === '' || (mark === '`' && info.includes('`')) ? undefined : { mark, length: run.length };
}

function closes(line: string, { mark, length }: Fence): boolean {
  let at = 0;
  while (at < 3 && line[at] === ' ') at += 1;
  const start = at;
  while (line[at] === mark) at += 1;
  const isLong = at - start >= length;
  while (line[at] === ' ' || line[at] === '\t') at += 1;
  return isLong && at === line.length;
}

/** Length of the marker of a list item or a footnote at this index. 0 if there is none. */
function markerLength(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code === 42 || code === 43 || code === 45) return isSpace(text, at + 1, end) ? 1 : 0;
  if (code === 91 && text.charCodeAt(at + 1) === 94) {
    const closing = text.slice(at, Math.min(end, at + 1_100)).indexOf(']:');
    return closing < 0 ? 0 : closing + 2;
  }
  let digits = 0;
  while (digits < 9 && text.charCodeAt(at + digits) >= 48 && text.charCodeAt(at + digits) <= 57) digits += 1;
  const dot = text.charCodeAt(at + digits);
  return digits > 0 && (dot === 46 || dot === 41) && isSpace(text, at + digits + 1, end) ? digits + 1 : 0;
}

function isSpace(text: string, at: number, end: number): boolean {
  return at >= end || text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9;
}
