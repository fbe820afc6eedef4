import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Writes `src/slack/content/emoji-names.ts` from `emoji.json` of the npm package `emoji-datasource`, whose names Slack
 * uses. The package has 28 MB of pictures, so it is no dependency. Each year brings new emoji: unpack its newest version
 * and run `npm run emoji -- <path of emoji.json>`.
 */

interface Emoji {
  unified: string;
  short_names: string[];
}

const [, , source = ''] = process.argv;
const emoji = JSON.parse(readFileSync(source, 'utf8')) as Emoji[];
const entries = emoji.map(({ unified, short_names: names }) => {
  const characters = String.fromCodePoint(...unified.split('-').map((code) => Number.parseInt(code, 16)));
  return [characters, ...names].join(' ');
});

const lines: string[] = [''];
for (const entry of entries) {
  const line = lines.at(-1) ?? '';
  if (line.length + entry.length > 115) lines.push(entry);
  else lines[lines.length - 1] = line === '' ? entry : `${line}|${entry}`;
}
writeFileSync(
  new URL('../../src/slack/content/emoji-names.ts', import.meta.url),
  `/**
 * Emoji, each followed by Slack's names for it. Written by \`tools/emoji/write-emoji-names.ts\` from the data of
 * \`emoji-datasource\` 16.0.0 (MIT license, Cal Henderson).
 */
export const emojiNames = \`
${lines.join('\n')}\`;
`,
);
