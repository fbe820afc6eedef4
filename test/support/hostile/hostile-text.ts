import { readIntent } from '../../../src/core/intake/intents.ts';
import {
  addressesAnother,
  canonical,
  mentions,
  toPlainText,
  unnamedIds,
} from '../../../src/slack/content/incoming-text.ts';
import { routeMessage } from '../../../src/slack/routing.ts';

/** Slack's limit for a message: docs.slack.dev/changelog/2018-truncating-really-long-messages. */
const length = 40_000;
const fill = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

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
  '`',
  '```',
  '``` ',
  '`a',
  ':',
  ':a',
  ':a:',
  '`<http:a',
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
/** Yields the texts one by one, because together they have 80 MB. */
export function* hostileTexts(): Generator<{ made: string; text: string }> {
  for (const opening of openings) {
    for (const unit of units) {
      for (const ending of endings) {
        yield { made: JSON.stringify([opening, unit, ending]), text: `${opening}${fill(unit)}${ending}` };
      }
    }
  }
}

const names = { user: () => undefined, channel: () => undefined };

/** All functions that read the text of a Slack message, by name. */
export const textReaders: [name: string, read: (text: string) => unknown][] = [
  ['toPlainText', (text) => toPlainText(text, names, 'UBOT')],
  ['unnamedIds', unnamedIds],
  ['mentions', (text) => mentions(text, 'UBOT')],
  ['addressesAnother', (text) => addressesAnother(text, 'UBOT')],
  ['readIntent', readIntent],
  ['canonical', (text) => canonical(text, { teamId: 'T1', botUserId: 'UBOT', botId: 'BBOT' })],
  [
    'routeMessage',
    (text) => routeMessage({ isMention: true, userId: 'U1', text, ts: '2.1', edited: false }, text, undefined, 'UBOT'),
  ],
];
