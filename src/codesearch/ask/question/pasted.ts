/** A class or a level that stands before a message: `java.io.IOException:`, `panic:`, `error[E0277]:`, `Uncaught TypeError:`. */
const HEAD =
  /^(?:(?:uncaught|unhandled|caused by:?|exception in thread "[^"\n]{0,60}"|\[?(?:error|err|warn(?:ing)?|fatal|info|debug|critical|panic)\]?)[:\s]\s*)*(?:(?:[\w$.\\]{0,120}(?:Error|Exception|Warning|Failure|Fault|Errno\w*|panic|fatal|error)|[\w$\\]{1,40}(?:(?:\.|::|\\)\w{1,60}){1,8})(?:\[\w+\]|\s?\(\w+\))?:\s*)+/i;
/** A class of an error with its message behind it: `ValueError: `, `itsdangerous.exc.BadSignature: `, `error[E0277]: `. */
const CLASS =
  /(?<![\w.$\\])(?:[\w$.\\]{0,120}(?:Error|Exception)|(?:[a-z_]\w{0,40}[.\\]){1,8}[A-Z]\w{2,60}|(?:[A-Z]\w{0,40}(?:::|\\)){1,8}[A-Z]\w{2,60}|panic|fatal error|error(?:\[\w+\])?)(?:\s?\(\w+\))?:\s/;
/** The time, level and process before a line of a log. */
const STAMP =
  /^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]?[\d:.,]*Z?\]?|\[?\d\d:\d\d:\d\d[\d.,]*\]?)?\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|E|W)\]?[:\s]\s*)?/;
const FRAME =
  /^\s*(?:at\s+\S|File "|from\s+\/|\.\.\.\s+\d+ more|goroutine\s+\d|\d+:\s+0x|Traceback|stack backtrace|\|\s|\^|~)/;
const PANICKED = /^thread '[^'\n]{0,80}' panicked at (?:'([^'\n]+)'|[^\n:]+:\d+:\d+:?\s*)/;
const QUOTED =
  /"([^"\n]{8,300})"|“([^”\n]{8,300})”|`([^`\n]{8,300})`|(?<![\p{L}\p{N}])'([^'\n]{8,300})'(?![\p{L}\p{N}])/gu;
const ASKS_MESSAGE =
  /\b(?:error|exception|message|panic\w*|warning|traceback|log|says?|saying|throws?|fails?|failing|failed|getting|get|got|seeing|see|crash\w*|printed|prints|output)\b/i;
/** Of a message, read here and looked up. */
const LONGEST = 300;

/** A message as a program printed it. */
export interface Pasted {
  text: string;
  /** The question shows that it is one: by a class or a level before it, by quotation marks beside "error", or as pasted lines. */
  isShown: boolean;
}

/**
 * The message that a question has as a program printed it, without class name, time and frames: of its lines the first with a head
 * like `ValueError:`, or else a quoted text of several words beside a word like "error", or a line of a log. A text that asks nothing may be a
 * message, too. Undefined without one.
 */
export function pastedMessage(text: string): Pasted | undefined {
  const lines = text
    .slice(0, 12_000)
    .split('\n')
    .map((line) => line.slice(0, 2 * LONGEST).replace(/^\s*(?:>|&gt;)\s?/, ''));
  for (const [at, line] of lines.entries()) {
    const panicked = PANICKED.exec(line.trim());
    const message = panicked === null ? undefined : (panicked[1] ?? lines[at + 1]?.trim());
    if (message !== undefined && message !== '') return shown(message);
    if (FRAME.test(line)) continue;
    const from = line.search(CLASS);
    if (from < 0) continue;
    const behind = line.slice(from).replace(HEAD, '').trim();
    if (wordCount(behind) >= 2) return shown(withoutEdges(behind));
  }
  for (const match of text.slice(0, 12_000).matchAll(QUOTED)) {
    const quoted = match.slice(1).find((part) => part !== undefined) ?? '';
    if (wordCount(quoted) >= 3 && ASKS_MESSAGE.test(text.replace(quoted, ' ')))
      return shown(quoted.replace(HEAD, '').trim());
  }
  const stamped = lines.find((line) => STAMP.exec(line)?.[0].trim() !== '' && wordCount(line) >= 3);
  if (stamped !== undefined) return shown(withoutClass(stamped.replace(STAMP, '')));
  const [clause = ''] = (lines[0] ?? '').split(/\s(?:--?|<-+|—|–)\s|\s\(|(?<=[.!])\s/);
  return ASKS.test(clause) || wordCount(clause) < 4
    ? undefined
    : { text: clause.trim().slice(0, LONGEST), isShown: false };
}

/** How a question begins. */
const ASKS =
  /\?|^\W*(?:(?:hi|hey|hello|so|and|but|ok|please|pls)\W+)*(?:how|what|where|who|why|when|which|is|are|was|were|does|do|did|can|could|should|would|will|has|have|list|show|find|explain|describe|tell|give|in|on|for|since|i|we|the|an?|any|my|our|if|tests?)\b/i;

function shown(text: string): Pasted {
  return { text: text.slice(0, LONGEST), isShown: true };
}

function withoutClass(line: string): string {
  return line.replace(/\s*\([\w.:$\\]{0,80}(?:Error|Exception)\)\s*$/, '').trim();
}

/** Without quotation marks around it, of which the first may stand before what was cut. */
function withoutEdges(message: string): string {
  const marks = message.match(/["'`”“]/g)?.length ?? 0;
  return marks % 2 === 1 || /^["'`“].*["'`”]$/.test(message) ? message.replace(/^["'`“]|["'`”]$/g, '') : message;
}

function wordCount(text: string): number {
  return text.match(/[\p{L}]{2,}/gu)?.length ?? 0;
}
