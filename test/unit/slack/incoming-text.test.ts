import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressesAnother, mentions, toPlainText, unnamedIds } from '../../../src/slack/content/incoming-text.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';

const names = {
  user: (id: string) => ({ U1: 'Ann', U2: 'Bob & Co' })[id],
  channel: (id: string) => ({ C1: 'general' })[id],
};
const plain = (text: string): string => toPlainText(text, names, 'UBOT');

describe('the plain text of a message', () => {
  it.each([
    // The app's own mention, and other people's
    ['<@UBOT> where?', 'where?'],
    ['  <@UBOT>   where?  ', 'where?'],
    ['<@UBOT>！where?', 'where?'],
    ['<@UBOT>？ where?', 'where?'],
    ['<@UBOT>？？', '？？'],
    ['(<@UBOT>) where?', 'where?'],
    ['„<@UBOT>“ where?', 'where?'],
    ['where (<@UBOT>)?', 'where?'],
    ['hey <@UBOT>，where?', 'hey，where?'],
    ['where <@UBOT|deepsearch>', 'where'],
    ['<@UBOT>', ''],
    ['<@UBOT> ask <@U1> about it', 'ask @Ann about it'],
    ['<@U2> knows', '@Bob & Co knows'],
    ['<@U3|carol> knows', '@carol knows'],
    ['<@U1|old-name> knows', '@Ann knows'],
    ['<@U4> knows', '@U4 knows'],
    ['<@W4> knows', '@W4 knows'],
    // NUL, which databases and programs do not take
    ['where\0is <@U1|\0>?', 'where\ufffdis @Ann?'],
    ['\0', '\ufffd'],
    // Channels
    ['in <#C1>', 'in #general'],
    ['in <#C2|random>', 'in #random'],
    ['in <#C2|>', 'in #C2'],
    ['in <#C1|>', 'in #general'],
    // Links
    ['<https://a.example/x?a=1&amp;b=2>', 'https://a.example/x?a=1&b=2'],
    ['<https://a.example/x|https://a.example/x>', 'https://a.example/x'],
    ['<http://a.example|a.example>', 'a.example'],
    ['<http://a.example/|a.example>', 'a.example'],
    ['in <http://main.py|main.py>', 'in main.py'],
    ['<https://a.example/x/y|a.example/x/y>', 'a.example/x/y'],
    ['<https://a.example/x|the docs>', 'the docs (https://a.example/x)'],
    ['<https://evil.example|example>', 'example (https://evil.example)'],
    ['<https://a.example/x|A &amp; B>', 'A & B (https://a.example/x)'],
    ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
    ['<mailto:a@b.example|write to us>', 'write to us (mailto:a@b.example)'],
    ['<tel:+41123|+41123>', '+41123'],
    // Special mentions, groups, dates
    ['<!here> look', '@here look'],
    ['<!here|here> look', '@here look'],
    ['<!here|@here> look', '@here look'],
    ['<!channel> <!everyone>', '@channel @everyone'],
    ['<!subteam^S1|@backend>', '@backend'],
    ['<!subteam^S1>', '@S1'],
    ['since <!date^1392734382^{date} at {time}|Feb 18, 2014>', 'since Feb 18, 2014'],
    ['since <!date^1392734382^{date}^https://a.example|Feb 18, 2014>', 'since Feb 18, 2014'],
    // Code: Slack encodes it, other senders may not
    ['Map&lt;K,V&gt;', 'Map<K,V>'],
    ['Map<K,V>', 'Map<K,V>'],
    ['List&lt;Map&lt;K,V&gt;&gt;', 'List<Map<K,V>>'],
    ['List<Map<K,V>>', 'List<Map<K,V>>'],
    ['List<@Nullable>', 'List<@Nullable>'],
    ['List&lt;@Nullable T&gt;', 'List<@Nullable T>'],
    ['#include <stdio.h>', '#include <stdio.h>'],
    ['std::vector<!T>', 'std::vector<!T>'],
    ['if (a &lt; b &amp;&amp; c &gt; d)', 'if (a < b && c > d)'],
    ['a <b> c', 'a <b> c'],
    ['x << 2 >> 1', 'x << 2 >> 1'],
    // Entities are decoded once, and only Slack's own
    ['&amp;lt;', '&lt;'],
    ['&amp;amp;', '&amp;'],
    ['&quot;&#39;&nbsp;', '&quot;&#39;&nbsp;'],
    ['&lt;@UBOT&gt;', '<@UBOT>'],
    ['&lt;https://a.example&gt;', '<https://a.example>'],
    // Other text stays
    [':tada: what is :thinking_face:', ':tada: what is :thinking_face:'],
    ['```\nfoo()\n  bar()\n```', '```\nfoo()\n  bar()\n```'],
    ['one  \ntwo\t\n\nthree', 'one\ntwo\n\nthree'],
    ['one \n```\n- a  \n\t\n```  \ntwo ', 'one\n```\n- a  \n\t\n```\ntwo'],
    ['````md\n```  \na \n```\n````\nb \nc', '````md\n```  \na \n```\n````\nb\nc'],
    ['see ```a \nb``` \nand `c` \nd', 'see ```a \nb```\nand `c`\nd'],
    ['*bold* _it_ ~no~ `code`', '*bold* _it_ ~no~ `code`'],
  ])('is read from %j as %j', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it('keeps the mention of the app where the app’s id is unknown', () => {
    expect(toPlainText('<@UBOT> where?', names)).toBe('@UBOT where?');
  });

  const pieces = fc.constantFrom(
    '<',
    '>',
    '&',
    '|',
    '@',
    '#',
    '!',
    '^',
    'U1',
    'UBOT',
    'C1',
    'https://',
    'mailto:',
    'date',
    'subteam',
    'here',
    ';',
    'lt',
    'amp',
    ' ',
    '\n',
    '{time}',
    'a',
  );
  const anything = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
  );

  it('never throws, and never grows beyond its source', () => {
    fc.assert(
      fc.property(anything, (text) => {
        // Each token may add a name, a word for a group, or `label (url)`.
        expect(plain(text).length).toBeLessThanOrEqual(text.length * 4 + 10);
        unnamedIds(text);
        mentions(text, 'UBOT');
        addressesAnother(text, 'UBOT');
      }),
      runs(500),
    );
  });

  it('restores what people write, code above all, from what Slack makes of it', () => {
    const written = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(written, (text) => {
        const tidy = text.replaceAll(/[^\S\n]+(?=\n)/g, '').trim();
        const encoded = tidy.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
        expect(plain(encoded)).toBe(tidy);
      }),
      runs(500),
    );
  });

  it.each([
    ['spaces', `a${' '.repeat(40_000)}b`],
    ['opening brackets', '<'.repeat(40_000)],
    ['half tokens', '<https://a|'.repeat(4_000)],
    ['half mentions', '<@U1'.repeat(10_000)],
    ['dates', '<!date^'.repeat(6_000)],
  ])('keeps 40,000 characters of %s as they are', (_, text) => {
    expect(plain(text)).toBe(text);
    expect(addressesAnother(text, 'UBOT')).toBe(false);
  });
});

describe('the ids without a name', () => {
  it('list the people, channels and user groups without a label, each once', () => {
    expect(unnamedIds('<@U1> <@U1> <@U2|bob> <#C1> <#C2|> <#C3|x> <!here> <!subteam^S1> <https://a.example>')).toEqual({
      users: ['U1'],
      channels: ['C1', 'C2'],
      groups: ['S1'],
    });
  });
});

describe('whether a text mentions the app', () => {
  it.each([
    ['<@UBOT>', true],
    ['hey <@UBOT|app>, where?', true],
    ['<@UBOTTLE>', false],
    ['&lt;@UBOT&gt;', false],
    ['@UBOT', false],
    ['', false],
  ])('is decided for %j as %s', (text, expected) => {
    expect(mentions(text, 'UBOT')).toBe(expected);
  });
});

describe('whether a text addresses another person', () => {
  it.each([
    ['<@U1> what do you think?', true],
    ['  <@U1|ann> look', true],
    ['<!subteam^S1|@backend> look', true],
    ['<!here> look', true],
    ['<!channel|@channel> look', true],
    ['<@UBOT> and <@U1>', false],
    ['what does <@U1> say?', false],
    ['<#C1> is what?', false],
    ['<https://a.example> says?', false],
    ['', false],
  ])('is decided for %j as %s', (text, expected) => {
    expect(addressesAnother(text, 'UBOT')).toBe(expected);
  });
});
