import { afterEach, expect, test } from 'vitest';
import { mostStoredPerDay } from '../../src/core/settings.ts';
import { people } from '../../src/local-slack/people.ts';
import { ACTIONS } from '../../src/render/ids.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { pressOf } from '../support/local-slack/payloads.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { storedAudit } from '../support/storage/stored-audit.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

let service: FakeService;
let world: World;
let data: Awaited<ReturnType<typeof createTempDir>>;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  service = await startFakeService();
  service.answerEverything();
  data = await createTempDir();
  world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { ...settings, DATA_DIR: data.path },
  });
}

afterEach(async () => {
  await world.stop();
  await service.stop();
  await data.remove();
  expect(world.slack.violations).toEqual([]);
});

const bound = mostStoredPerDay.refused;

async function refusedEntries(user: string) {
  const entries = await storedAudit({ dataDir: data.path });
  return entries.filter(({ action, userId }) => action === 'refused' && userId === user);
}

const toldTo = (user: string): string[] => world.ephemeralsTo(user).map(visibleText);

test('a guest who asks again and again is told each time, and leaves no more than the bound of a day', async () => {
  await begin();
  world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
  for (let n = 1; n <= bound; n += 1) {
    await world.mention(`again ${n}?`, { user: people.mia });
    await eventually(async () => expect(await refusedEntries(people.mia)).toHaveLength(n));
  }
  for (let n = 1; n <= 5; n += 1) {
    await world.mention(`too often ${n}?`, { user: people.mia });
    await eventually(() => expect(toldTo(people.mia)).toHaveLength(bound + n));
  }
  expect(toldTo(people.mia).at(-1)).toContain('Guests in this workspace cannot ask Deep Search, so nothing was done.');
  const { response } = await world.command('by command?', { user: people.mia });
  expect(JSON.stringify(response)).toContain('Guests in this workspace');
  // Presses and verbs count with them.
  const place = { channel: 'C0GENERAL', messageTs: '1.1', responseUrl: world.slack.responseUrl('press') };
  const value = `q${'0'.repeat(24)}`;
  await world.deliver(pressOf({ actionId: ACTIONS.tryAgain, value, user: people.mia, ...place }));
  await eventually(() => expect(world.slack.responses.length).toBeGreaterThan(0));
  const ts = await world.direct('by a member?');
  await eventually(() => expect(world.answersIn(ts)).toHaveLength(1));
  expect(await refusedEntries(people.mia)).toHaveLength(bound);
  expect(service.questions().map(({ question }) => question)).toEqual(['by a member?']);
});

test('a person over the daily cap leaves no more than the bound, and asks again the next day', async () => {
  await begin({ QUESTIONS_PER_PERSON_PER_DAY: '1' });
  const first = await world.mention('the first?');
  await eventually(() => expect(world.answersIn(first)).toHaveLength(1));
  for (let n = 1; n <= bound + 3; n += 1) {
    await world.mention(`another ${n}?`);
    await eventually(() => expect(toldTo(people.ada)).toHaveLength(n));
  }
  await eventually(async () => expect(await refusedEntries(people.ada)).toHaveLength(bound));
  expect(toldTo(people.ada).at(-1)).toContain('as many questions today as one person can');
});
