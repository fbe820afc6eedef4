import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionIn, upstreamText } from '../../../src/core/question/prompt.ts';
import type { ThreadContext } from '../../../src/core/question/question.ts';

const context = (text: string): ThreadContext => ({ messages: 1, total: 1, files: 0, unreadable: 0, text });
const follows = { text: 'Where is "retry"?', shareUrl: 'https://code.example/1' };

describe('the text that the service is asked', () => {
  it('is the question alone where nothing belongs to it', () => {
    expect(upstreamText({ text: 'Why?' })).toBe('Why?');
    expect(upstreamText({ text: 'Why?', context: context('') })).toBe('Why?');
  });

  it('names what the question continues from before it, and what the thread said after it', () => {
    expect(upstreamText({ text: 'Why?', follows, context: context('said before') })).toBe(
      'Carrying on from the question "Where is \\"retry\\"?". Based on the findings in https://code.example/1.\n\n' +
        'Why?\n\nsaid before',
    );
    expect(upstreamText({ text: 'Why?', follows: { text: 'Where?' } })).toBe(
      'Carrying on from the question "Where?".\n\nWhy?',
    );
  });

  it('name the questions before that one, each in one line', () => {
    const before = ['Where is it?', 'And\nthen?'];
    expect(upstreamText({ text: 'for v2?', follows: { ...follows, before } })).toBe(
      'Carrying on from the question "Where is \\"retry\\"?". ' +
        'Questions before it, oldest first: "Where is it?", "And\\nthen?". ' +
        'Based on the findings in https://code.example/1.\n\nfor v2?',
    );
  });
});

describe('the question in a text that the service was asked', () => {
  it('is found without what it continues from and without what its thread said', () => {
    const word = fc.stringMatching(/^[a-z?"]{1,10}$/);
    const queue = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(queue, fc.option(queue), fc.boolean(), fc.option(queue), (text, followed, isLong, said) => {
        const more = isLong ? { ...follows, before: [text, 'And\n\nthen?'] } : {};
        const asked = upstreamText({
          text,
          ...(followed === null ? {} : { follows: { ...more, text: followed } }),
          ...(said === null ? {} : { context: context(said) }),
        });
        expect(questionIn(asked)).toBe(text);
      }),
    );
  });

  it.each([
    ['\n \n\nWhy?  \n\nbecause', 'Why?'],
    ['Why\nnot?\n \t\nbecause', 'Why\nnot?'],
    ['', ''],
    [' \n\nWhy?', 'Why?'],
    ['Carrying on from the question of yesterday', 'Carrying on from the question of yesterday'],
  ])('of %j is %j', (words, question) => {
    expect(questionIn(words)).toBe(question);
  });
});
