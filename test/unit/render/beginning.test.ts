import { describe, expect, it } from 'vitest';
import type { Source } from '../../../src/core/question/question.ts';
import { layoutAnswer } from '../../../src/render/markdown/layout.ts';
import { openingOf } from '../../../src/render/markdown/opening.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered } from './example.ts';

const markdown = { format: 'markdown' } as const;

describe('the notification text of an answer', () => {
  it.each([
    ['a table', '| Name | Value |\n|---|---|\n| retries | 3 |\n| delay | 5 s |', 'Name Value retries 3 delay 5 s'],
    ['a list', '- first\n- second\n  - nested\n\n  and more', 'first second nested and more'],
    ['a quotation', '> one\n>\n> two', 'one two'],
    ['code after text', 'Text:\n\n```ts\nconst a = 1;\n```', 'Text: const a = 1;'],
    ['words with formatting', '**bo**ld, [li](https://x.example.com)nk and `co`de', 'bold, link and code'],
  ])('separates the words of %s', (_, written, words) => {
    expect(renderOutcome(answered({ markdown: written }), markdown)[0]?.text).toBe(words);
  });

  it('contains the answer alone, without the note under a diagram', () => {
    const message = renderOutcome(answered({ markdown: '```mermaid\na --> b\n```\n\nThen c.' }), markdown)[0];
    expect(JSON.stringify(message?.blocks)).toContain('Diagram (mermaid)');
    expect(message?.text).toBe('a --&gt; b Then c.');
  });

  it('is the same for the text of a preview that can be shown as text only', () => {
    const wide = `| a | b |\n|---|---|\n| ${'x'.repeat(500)} | y |`;
    expect(openingOf(wide, 100)).toMatch(/^a b x+…$/);
    const around = { firstWeight: 0, lastWeight: 0, eachWeight: 0, blocks: 0 };
    expect(layoutAnswer('- a\n- b', around).parts[0]?.words).toBe('a b');
  });
});

describe('the sources shown under an answer', () => {
  it('are the first five of the answer, ordered by repository, also where one repository has them all', () => {
    const source = (repository: string, index: number): Source => ({
      url: `https://x.example.com/${repository}/${index}.ts`,
      label: `${index}.ts`,
      repository,
    });
    const sources = [
      source('shop', 1),
      source('mail', 2),
      source('shop', 1),
      source('shop', 3),
      source('mail', 4),
      source('bank', 5),
      source('shop', 6),
    ];
    const shown = JSON.stringify(renderOutcome(answered({ sources }), markdown)[0]?.blocks);
    expect([...shown.matchAll(/\|(\d)\.ts>/g)].map(([, index]) => index)).toEqual(['1', '2', '3']);
    expect(shown).toContain('All sources (6)');
  });
});
