/** A class or a level that stands before a message: `java.io.IOException:`, `panic:`, `error[E0277]:`, `Uncaught TypeError:`. */
const HEAD =
  /^(?:(?:uncaught|unhandled|caused by:?|exception in thread "[^"\n]{0,60}"|\[?(?:error|err|warn(?:ing)?|fatal|info|debug|critical|panic)\]?|what\(\))[:\s]\s*)*(?:(?:[\w$.\\]{0,120}(?:Error|Exception|Warning|Failure|Fault|Errno\w*|what\(\)|panic|fatal|error)|[\w$\\]{1,40}(?:(?:\.|::|\\)\w{1,60}){1,8})(?:\[\w+\]|\s?\(\w+\))?:\s*)+/i;
/** A class of an error with its message behind it: `ValueError: `, `itsdangerous.exc.BadSignature: `, `error[E0277]: `. */
const CLASS =
  /(?<![\w.$\\])(?:[\w$.\\]{0,120}(?:Error|Exception)|(?:[a-z_]\w{0,40}[.\\]){1,8}[A-Z]\w{2,60}|(?:[A-Z]\w{0,40}(?:::|\\)){1,8}[A-Z]\w{2,60}|panic|fatal error|what\(\)|error(?:\[\w+\])?)(?:\s?\(\w+\))?:\s/;
const QUOTED =
  /"([^"\n]{8,300})"|“([^”\n]{8,300})”|`([^`\n]{8,300})`|(?<![\p{L}\p{N}])'([^'\n]{8,300})'(?![\p{L}\p{N}])/gu;
const ASKS_MESSAGE =
  /\b(?:error|exception|message|panic\w*|warning|traceback|log|says?|saying|throws?|fails?|failing|failed|getting|get|got|seeing|see|crash\w*|printed|prints|output)\b/i;
/** Of a message, read here and looked up. */
const LONGEST = 300;

/** A message as a program printed it. */
export interface Pasted {
  text: string;
  /** The question shows that it is one, by a class before it or by quotation marks. */
  isShown: boolean;
}

/**
 * The message that a question has as a program printed it, without its class: of its lines the first with a head like `ValueError:`, or else a quoted text beside a word like "error". A text
 * that asks nothing may be a message, too. Undefined without one.
 */
export function pastedMessage(text: string): Pasted | undefined {
  const lines = text
    .slice(0, 12_000)
    .split('\n')
    .map((line) => line.slice(0, 2 * LONGEST).replace(/^\s*(?:>|&gt;)\s?/, ''));
  for (const line of lines) {
    const from = line.search(CLASS);
    const behind = from < 0 ? '' : line.slice(from).replace(HEAD, '').trim();
    if (wordCount(behind) >= 2) return { text: withoutEdges(behind).slice(0, LONGEST), isShown: true };
  }
  for (const match of text.slice(0, 12_000).matchAll(QUOTED)) {
    const quoted = match.slice(1).find((part) => part !== undefined) ?? '';
    if (wordCount(quoted) >= 3 && ASKS_MESSAGE.test(text.replace(quoted, ' ')))
      return { text: quoted.replace(HEAD, '').trim(), isShown: true };
  }
  const [clause = ''] = (lines[0] ?? '').split(/\s(?:--?|<-+|—|–)\s|\s\(|(?<=[.!])\s/);
  return ASKS.test(clause) || wordCount(clause) < 4
    ? undefined
    : { text: clause.trim().slice(0, LONGEST), isShown: false };
}

/** How a question begins. */
const ASKS =
  /\?|^\W*(?:(?:hi|hey|hello|so|and|but|ok|please|pls)\W+)*(?:how|what|where|who|why|when|which|is|are|was|were|does|do|did|can|could|should|would|will|has|have|list|show|find|explain|describe|tell|give|in|on|for|since|i|we|the|an?|any|my|our|if|tests?)\b/i;

/** Removes the quotation marks at both ends. A single mark is removed too: its partner was cut off with the class name. */
function withoutEdges(message: string): string {
  const marks = message.match(/["'`”“]/g)?.length ?? 0;
  return marks % 2 === 1 || /^["'`“].*["'`”]$/.test(message) ? message.replace(/^["'`“]|["'`”]$/g, '') : message;
}

function wordCount(text: string): number {
  return text.match(/[\p{L}]{2,}/gu)?.length ?? 0;
}
