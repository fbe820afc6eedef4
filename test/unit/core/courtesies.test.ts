import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksNothing, isGreeting } from '../../../src/core/intake/courtesies.ts';

describe('asksNothing', () => {
  it.each([
    'thanks',
    'Thanks!',
    'THANKS!!!',
    'thank you',
    'Thank you so much!',
    'Thank you very much',
    'thx',
    'thx 🙏',
    'ty :heart:',
    'thanks a lot, team',
    'thanks for the quick answer!',
    'Thanks for that :)',
    'thanks:)',
    'cheers :-D',
    '*thanks* :tada:',
    'Ah, thanks',
    'cool, thanks',
    'ok thanks, that helps',
    'great & thanks',
    'nice and thank you',
    'lgtm',
    'LGTM :shipit:',
    'looks good to me',
    'sounds good.',
    'makes sense',
    'got it',
    'Got it, thank you',
    'I see…',
    'that’s all',
    "You're welcome",
    'really helpful',
    'very nice',
    'wow',
    'ok then',
    'lol xD',
  ])('is true for the English %j', (text) => {
    expect(asksNothing(text)).toBe(true);
  });

  it.each([
    'danke',
    'Danke!',
    'Danke dir',
    'Danke schön :blush:',
    'Dankeschön',
    'vielen Dank',
    'Vielen Dank für die schnelle Antwort!',
    'Vielen lieben Dank euch allen',
    'ok, danke',
    'Ok danke dir!',
    'super, danke',
    'perfekt und danke',
    'alles klar',
    'Alles klar, danke 👍',
    'passt',
    'verstanden',
    'das ist super',
    'Das hat geholfen.',
    'sehr gut',
    'Genau',
    'gern geschehen',
  ])('is true for the German %j', (text) => {
    expect(asksNothing(text)).toBe(true);
  });

  it.each([
    'ok',
    'OK.',
    'okay',
    'k',
    '+1',
    '+1!',
    '-1',
    '++',
    '👍',
    '👍🏽',
    '👍 👍🏿 🙏',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '1️⃣',
    '❤️',
    '✅',
    ':+1:',
    ':+1::skin-tone-3:',
    ':thumbsup: :tada:',
    ':größer:',
    ':party_parrot::party-parrot:',
    ':)',
    ';-)',
    '<3',
    '!!',
    '…',
    '',
    '  \n ',
  ])('is true for %j', (text) => {
    expect(asksNothing(text)).toBe(true);
  });

  it.each([
    'funktioniert das',
    'passt das',
    'stimmt das so weit',
    'ist das gut',
    'ist das klar',
    'ist das wirklich genau',
  ])('is false for the German question %j, which needs no question mark', (text) => {
    expect(asksNothing(text)).toBe(false);
  });

  it.each(['das passt', 'Das stimmt!', 'das ist gut', 'das ist super, danke'])(
    'is true for the German statement %j',
    (text) => {
      expect(asksNothing(text)).toBe(true);
    },
  );

  it.each([
    'ok, and for v2?',
    'ok, and for v2',
    'ok?',
    'ok and',
    'ok, and then',
    'ok so',
    'ok und dann',
    'thanks?',
    'thanks, where is it tested?',
    'thanks, where is it tested',
    'thanks for that, and now the tests',
    'danke, und wo wird das getestet',
    'super, und für v2',
    'Vielen Dank, zeig mir noch die Tests',
    'nice, show me more',
    'why',
    'why?',
    '?',
    '👍?',
    'yes',
    'yes please',
    'ja',
    'ja bitte',
    'no',
    'nein',
    'please',
    'bitte',
    'do it',
    'go on',
    'more',
    'again',
    'all',
    'team',
    'that is all',
    'not good',
    'v2',
    '42',
    '#1234',
    'main.ts',
    '`ok`',
    'ok()',
    'status:ok',
    'std::vector::size',
    'a = b',
    'thanksgiving',
    'dankesmail',
    'okapi',
    'constructor',
    '__proto__',
    'https://example.com/thanks',
    '谢谢你的代码在哪里',
  ])('is false for %j', (text) => {
    expect(asksNothing(text)).toBe(false);
  });

  it('is false for every text with a question mark', () => {
    const courtesy = fc.constantFrom('thanks', 'ok', 'danke', '👍', ':+1:', 'got it', ' ', ', ');
    fc.assert(
      fc.property(fc.array(courtesy), fc.array(courtesy), (before, after) => {
        expect(asksNothing(`${before.join(' ')}?${after.join(' ')}`)).toBe(false);
      }),
    );
  });

  it('is true for courtesies one after the other, whatever marks and emoji stand between', () => {
    const courtesy = fc.constantFrom('Thanks', 'OK', 'vielen Dank', 'got it', 'super', 'lgtm', '+1');
    const between = fc.constantFrom(', ', '! ', ' 👍🏽 ', ' :+1: ', ' – ', '\n', '… ', ' :) ');
    fc.assert(
      fc.property(fc.array(fc.tuple(courtesy, between), { minLength: 1, maxLength: 8 }), (pairs) => {
        expect(asksNothing(pairs.flat().join(''))).toBe(true);
      }),
    );
  });

  it('is false for a courtesy with any other word', () => {
    const other = fc.constantFrom('v2', 'retries', 'where', 'wo', 'tests', 'zeig', 'x', '7');
    const courtesy = fc.constantFrom('thanks', 'ok', 'vielen dank', '👍', 'super');
    fc.assert(
      fc.property(courtesy, other, fc.boolean(), (polite, word, comesFirst) => {
        expect(asksNothing(comesFirst ? `${polite}, ${word}` : `${word}, ${polite}`)).toBe(false);
      }),
    );
  });

  it('reads texts up to three hundred characters', () => {
    expect([asksNothing('👍'.repeat(150)), asksNothing(`${'👍'.repeat(150)}!`)]).toEqual([true, false]);
  });
});

describe('isGreeting', () => {
  it.each([
    ...[
      'hello',
      'Hello!',
      'hi',
      'hey there',
      'hi all',
      'hey bot',
      'Good morning :wave:',
      'moin',
      'Moin moin!',
      'Hallo zusammen',
    ],
    ...[
      'guten Morgen',
      'hola',
      'ping',
      'ping?',
      'test',
      'test?',
      'Testing 1, 2, 3',
      'are you there?',
      'anyone there??',
    ],
    ...[
      '???',
      '?',
      '!?',
      '...',
      '👋',
      '👋🏽',
      ':wave:',
      ':party-parrot:',
      '🇩🇪',
      '',
      'hi, thanks',
      'hello?!',
      'hey\u200b',
    ],
  ])('is true for %j', (text) => {
    expect(isGreeting(text)).toBe(true);
  });

  it.each([
    ...[
      'hello where is it',
      'hi, where is main.ts?',
      'ping()',
      'test.ts',
      'ping handler',
      'what does ping do?',
      '`hello`',
    ],
    ...['why?', 'good?', 'ok?', 'thanks', 'does it work?', 'funktioniert das?', '42', 'v2?', 'hello = 1', '你好吗代码'],
    ...['hi'.repeat(200)],
  ])('is false for %j', (text) => {
    expect(isGreeting(text)).toBe(false);
  });
});
