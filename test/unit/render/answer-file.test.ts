import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { answerFileName, renderAnswerFile } from '../../../src/render/answer-file.ts';
import { prepareOutcome, renderOutcome } from '../../../src/render/outcome.ts';
import { expectGolden } from '../../support/golden.ts';
import { answered, exampleAnswer, exampleQuestion, QUESTION_ID } from './example.ts';

describe('the file with the whole answer', () => {
  const sources = [
    { url: 'https://x.example.com/a.ts', label: 'src/[a].ts', repository: 'github.com/acme/shop' },
    { url: 'https://x.example.com/b_(1).ts', label: '', repository: 'github.com/acme/shop' },
    { url: 'javascript:alert(1)', label: 'click me' },
    { url: 'https://x.example.com/a.ts', label: 'again', repository: 'github.com/acme/shop' },
  ];

  it.each([
    ['english', undefined],
    ['german', 'de-DE'],
  ])('matches its golden file in %s', (name, locale) => {
    const question = exampleQuestion({
      text: 'Where are payment retries configured?\n\n<b>And why?</b>',
      endedMs: Date.UTC(2026, 10, 20, 14, 3),
      ...(locale === undefined ? {} : { locale }),
    });
    const markdown = 'Retries are in `retry.ts`.\n\n| A | B |\n|---|---|\n| 1 | <!here> |\n';
    const written = renderAnswerFile(question, exampleAnswer({ title: 'Payment *retries*', markdown, sources }));
    expectGolden(`render/files/${name}.md.txt`, written);
  });

  it('says where there is no title, no answer or no source', () => {
    const written = renderAnswerFile(exampleQuestion(), exampleAnswer({ title: ' ', markdown: '', sources: [] }));
    expect(written).toContain('# Answer\n');
    expect(written).toContain('without writing an answer');
    expect(written).toContain('lists no sources');
  });

  it.each([
    ['```ts\nconst a = 1;', '```ts\nconst a = 1;\n```\n\n---'],
    ['````md\n```\nx\n```', '````md\n```\nx\n```\n````\n\n---'],
    ['~~~\n```\n~~~', '~~~\n```\n~~~\n\n---'],
    ['```one line``` of code', '```one line``` of code\n\n---'],
  ])('keeps its sources out of a code block that was never closed: %j', (markdown, written) => {
    expect(renderAnswerFile(exampleQuestion(), exampleAnswer({ markdown }))).toContain(written);
  });

  it('is named after the question, and after the delivery where there are several', () => {
    expect(answerFileName(exampleQuestion())).toBe(`deepsearch-${QUESTION_ID}.md`);
    expect(answerFileName(exampleQuestion({ delivery: { round: 2, posted: [] } }))).toBe(
      `deepsearch-${QUESTION_ID}-2.md`,
    );
  });
});

describe('the messages beside the file', () => {
  const long = (paragraphs: number) => 'All of it is in the retry policy, which counts.\n\n'.repeat(paragraphs);
  const states = [undefined, 'intended', 'attached', 'refused'] as const;

  it('are the same number, divided at the same places, whether the file exists or not', () => {
    const shown = states.map((state) => {
      const delivery = { round: 0, posted: [], ...(state === undefined ? {} : { file: { intentMs: 1, state } }) };
      return renderOutcome(answered({ markdown: long(700) }, { delivery }), { format: 'markdown' });
    });
    const [first] = shown;
    for (const messages of shown) {
      expect(messages.slice(0, -1)).toEqual(first?.slice(0, -1));
      expect(messages).toHaveLength(first?.length ?? 0);
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
    }
    const says = shown.map((messages) => JSON.stringify(messages.at(-1)).includes('attached'));
    expect(says).toEqual([false, false, true, false]);
  });

  it('name a file that was attached after they were prepared', () => {
    const question = answered({ markdown: long(1_000) });
    const file = { intentMs: 1, state: 'attached' as const };
    const { parts, render } = prepareOutcome(question);
    const last = (current: Question) => JSON.stringify(render(current, parts - 1, { format: 'markdown' }));
    expect(last(question)).not.toContain('Markdown file');
    expect(last({ ...question, delivery: { round: 0, posted: [], file } })).toContain('Markdown file');
    expect(() => render(question, parts, { format: 'markdown' })).toThrow(RangeError);
  });

  it('name the file in the plain form as well', () => {
    const delivery = { round: 0, posted: [], file: { intentMs: 1, state: 'attached' as const } };
    const messages = renderOutcome(answered({ markdown: long(1_000) }, { delivery }), { format: 'plain' });
    expect(messages.at(-1)?.text).toContain('The full answer is attached as a Markdown file.');
  });
});
