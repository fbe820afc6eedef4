import { describe, expect, it } from 'vitest';
import { readIntent } from '../../../src/core/intents.ts';
import { addressesAnother, mentions, toPlainText, unnamedIds } from '../../../src/slack/incoming-text.ts';
import { routeMessage } from '../../../src/slack/routing.ts';

/** As long as Slack lets a message be: docs.slack.dev/changelog/2018-truncating-really-long-messages. */
const length = 40_000;
const longestMs = 200;
const fill = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const names = { user: () => undefined, channel: () => undefined };

const units = [
  ' ',
  '\t',
  '\n',
  ' \n',
  '!',
  '.',
  '.!',
  'A',
  '<',
  '<@',
  '<@A',
  '<@A|',
  '<#C|',
  '<!',
  '<!a',
  '<!a^',
  '<!date^',
  '<!date^1^{time}|',
  '<!subteam^',
  '<http:',
  '<http:a|',
  '<mailto:',
  '|',
  '^',
  '>',
  '&',
  '&amp;',
  '&amp',
  '/',
  'http://',
  'new ',
  'new question ',
  ' ,:.',
  '–',
  '\u00a0',
  'a\u0301',
];
const openings = [
  '',
  '<@',
  '<@UBOT> ',
  '<!subteam^',
  '<!date^',
  '<!a',
  '<http:',
  'cancel',
  'new',
  'new question',
  'x|',
];
const endings = ['', 'x', '>', '|', '\n'];
const texts = openings.flatMap((opening) =>
  units.flatMap((unit) => endings.map((ending) => [opening, unit, ending] as const)),
);

describe('a text of 40,000 characters', () => {
  it.each<[string, (text: string) => unknown]>([
    ['toPlainText', (text) => toPlainText(text, names, 'UBOT')],
    ['unnamedIds', unnamedIds],
    ['mentions', (text) => mentions(text, 'UBOT')],
    ['addressesAnother', (text) => addressesAnother(text, 'UBOT')],
    ['readIntent', readIntent],
    [
      'routeMessage',
      (text) =>
        routeMessage({ isMention: true, userId: 'U1', text, ts: '2.1', edited: false }, text, undefined, 'UBOT'),
    ],
  ])('does not hold up %s, however hostile', (_, run) => {
    const slow = texts.flatMap(([opening, unit, ending]) => {
      const text = `${opening}${fill(unit)}${ending}`;
      const startMs = performance.now();
      run(text);
      const tookMs = performance.now() - startMs;
      return tookMs < longestMs ? [] : [`${JSON.stringify([opening, unit, ending])}: ${tookMs} ms`];
    });
    expect(slow).toEqual([]);
  });
});
