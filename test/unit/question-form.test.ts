import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { separateRestriction, separateSurroundings } from '../../src/codesearch/ask/question/surroundings.ts';
import { questionIn, upstreamText } from '../../src/core/question/prompt.ts';
import { writeForwards, writeQuotes } from '../../src/slack/threads/thread-quotes.ts';

const quote = z.object({ from: z.string(), ts: z.string(), text: z.string() });
const given = z.strictObject({
  question: z.string(),
  onlyIn: z.array(z.string()).optional(),
  follows: z.object({ text: z.string(), before: z.array(z.string()), shareUrl: z.string() }).optional(),
  forwarded: z.array(quote).optional(),
  thread: z.array(quote).optional(),
});

const page = readFileSync(new URL('../../docs/question-form.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/### (.+)\n\n```json\n([\s\S]+?)\n```\n\n(`{4,})text\n([\s\S]+?)\n\3\n/g)].map(
  ([, name = '', json = '', , text = '']) => ({ name, text, ...given.parse(JSON.parse(json)) }),
);

it('has an example of each part', () => {
  for (const part of ['onlyIn', 'follows', 'forwarded', 'thread'] as const) {
    expect([part, examples.some((example) => example[part] !== undefined)]).toEqual([part, true]);
  }
  expect(examples).toHaveLength(page.match(/^### /gm)?.length ?? 0);
});

describe.each(examples)(
  'the form of a question: $name',
  ({ text, question, onlyIn, follows, forwarded, thread = [] }) => {
    it('is what the app writes, and what it reads the question from', () => {
      const all = thread.map((message) => ({ ...message, files: [] }));
      const quotes = { all, total: all.length, rootTs: all[0]?.ts, chosen: all, files: [] };
      const written = upstreamText({
        text: question,
        ...(onlyIn === undefined ? {} : { scope: { repositories: onlyIn } }),
        ...(follows === undefined ? {} : { follows }),
        ...(forwarded === undefined ? {} : { forwarded: { text: writeForwards(forwarded), messages: 1 } }),
        ...(all.length === 0
          ? {}
          : {
              context: {
                text: writeQuotes('thread', quotes, new Set()),
                messages: all.length,
                total: all.length,
                files: 0,
                unreadable: 0,
              },
            }),
      });
      expect(written).toBe(text);
      expect(questionIn(text)).toBe(question);
    });

    it('is what the embedded service reads', () => {
      expect(separateRestriction(text).onlyIn).toEqual(onlyIn ?? []);
      expect(separateSurroundings(text)).toEqual({
        asked: question,
        carriedOn: follows === undefined ? [] : [...follows.before, follows.text],
        quotes: [...(forwarded ?? []), ...thread].map((each) => ({ text: each.text, isFile: false })),
      });
    });
  },
);
