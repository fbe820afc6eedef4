import { emojiNames } from './emoji-names.ts';

const characters: ReadonlyMap<string, string> = new Map(
  emojiNames
    .trim()
    .split(/[\n|]/)
    .flatMap((entry) => {
      const [emoji = '', ...names] = entry.split(' ');
      return names.map((name): [string, string] => [name, emoji]);
    }),
);

/** Slack numbers skin tones from 2 to 6. */
const tones = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];

/** The characters of an emoji, or undefined for one that only the workspace has. `name` may end with a skin tone. */
export function emojiOf(name: string, skinTone?: number): string | undefined {
  const [base = '', tone] = name.split('::skin-tone-');
  const plain = characters.get(base);
  const modifier = tones[(skinTone ?? Number(tone)) - 2];
  if (plain === undefined || modifier === undefined) return plain;
  const [first = '', ...rest] = plain;
  return /\p{Emoji_Modifier_Base}/u.test(first) ? first + modifier + rest.join('').replace(/^\u{FE0F}/u, '') : plain;
}

/** Code points as Slack gives them: `1f44d-1f3fb`. Undefined if they are odd. */
export function fromCodePoints(hex: string): string | undefined {
  if (!/^[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,15}$/i.test(hex)) return undefined;
  const codes = hex.split('-').map((code) => Number.parseInt(code, 16));
  return codes.every((code) => code >= 0x23 && code <= 0x10ffff) ? String.fromCodePoint(...codes) : undefined;
}

/**
 * Tokens, which stay, and rows of emoji. A name is no emoji where it touches a letter, a number or another colon, as in
 * `10:100:5` and `Foo::key::bar`. A skin tone is one more emoji of its row: a row must match in one way only, to be read in
 * linear time.
 */
const tokensAndEmoji = /<[^<>\n]*>|(?<![\p{L}\p{N}:])(?::[\p{L}\p{N}_+'-]{1,100}:)+(?![\p{L}\p{N}:])/gu;

const oneEmoji = /:([^:]+):(?::skin-tone-([2-6]):)?/g;

/** Replaces the names of emoji in a text outside of code. The workspace's own emoji stay as typed. */
export function withEmoji(text: string): string {
  return text.replace(tokensAndEmoji, (found) =>
    found.startsWith('<')
      ? found
      : found.replace(
          oneEmoji,
          (typed: string, name: string, tone?: string) =>
            emojiOf(name, tone === undefined ? undefined : Number(tone)) ?? typed,
        ),
  );
}
