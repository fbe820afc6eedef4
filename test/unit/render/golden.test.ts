import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { FORMAT_LADDER } from '../../../src/render/blocks.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { expectGolden } from '../../support/golden.ts';
import { answered } from './example.ts';

const FOLDER = new URL('../../fixtures/render/', import.meta.url);

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

describe.each(names)('the answer %s', (name) => {
  // One test, because an answer is divided only once for all formats. In three tests, only the first would divide it.
  it('matches its golden file in every format', () => {
    const markdown = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
    const sent: Record<string, unknown> = {};
    for (const format of FORMAT_LADDER) {
      const messages = renderOutcome(answered({ markdown }), { format });
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      // The plain form is the words of mrkdwn without blocks: one answer shows that.
      if (format !== 'plain' || name === 'payment-retries') sent[format] = messages;
    }
    expectGolden(`render/${name}.txt`, sent);
  });
});
