import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld({ lifecycle: { threadLimit: 1 } });
  service.answerEverything();
});
/** The only private message to ada: its text and its thread. */
async function word(): Promise<{ text: string; threadTs: string | undefined }> {
  const said = await eventually(() => one(world.ephemeralsTo(people.ada)));
  return { text: visibleText(said), threadTs: said.thread_ts };
}

async function answered(): Promise<string> {
  const ts = await world.mention('first?');
  await world.answered(ts);
  return ts;
}

describe('a private reply to a message in a thread appears in that thread', () => {
  test.each([
    ['a bare "new"', 'new', '`new`'],
    ['a question that is too long', 'x'.repeat(10_001), '10,000'],
    ['a command word', 'mute', 'nmute'],
    ['a request for the status', 'status', ''],
    ['a request for help', 'help', ''],
    ['a request to cancel where nothing runs', 'cancel', ''],
  ])('for %s', async (_, said, part) => {
    const ts = await answered();
    await world.mention(said, { threadTs: ts });
    const { text, threadTs } = await word();
    expect(text).toContain(part);
    expect(threadTs).toBe(ts);
  });

  test('for a plain reply that finds the queue of the thread full', async () => {
    service.answerAfter(() => 60_000);
    const ts = await world.mention('first?');
    await eventually(() => expect(service.questions()).toHaveLength(1));
    await world.reply(ts, 'and this?');
    const { text, threadTs } = await word();
    expect(threadTs).toBe(ts);
    expect(text).toMatch(/Reference `q[0-9a-f]{8}`/);
  });

  test('in direct messages as well', async () => {
    const ts = await world.direct('first?');
    await world.answered(ts);
    await world.direct('mute', { threadTs: ts });
    expect((await word()).threadTs).toBe(ts);
  });
});

test('a private reply to a message outside of threads appears in no thread', async () => {
  await world.mention('help');
  expect((await word()).threadTs).toBeUndefined();
});
