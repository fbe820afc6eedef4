import { expect, test } from 'vitest';
import { readAnew } from '../../../src/core/reading.ts';
import { createLifeDesk } from '../../support/life-desk.ts';

test('a thread that is edited in the moment a question is asked is read again first', async () => {
  const { life, ask } = createLifeDesk();
  const { durations, questions, threadReader } = life.ports;
  let edits = 1;
  let reads = 0;
  const { id } = await ask({ origin: 'mention', beginsThread: false });
  const { expect: expectation } = durations;
  durations.expect = async (teamId) => {
    if (edits > 0) await questions.update(id, readAnew);
    edits -= 1;
    return expectation(teamId);
  };
  threadReader.read = async () => {
    reads += 1;
    return { messages: 1, total: 1, files: 0, unreadable: 0, text: `as read ${reads}` };
  };
  await life.run();
  expect(life.upstream().map(({ text }) => text)).toEqual([expect.stringMatching(/\n\nas read 2$/)]);
});
