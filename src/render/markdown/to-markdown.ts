import type { InlineCode, Link, Parents, PhrasingContent, RootContent, Table, Text } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { defaultHandlers, type Handle, type Info, type State, toMarkdown } from 'mdast-util-to-markdown';
import { textOf } from './words.ts';

/**
 * Writes a tree as Markdown for a `markdown` block, so that Slack reads nothing in it as one of its own tokens.
 *
 * Slack reads `<!here>`, `<@U…>` and the like inside a `markdown` block too. In text, every `<` is therefore written as
 * `&lt;`: people who measured it in a live workspace (PostHog/posthog pull request 95054) found that Slack shows the
 * entity as the character and does not read the result as a token. `&` stays unchanged unless it would begin an entity,
 * because Slack does not decode entities in link addresses.
 *
 * Code is written byte for byte. Slack turns a `markdown` block into rich text, where code can notify no one: a code
 * block holds only text and links (docs.slack.dev, `RichTextPreformatted.elements`), and inline code is a text element
 * with a style, for which Slack shows the id of `<@U…>` as characters (vercel/chat pull requests 629 and 947). CommonMark
 * decodes no entities in code, so each mark of ours would be visible there or be copied with the code.
 *
 * Backslashes are written only where Markdown would otherwise read the text differently: `snake_case` has none.
 */
export function writeMarkdown(nodes: readonly RootContent[]): string {
  return toMarkdown({ type: 'root', children: [...nodes] }, OPTIONS).trimEnd();
}

const writeText: Handle = (node: Text, parent: Parents | undefined, state: State, info: Info) =>
  escapeText(node.value, {
    before: info.before.slice(-1),
    after: info.after.slice(0, 1),
    inCell: state.stack.includes('tableCell'),
    inLabel: state.stack.includes('label'),
    inHeading: state.stack.includes('headingAtx'),
    tildes: parent === undefined ? 2 : tildesIn(parent),
  });

/** Caches the count per paragraph, because each of its texts needs it. */
const countedTildes = new WeakMap<Parents, number>();

function tildesIn(parent: Parents): number {
  const count = countedTildes.get(parent) ?? textOf(parent.children).split('~').length - 1;
  countedTildes.set(parent, count);
  return count;
}

const writeLink: Handle = Object.assign(
  (node: Link, _parent: unknown, state: State) => {
    const exitLink = state.enter('link');
    const exitLabel = state.enter('label');
    const label = state.containerPhrasing(node, { before: '[', after: ']', now: { line: 1, column: 1 }, lineShift: 0 });
    exitLabel();
    exitLink();
    return `[${label}](${linkAddress(node.url)})`;
  },
  { peek: () => '[' },
);

/** Encodes parentheses, which would otherwise need escaping or balancing. Web servers read them the same way. */
function linkAddress(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29');
}

const writeInlineCode: Handle = Object.assign(
  (node: InlineCode, parent: Parents | undefined, state: State) => {
    const written = defaultHandlers.inlineCode(node, parent, state);
    return state.stack.includes('tableCell') ? written.replaceAll('|', '\\|') : written;
  },
  { peek: () => '`' },
);

/**
 * Writes a table. Cells have no padding, which would cost characters. Delimiters have three dashes, which every parser
 * accepts.
 */
const writeTable: Handle = (node: Table, _parent: unknown, state: State, info: Info) => {
  const [header, ...rows] = node.children.map((row) =>
    row.children.map((cell) => state.handle(cell, row, state, info)),
  );
  if (header === undefined) return '';
  const delimiters = header.map((_, column) => DELIMITERS[node.align?.[column] ?? 'none']);
  return [header, delimiters, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
};

const DELIMITERS = { left: ':---', right: '---:', center: ':---:', none: '---' } as const;

const OPTIONS = {
  extensions: [
    gfmToMarkdown(),
    { handlers: { text: writeText, link: writeLink, inlineCode: writeInlineCode, table: writeTable } },
  ],
  bullet: '-',
  fences: true,
  rule: '-',
  listItemIndent: 'one',
  incrementListMarker: true,
  tightDefinitions: true,
} as const satisfies Parameters<typeof toMarkdown>[1];

/**
 * Estimates the length and weight (see `weightOf`) of phrasing content as Markdown. The estimate is rather too high
 * than too low.
 */
export function measurePhrasing(nodes: readonly PhrasingContent[]): { length: number; weight: number } {
  let length = 0;
  let weight = 0;
  const add = (written: string, marks: number) => {
    length += written.length + marks;
    weight += weightOf(written) + marks;
  };
  for (const node of nodes) {
    if (node.type === 'text') {
      add(
        escapeText(node.value, { before: '', after: '', inCell: true, inLabel: false, inHeading: false, tildes: 2 }),
        0,
      );
    } else if (node.type === 'inlineCode') {
      const ticks = node.value.includes('`') ? 2 * longestTicks(node.value) + 4 : 2;
      add(node.value, ticks + node.value.split('|').length - 1);
    } else if (node.type === 'break') {
      add('\\\n', 0);
    } else if ('children' in node) {
      const inner = measurePhrasing(node.children);
      length += inner.length + 4;
      weight += inner.weight + 4;
      if (node.type === 'link') add(linkAddress(node.url), 0);
    }
  }
  return { length, weight };
}

/** Length of the longest run of backticks. */
export function longestTicks(text: string): number {
  let longest = 0;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}

/** The characters that Slack counts for written Markdown: it stores the three control characters as entities. */
export function weightOf(markdown: string): number {
  let weight = markdown.length;
  for (const match of markdown.matchAll(/&(?:lt|gt|amp);|[&<>]/g)) {
    if (match[0].length === 1) weight += match[0] === '&' ? 4 : 3;
  }
  return weight;
}

interface TextPlace {
  before: string;
  after: string;
  inCell: boolean;
  inLabel: boolean;
  inHeading: boolean;
  /** How many tildes the same paragraph has: a single one strikes nothing through. */
  tildes: number;
}

const LINE_START: readonly RegExp[] = [
  /^#{1,6}(?=\s|$)/,
  /^[-+*](?=\s|$)/,
  /^(?:=+|-+)[ \t]*$/,
  /^(?=[\s|:]*-)[|:-][\s|:-]*$/,
];
/** Every character that `escapeCharacter` may escape. */
const SPECIAL = /[<&`\\*_~[\]!|]/g;
const LONGEST_ENTITY = 40;
const WORD = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

function escapeText(value: string, place: TextPlace): string {
  const escaped = value.replace(SPECIAL, (character, at: number) => {
    const previous = at > 0 ? value.charAt(at - 1) : place.before;
    const next = at + 1 < value.length ? value.charAt(at + 1) : place.after;
    const ahead = value.slice(at, at + LONGEST_ENTITY);
    return escapeCharacter(character, previous, next, ahead, place);
  });
  if (place.inHeading && isBlank(place.after)) return escaped.replace(/(?<=^|\s)(?=#+$)/, '\\');
  const startsLine = place.before === '' || place.before === '\n';
  const original = value.split('\n');
  return escaped
    .split('\n')
    .map((line, index) => (index > 0 || startsLine ? escapeStart(original[index] ?? '', line) : line))
    .join('\n');
}

function escapeCharacter(character: string, previous: string, next: string, ahead: string, place: TextPlace): string {
  const escaped = `\\${character}`;
  switch (character) {
    case '<':
      return '&lt;';
    case '&':
      return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]*);/i.test(ahead) ? '&amp;' : character;
    case '`':
      return escaped;
    case '\\':
      return next === '' || next === '\n' || PUNCTUATION.test(next) ? escaped : character;
    case '*':
      return isBlank(previous) && isBlank(next) ? character : escaped;
    case '_':
      return (WORD.test(previous) && WORD.test(next)) || (isBlank(previous) && isBlank(next)) ? character : escaped;
    case '~':
      if (previous === '~' || next === '~') return escaped;
      return place.tildes > 1 && !(isBlank(previous) && isBlank(next)) ? escaped : character;
    case '[':
      return place.inLabel ? escaped : character;
    case ']':
      return place.inLabel || next === '(' ? escaped : character;
    case '!':
      return next === '[' ? escaped : character;
    case '|':
      return place.inCell ? escaped : character;
    default:
      return character;
  }
}

/** Escapes text that would begin another kind of block at the start of a line. */
function escapeStart(line: string, written: string): string {
  if (written.startsWith('\\')) return written;
  if (line.startsWith('>')) return `&gt;${written.slice(1)}`;
  const ordered = /^(\d{1,9})([.)])(?=\s|$)/.exec(line);
  if (ordered?.[1] !== undefined) return `${ordered[1]}\\${written.slice(ordered[1].length)}`;
  if (/^\[(?:[ xX]\](?=\s|$)|\^|[^\]]*$|[^\]]*\]:)/.test(line)) return `\\${written}`;
  return LINE_START.some((pattern) => pattern.test(line)) ? `\\${written}` : written;
}

function isBlank(character: string): boolean {
  return character === '' || /\s/.test(character);
}
