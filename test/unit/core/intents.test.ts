import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCancel, readCommandIntent, readIntent } from '../../../src/core/intake/intents.ts';

describe('reading the intent of a text', () => {
  it.each(['', '  \n', '\u200b', '\u00a0\ufeff \u2060'])('reads %j as nothing', (text) => {
    expect(readIntent(text)).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['help', ['help', 'Help', ' HELP ', 'help.', 'help!', 'help?', 'Hilfe', 'hilfe?']],
    ['cancel', ['cancel', 'Cancel', 'stop', 'STOP!', ' stop. ', 'abbrechen', 'Stopp!']],
    ['mute', ['mute', 'Mute', 'MUTE.', 'mute…']],
    ['unmute', ['unmute', 'Unmute!']],
    ['status', ['status', 'Status', 'status?', 'status:']],
    ['history', ['history', 'History.']],
    ['why', ['why', 'Why', 'why.']],
  ])('reads %s in all its spellings', (verb, texts) => {
    for (const text of texts) expect(readIntent(text)).toEqual({ kind: 'verb', verb });
  });

  it.each([
    ...[
      '"help"',
      '“help”',
      '„help“',
      '«help»',
      '‹help›',
      '‘help’',
      "'help.'",
      '『help』',
      '*help*',
      '_help_',
      '~help~',
    ],
    ...[
      '`help`',
      '```\nhelp\n```',
      '*_help_*',
      '**help**',
      '“*help*!”',
      '(help)',
      '> help',
      ': help',
      ', help',
      '— help',
    ],
    ...[
      '\u200bhelp',
      'help\u200b',
      'he\u200blp',
      'h\u00adelp',
      '\u2060help\ufeff',
      '\u00a0help\u00a0',
      'help\u200c',
      'help\u200d',
    ],
    ...['help！', '（help）', '【help】', '《help》', 'ｈｅｌｐ。', '/help', '¡help!', '[help]', '• help', '»help«'],
    ...['help 🙏', '🆘 help', ':sos: *help* :party-blob:', 'please help', 'help, please', 'Help bitte!'],
    ...['\u200ehelp\u200f', '\u202ahelp\u202c', '\u2068help\u2069', '*help*?', '“help”?', 'help ?'],
  ])('reads the lone verb in %j, also as text of the command', (text) => {
    expect(readIntent(text)).toEqual({ kind: 'verb', verb: 'help' });
    expect(readCommandIntent(text)).toEqual({ kind: 'verb', verb: 'help' });
  });

  it.each(['*stop*', '“Stop.”', '\u200bstop', 'stop。', '⛔ Stop！', 'stop please', 'bitte abbrechen'])(
    'reads a cancellation in %j',
    (text) => {
      expect(isCancel(text)).toBe(true);
    },
  );

  it.each(['Connect', 'disconnect.'])('reads %j as a verb of the command only', (text) => {
    expect(readIntent(text)).toEqual({ kind: 'ask', text });
    const verb = text.toLowerCase().replace('.', '');
    expect(readCommandIntent(text)).toEqual({ kind: 'verb', verb });
  });

  it.each([
    'help me understand retries',
    'cancel button: where is it defined?',
    'stop words of the tokenizer?',
    'status of the payment retries?',
    'why?',
    'why is it slow',
    'mute button: where is it?',
    'mute?',
    'history of main.ts?',
    'Hilfe bei Tests?',
    'abbrechen oder warten?',
    'constructor',
    '__proto__',
    'how do I cancel',
    'helpers',
    'newline handling',
    'news?',
    'differently put, where is it?',
    'different approaches to caching?',
    'is there a new client?',
    'new-user.ts: what is it?',
    'new.ts?',
    'new_user and old_user',
    '`new` in JavaScript, what does it do?',
    '"help" button: where is it?',
    'why ?',
    'why 🤔?',
    'please help me',
  ])('reads %j as a question', (text) => {
    expect(readIntent(text)).toEqual({ kind: 'ask', text });
  });

  it.each(['new', 'New:', 'new question', 'different question – ', '`new`', '“New”', '*new:*', '\u200bnew'])(
    'reads %j as a new conversation without a question',
    (text) => {
      expect(readIntent(text)).toEqual({ kind: 'new' });
    },
  );

  it.each([
    ['new where is the retry policy?', 'where is the retry policy?'],
    ['New: where?', 'where?'],
    ['new question where?', 'where?'],
    ['New question: where?', 'where?'],
    ['different question, where?', 'where?'],
    ['Different question – where?', 'where?'],
    ['new\nwhere?', 'where?'],
    ['*new* where?', 'where?'],
    ['“new” where?', 'where?'],
    ['*New question:* where?', 'where?'],
    ['`new`: where?', 'where?'],
    ['“new where?”', 'where?'],
    ['new — where?', 'where?'],
    ['new\u200b where?', 'where?'],
    ['new： where?', 'where?'],
    ['New\u2060 question： where?', 'where?'],
  ])('reads %j as a question that may ask for a new conversation', (text, freshText) => {
    expect(readIntent(text)).toEqual({ kind: 'ask', text, freshText });
  });

  it('never loses a word of a question, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const intent = readIntent(text);
        if (intent.kind !== 'ask') return;
        expect(text).toContain(intent.text);
        expect(intent.text.replace(/^[\s\u200b-\u200f]+/, '')).toBe(intent.text);
        if (intent.freshText !== undefined) expect(intent.text).toContain(intent.freshText);
      }),
    );
  });
});

describe('recognizing a cancellation', () => {
  it('accepts a verb with punctuation marks up to forty characters', () => {
    expect([isCancel(`stop${'!'.repeat(36)}`), isCancel(`stop${'!'.repeat(37)}`)]).toEqual([true, false]);
  });

  it('accepts white space around the verb, but not marks inside it', () => {
    expect([isCancel(' stop\n'), isCancel('st.op'), isCancel('s!top')]).toEqual([true, false, false]);
  });

  it.each(['cancel', 'stop', 'Stop.', 'cancel!!'])('accepts %j', (text) => {
    expect(isCancel(text)).toBe(true);
  });

  it.each(['', 'cancel it', 'please stop it', 'unstop', 'stop?', 'help', '🛑'])('does not accept %j', (text) => {
    expect(isCancel(text)).toBe(false);
  });
});
