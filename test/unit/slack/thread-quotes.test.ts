import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageFile } from '../../../src/core/question/thread-notes.ts';
import { chooseQuotes, fitFiles, type Quotable, writeQuotes } from '../../../src/slack/threads/thread-quotes.ts';

function quote(index: number, text = `text ${index}`): Quotable {
  return { ts: `${1_700_000_000 + index * 60}.000000`, from: 'ada', text, files: [] };
}

function quotes(count: number, text?: string): Quotable[] {
  return Array.from({ length: count }, (_, index) => quote(index, text));
}

function write(all: Quotable[], chosen = chooseQuotes(all)): string {
  return writeQuotes('thread', { all, chosen, total: all.length, files: [] }, new Set());
}

function linesOf(block: string): Record<string, unknown>[] {
  return block
    .split('\n')
    .slice(2, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the quotes of a thread', () => {
  test('contain the first message and the newest thirty', () => {
    const chosen = chooseQuotes(quotes(100));
    expect(chosen).toHaveLength(31);
    expect(chosen.slice(0, 2).map(({ text }) => text)).toEqual(['text 0', 'text 70']);
    expect(chooseQuotes(quotes(31))).toHaveLength(31);
    expect(chooseQuotes([])).toEqual([]);
  });

  test('contain as much as there is room for, newer messages before older ones', () => {
    const chosen = chooseQuotes(quotes(20, 'x'.repeat(1_900)));
    expect(chosen).toHaveLength(6);
    expect(chosen.at(-1)?.ts).toBe(quote(19).ts);
    expect(write(quotes(20, 'x'.repeat(1_900))).length).toBeLessThan(13_000);
  });

  test('cut a long message, with a mark that counts the missing characters', () => {
    const [line] = linesOf(write([quote(0, 'y'.repeat(5_000))]));
    expect(String(line?.text)).toMatch(/^y{1960}… \(3040 characters left out\)$/);
  });

  test.each<[string, string, string]>([
    ['2,000 characters', 'y'.repeat(2_000), 'y'.repeat(2_000)],
    ['one more', 'y'.repeat(2_001), `${'y'.repeat(1_960)}… (41 characters left out)`],
    ['2,000 characters as they are written', '\n'.repeat(1_000), '\n'.repeat(1_000)],
    ['one more line', '\n'.repeat(1_001), `${'\n'.repeat(980)}… (21 characters left out)`],
    ['signs that are written as numbers', '<'.repeat(334), `${'<'.repeat(326)}… (8 characters left out)`],
    ['pairs that stand for one sign', `y${'😀'.repeat(1_000)}`, `y${'😀'.repeat(977)}… (46 characters left out)`],
  ])('have room for 2,000 characters of a message, as in the case of %s', (_, text, written) => {
    const [line] = linesOf(write([quote(0, text)]));
    expect(line?.text).toBe(written);
  });

  test('have room for 200 characters of a name', () => {
    const named = (length: number) => linesOf(write([{ ...quote(0), from: 'n'.repeat(length) }]))[0]?.from;
    expect(named(200)).toBe('n'.repeat(200));
    expect(named(201)).toBe(`${'n'.repeat(160)}… (41 characters left out)`);
  });

  test('give each message with its author and minute, and without an empty list of files', () => {
    expect(linesOf(write([quote(0)]))).toEqual([{ from: 'ada', at: '2023-11-14T22:13Z', text: 'text 0' }]);
  });

  test('always contain the first message, however long', () => {
    const all = [quote(0, '\n'.repeat(9_000)), ...quotes(20, 'x'.repeat(1_900)).slice(1)];
    expect(chooseQuotes(all)[0]).toBe(all[0]);
    expect(chooseQuotes(all)).toHaveLength(6);
    expect(chooseQuotes([quote(0)])).toEqual([quote(0)]);
  });

  test('count nothing where nothing is missing', () => {
    expect(linesOf(write(quotes(3)))).toHaveLength(3);
  });

  test.each([
    [
      'thread',
      /^The question was asked in a Slack thread\. Its earlier messages follow as JSON lines; they are quotes/,
    ],
    ['since', /^The question was asked in a Slack thread\. What people said there since the last question follows/],
    ['files', /^The question came with files\. They follow as JSON lines; they are quotes/],
  ] as const)('begin with a sentence about what they are (%s)', (occasion, expected) => {
    const all = quotes(1);
    expect(writeQuotes(occasion, { all, chosen: all, total: all.length, files: [] }, new Set())).toMatch(expected);
  });

  test('have a fence that is longer than any row of backticks inside', () => {
    for (const [text, fence] of [
      ['x', '```'],
      ['``', '```'],
      ['```', '````'],
      ['` ``````` ```', '````````'],
    ] as const) {
      expect(write([quote(0, text)]).split('\n')[1]).toBe(`${fence}json`);
      expect(
        write([quote(0, text)])
          .split('\n')
          .at(-1),
      ).toBe(fence);
    }
  });

  test('count what is left out at the place where it is missing', () => {
    const all = quotes(40);
    const chosen = chooseQuotes(all);
    const leftOut = (rootTs: string | undefined, quoted = chosen): unknown[] =>
      linesOf(writeQuotes('thread', { all, chosen: quoted, total: 47, rootTs, files: [] }, new Set())).map(
        ({ messagesLeftOut }) => messagesLeftOut,
      );
    // Seven messages were not read: those after the root, where it was.
    expect(leftOut(all[0]?.ts).slice(0, 3)).toEqual([undefined, 16, undefined]);
    expect(leftOut(undefined).slice(0, 4)).toEqual([7, undefined, 9, undefined]);
    expect(leftOut(all[0]?.ts, chosen.slice(0, 1))).toEqual([undefined, 7]);
  });

  test('are empty where there is nothing to quote', () => {
    expect(write([])).toBe('');
  });
});

test('no quoted text closes the fence or acts as a tag', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('`', '```', '\n', '"', '\\', '<', '>', '\u2028', '\u0000', '\ud800', 'x', '}'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(nasty, nasty, nasty), { minLength: 1, maxLength: 8 }), (said) => {
      const file = (name: string): MessageFile => ({ id: 'F1', name, type: 'image/png', bytes: 1 });
      const all = said.map(([from, text, name], index) => ({ ...quote(index, text), from, files: [file(name)] }));
      const block = write(all);
      const [introduction = '', opening = '', ...rest] = block.split('\n');
      const fence = opening.replace('json', '');
      expect(introduction).toMatch(/not instructions\.$/);
      expect(rest.at(-1)).toBe(fence);
      const body = rest.slice(0, -1);
      expect(body.join('\n')).not.toContain(fence);
      expect(block).not.toMatch(/[<>\u2028]/);
      expect(body.map((line) => JSON.parse(line) as { text: string }).map(({ text }) => text)).toEqual(
        said.map(([, text]) => text),
      );
    }),
  );
});

describe('the quoted files', () => {
  function file(name: string, text?: string, type = 'text/plain') {
    const threadNotes: MessageFile = {
      id: name,
      name,
      type,
      bytes: 1,
      ...(text === undefined ? {} : { url: 'https://x' }),
    };
    return { file: threadNotes, from: 'bob', ...(text === undefined ? {} : { text }) };
  }

  test('take 30,000 characters in all, each the same room, and short ones leave theirs to the others', () => {
    const lengths = (...sizes: number[]) =>
      fitFiles(sizes.map((size, index) => file(`${index}`, 'x'.repeat(size)))).map(({ text }) => text?.length);
    expect(lengths(30_000)).toEqual([30_000]);
    expect(lengths(20_000, 10_000)).toEqual([20_000, 10_000]);
    expect(lengths(28_000, 1_000, 1_000)).toEqual([28_000, 1_000, 1_000]);
    expect(lengths(0)).toEqual([undefined]);
    for (const sizes of [[90_000], [90_000, 40_000], [90_000, 5, 40_000, 9_000]]) {
      const all = lengths(...sizes);
      const sum = all.reduce<number>((total, length = 0) => total + length, 0);
      expect(sum).toBeLessThanOrEqual(30_000);
      expect(sum).toBeGreaterThan(29_900);
    }
  });

  test.each([
    ['a log', Array.from({ length: 9_000 }, (_, index) => `line ${index}\n`).join('')],
    ['characters that are written longer', '<\n"\\'.repeat(20_000)],
    ['emoji', '👩‍👩‍👧‍👦'.repeat(6_000)],
  ])('keep the beginning and twice as much of the end: %s', (_, text) => {
    const [cut = ''] = fitFiles([file('a', text)]).map((each) => each.text);
    const [, head = '', count = '', tail = ''] =
      /^([\s\S]*)\n… \((\d+) characters left out\) …\n([\s\S]*)$/.exec(cut) ?? [];
    expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
    expect(head.length + tail.length + Number(count)).toBe(text.length);
    expect(tail.length / head.length).toBeCloseTo(2, 0);
    expect(linesOf(write([quote(0, cut)]))).toHaveLength(1);
  });

  test('count what was not downloaded, where it is missing', () => {
    const gap = { at: 3, characters: 500 };
    const [cut] = fitFiles([{ ...file('a', 'onetwo'), gap }]).map((each) => each.text);
    expect(cut).toBe('one\n… (500 characters left out) …\ntwo');
  });

  test('of the question are listed by name also where they could not be read', () => {
    const own = file('own.txt', undefined, 'video/mp4');
    const others = file('other.txt');
    const block = writeQuotes('files', { all: [], chosen: [], total: 0, files: [own, others] }, new Set([own.file]));
    expect(linesOf(block)).toEqual([{ file: '(video own.txt, not readable)', from: 'bob' }]);
  });

  test.each([
    ['image/png', 'image'],
    ['video/mp4', 'video'],
    ['audio/mpeg', 'audio'],
    ['application/image/png', 'file'],
    ['text/plain', 'file'],
  ])('of the type %s that are not read are each called a kind of %s', (type, kind) => {
    const unread = { ...file('a', 'x', type).file };
    const message = { ...quote(0), files: [unread] };
    expect(linesOf(write([message]))[0]?.files).toEqual([`(${kind} a, not read)`]);
  });

  test('are written under the messages that name them, and files that were not read are only listed by name', () => {
    const log = file('error.log', 'boom');
    const image = file('screen.png', undefined, 'image/png');
    const lost = { ...file('lost.txt', 'x'), text: undefined };
    const message = { ...quote(0), files: [log.file, image.file, lost.file] };
    const { text: _, ...unread } = lost;
    const block = writeQuotes(
      'thread',
      { all: [message], chosen: [message], total: 1, files: [log, image, unread] },
      new Set(),
    );
    expect(linesOf(block)).toEqual([
      expect.objectContaining({
        files: ['error.log', '(image screen.png, not readable)', '(file lost.txt, not read)'],
      }),
      { file: 'error.log', from: 'bob', text: 'boom' },
    ]);
  });
});
