import { describe, expect, test } from 'vitest';
import { giveTo, type Heard, type HeardMessage, hear, rehear, unhear } from '../../../src/core/heard.ts';

function message(ts: number, text = `said at ${ts}`): HeardMessage {
  return { ts: `${ts}.000000`, userId: 'U1', text, files: [] };
}

function heardOf(...messages: HeardMessage[]): Heard {
  return messages.reduce<Heard>((heard, each) => hear(heard, each), { version: 1, messages: [] });
}

function times(messages: readonly HeardMessage[]): number[] {
  return messages.map(({ ts }) => Number(ts));
}

describe('hear', () => {
  test('keeps the order of writing, and a repeated delivery once', () => {
    const heard = heardOf(message(3), message(1), message(2), message(3));
    expect(times(heard.messages)).toEqual([1, 2, 3]);
    expect(hear(heard, message(2))).toBe(heard);
  });

  test('keeps the newest fifty', () => {
    const heard = heardOf(...Array.from({ length: 60 }, (_, index) => message(index)));
    expect(times(heard.messages)).toEqual(Array.from({ length: 50 }, (_, index) => index + 10));
  });

  test('keeps at most 20,000 characters, and the newest message whatever its length', () => {
    const heard = heardOf(message(1, 'a'.repeat(9_000)), message(2, 'b'.repeat(9_000)), message(3, 'c'.repeat(9_000)));
    expect(times(heard.messages)).toEqual([2, 3]);
    expect(times(hear(heard, message(4, 'd'.repeat(40_000))).messages)).toEqual([4]);
  });

  test('forgets what was deleted, and stores nothing for what it never heard', () => {
    const heard = heardOf(message(1), message(2));
    expect(times(unhear(heard, '1.000000').messages)).toEqual([2]);
    expect(unhear(heard, '9.000000')).toBe(heard);
  });

  test('puts an edited message in its place, and hears nothing by that', () => {
    const heard = heardOf(message(1), message(2));
    expect(rehear(heard, message(1, 'edited')).messages.map(({ text }) => text)).toEqual(['edited', 'said at 2']);
    expect(rehear(heard, message(9, 'edited'))).toBe(heard);
    expect(times(rehear(heard, message(1, '')).messages)).toEqual([2]);
    expect(times(rehear(heard, message(2, 'b'.repeat(30_000))).messages)).toEqual([2]);
    expect(rehear(undefined, message(1))).toEqual({ version: 1, messages: [] });
  });

  test('gives the question that was given a message its edited text', () => {
    const { heard } = giveTo('q1', '2.000000', heardOf(message(1)), false);
    const { given } = giveTo('q1', '2.000000', rehear(heard, message(1, 'edited')), false);
    expect(given.map(({ text }) => text)).toEqual(['edited']);
  });
});

const file = { id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 };

describe('a message', () => {
  test('whose words were taken back is kept for its file', () => {
    const heard = heardOf(message(1));
    const [edited] = rehear(heard, { ...message(1, ''), files: [file] }).messages;
    expect(edited).toEqual({ ...message(1, ''), files: [file] });
  });

  test('heard first makes a record without gifts', () => {
    expect(hear(undefined, message(1))).toStrictEqual({ version: 1, messages: [message(1)] });
  });

  test('heard or edited leaves it as it is what a question was given', () => {
    const { heard } = giveTo('q1', '1.000000', heardOf(message(1), message(2)), false);
    const taken = { questionId: 'q1', fromTs: '0', toTs: '1.000000' };
    expect(heard.taken).toEqual(taken);
    expect(hear(heard, message(3)).taken).toEqual(taken);
    expect(rehear(heard, message(1, 'edited')).taken).toEqual(taken);
    expect(unhear(heard, '1.000000').taken).toEqual(taken);
  });

  test('that was deleted where nothing was ever heard leaves an empty record', () => {
    expect(unhear(undefined, '1.000000')).toEqual({ version: 1, messages: [] });
  });

  test('counts with its characters, and 20,000 of them are kept', () => {
    const heard = heardOf(message(1, 'a'.repeat(10_000)), message(2, 'b'.repeat(10_000)));
    expect(times(heard.messages)).toEqual([1, 2]);
    expect(times(hear(heard, message(3, 'c')).messages)).toEqual([2, 3]);
  });
});

describe('giveTo', () => {
  test('gives nothing of nothing, and notes what it was about', () => {
    expect(giveTo('q1', '3.000000', undefined, false)).toEqual({
      heard: { version: 1, messages: [], taken: { questionId: 'q1', fromTs: '0', toTs: '3.000000' } },
      given: [],
    });
  });

  test('gives what was said up to the very moment of the question, and later ones what came after that', () => {
    const first = giveTo('q1', '2.000000', heardOf(message(1), message(2), message(3)), false);
    expect(times(first.given)).toEqual([1, 2]);
    expect(times(giveTo('q2', '3.000000', first.heard, true).given)).toEqual([3]);
  });

  test('stores nothing for the same question again, unless it is about more by now', () => {
    const first = giveTo('q1', '2.000000', heardOf(message(1), message(3)), false);
    expect(giveTo('q1', '2.000000', first.heard, true)).toEqual({ heard: first.heard, given: first.given });
    expect(giveTo('q1', '2.000000', first.heard, true).heard).toBe(first.heard);
    const later = giveTo('q1', '3.000000', first.heard, true);
    expect(times(later.given)).toEqual([1, 3]);
    expect(later.heard.taken).toEqual({ questionId: 'q1', fromTs: '0', toTs: '3.000000' });
  });

  test('gives a question what was said before it, the same again, and the next one only the rest', () => {
    const heard = heardOf(message(1), message(2), message(5));
    const first = giveTo('q1', '3.000000', heard, false);
    expect(times(first.given)).toEqual([1, 2]);
    const again = giveTo('q1', '3.000000', hear(first.heard, message(6)), false);
    expect(times(again.given)).toEqual([1, 2]);
    const second = giveTo('q2', '7.000000', again.heard, true);
    expect(times(second.given)).toEqual([5, 6]);
    expect(times(giveTo('q3', '8.000000', second.heard, true).given)).toEqual([]);
  });

  test('gives once more what a question got that was never asked', () => {
    const first = giveTo('q1', '3.000000', heardOf(message(1), message(4)), false);
    expect(times(giveTo('q2', '5.000000', first.heard, false).given)).toEqual([1, 4]);
  });

  test('what was given for good is forgotten when more is heard', () => {
    const first = giveTo('q1', '3.000000', heardOf(message(1)), false);
    const second = giveTo('q2', '5.000000', hear(first.heard, message(4)), true);
    expect(times(hear(second.heard, message(6)).messages)).toEqual([4, 6]);
  });
});
