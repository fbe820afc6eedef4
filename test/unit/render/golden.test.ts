import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { FORMAT_LADDER } from '../../../src/render/message.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered } from './example.ts';

/** With `UPDATE_GOLDEN=1` the files are written and not compared. Read the difference before you commit it. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';
const FOLDER = new URL('../../fixtures/render/', import.meta.url);

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

describe.each(names)('the answer %s', (name) => {
  // One test, because an answer is divided only once for all formats. In three tests, only the first would divide it.
  it('matches its golden file in every format', () => {
    const markdown = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
    for (const format of FORMAT_LADDER) {
      const messages = renderOutcome(answered({ markdown }), { format });
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      const written = `${JSON.stringify(messages, null, 2)}\n`;
      const golden = new URL(`${name}.${format}.json`, FOLDER);
      if (UPDATE) writeFileSync(golden, written);
      expect(existsSync(golden)).toBe(true);
      expect(written).toBe(readFileSync(golden, 'utf8'));
    }
  });
});
