import { LIMITS } from '../limits.ts';
import { type Html, html } from './html.ts';

/** The signs of a family of languages. A block or a text of several lines begins and ends with the same entry. */
interface Syntax {
  lineComments: readonly string[];
  /** Start and end of comments and texts that may go over several lines. */
  blocks: readonly { start: string; end: string; kind: 'comment' | 'string' }[];
  keywords: ReadonlySet<string>;
}

const C_KEYWORDS =
  'abstract as async await bool break case catch chan char class const continue default defer delete do double else enum export extends false final finally float fn for from func function go goto if impl implements import in instanceof int interface let long loop map match mod mut namespace new nil null of package private protected pub public range readonly return satisfies select self short static struct super switch this throw throws trait true try type typeof undefined union unsigned use using var void where while yield';
const HASH_KEYWORDS =
  'and as assert async await begin break case class continue def del do done elif else end esac except export false fi finally for from function global if import in is lambda local module None nil not or pass raise require rescue return self set then true True False try unless until while with yield';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const cBlock = { start: '/*', end: '*/', kind: 'comment' } as const;
const template = { start: '`', end: '`', kind: 'string' } as const;

const c: Syntax = { lineComments: ['//'], blocks: [cBlock], keywords: words(C_KEYWORDS) };
const script: Syntax = { ...c, blocks: [cBlock, template] };
const hash: Syntax = { lineComments: ['#'], blocks: [], keywords: words(HASH_KEYWORDS) };
const python: Syntax = {
  ...hash,
  blocks: [
    { start: '"""', end: '"""', kind: 'string' },
    { start: "'''", end: "'''", kind: 'string' },
  ],
};

const SYNTAXES: readonly [endings: string, syntax: Syntax][] = [
  ['js jsx mjs cjs ts tsx mts cts go', script],
  ['c h cc cpp cxx hpp hh m mm cs java kt kts scala swift rs dart groovy gradle zig proto', c],
  ['py pyi', python],
  ['rb sh bash zsh fish yml yaml toml mk tf r ex exs conf', hash],
];

const syntaxOf = new Map(SYNTAXES.flatMap(([endings, syntax]) => endings.split(' ').map((ending) => [ending, syntax])));

const TOKEN = /(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_$][\w$]*)|\s+|./gsu;

/**
 * Colors comments, texts, numbers and keywords of a file by the ending of its path; undefined for a file that stays plain. A
 * reader of single characters, not a parser: it may be wrong about regular expressions in code.
 */
export function highlightLines(path: string, lines: readonly string[]): Html[] | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const syntax = syntaxOf.get(ending);
  if (syntax === undefined) return undefined;
  if (lines.reduce((sum, line) => sum + line.length, 0) > LIMITS.coloredFileCharacters) return undefined;
  let open: Syntax['blocks'][number] | undefined;
  return lines.map((line) => {
    if (line.length > LIMITS.coloredLineCharacters) return html`${line}`;
    const parts: Html[] = [];
    /** Quotation marks that the rest of the line does not close: looking again would make the work quadratic. */
    const unclosed = new Set<string>();
    let at = 0;
    while (at < line.length) {
      if (open !== undefined) {
        const end = endOf(line, at, open.end);
        parts.push(colored(open.kind, line.slice(at, end.at)));
        at = end.at;
        if (end.isClosed) open = undefined;
        continue;
      }
      if (syntax.lineComments.some((start) => line.startsWith(start, at))) {
        parts.push(colored('comment', line.slice(at)));
        break;
      }
      open = syntax.blocks.find(({ start }) => line.startsWith(start, at));
      if (open !== undefined) {
        parts.push(colored(open.kind, open.start));
        at += open.start.length;
        continue;
      }
      const quote = line[at] ?? '';
      if ((quote === '"' || quote === "'") && !unclosed.has(quote)) {
        const end = endOf(line, at + 1, quote);
        if (end.isClosed) {
          parts.push(colored('string', line.slice(at, end.at)));
          at = end.at;
          continue;
        }
        unclosed.add(quote);
      }
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(line);
      const text = match?.[0] ?? line.slice(at);
      const { number, word } = match?.groups ?? {};
      if (number !== undefined) parts.push(colored('number', text));
      else if (word !== undefined && syntax.keywords.has(word)) parts.push(colored('keyword', text));
      else parts.push(html`${text}`);
      at += text.length;
    }
    return html`${parts}`;
  });
}

/** Where a block ends in a line; a backslash hides the sign after it. */
function endOf(line: string, from: number, end: string): { at: number; isClosed: boolean } {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line.startsWith(end, at)) return { at: at + end.length, isClosed: true };
  }
  return { at: line.length, isClosed: false };
}

function colored(kind: 'comment' | 'string' | 'number' | 'keyword', text: string): Html {
  return html`<span class="${kind}">${text}</span>`;
}
