import { afterEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/core/history/audit.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { storedAudit } from '../support/storage/stored-audit.ts';
import { startWorld, type World } from '../support/world/world.ts';

let service: FakeService;
let world: World;
let data: Awaited<ReturnType<typeof createTempDir>>;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  data = await createTempDir();
  service = await startFakeService();
  service.answerEverything();
  world = await startWorld({
    service: { url: service.url, token: serviceToken },
    settings: { DATA_DIR: data.path, ...settings },
  });
}

afterEach(async () => {
  await world.stop();
  await service.stop();
  await data.remove();
  expect(world.slack.violations).toEqual([]);
});

const entries = () => storedAudit({ dataDir: data.path });

describe('the audit log', () => {
  test('has one entry for a vote, however often the same button is pressed', async () => {
    await begin();
    const ts = await world.mention('Where is main?');
    await eventually(() => one(world.answersIn(ts)));
    const votes = async () => (await entries()).filter(({ action }) => action === 'voted').map(({ detail }) => detail);
    for (let press = 0; press < 3; press += 1) await world.feedback('positive', { user: people.bob });
    await eventually(async () => expect(await votes()).toEqual(['up']));
    await world.feedback('negative', { user: people.bob });
    await eventually(async () => expect(await votes()).toEqual(['up', 'down']));
  });

  test('has a question, its end and a vote, by ids, and no text of people or answers', async () => {
    await begin();
    const ts = await world.mention('Where is MARKED-QUESTION?');
    await eventually(() => one(world.answersIn(ts)));
    await world.feedback('positive', { user: people.bob });
    const found = await eventually(async () => {
      const all = await entries();
      expect(all.map(({ action }) => action).toSorted()).toEqual(['asked', 'ended', 'voted']);
      return all;
    });
    const by = (action: AuditEntry['action']) => one(found.filter((each) => each.action === action));
    expect(by('asked')).toMatchObject({ userId: people.ada, channelId: 'C0GENERAL', detail: 'mention' });
    expect(by('ended')).toMatchObject({ userId: people.ada, detail: 'answered' });
    expect(by('voted')).toMatchObject({ userId: people.bob, detail: 'up', questionId: by('asked').questionId });
    expect(JSON.stringify(found)).not.toMatch(/MARKED|where is/i);
  });

  test('has refused askers', async () => {
    await begin({ REFUSED_CHANNELS: 'C0GENERAL' });
    await world.mention('Where is MARKED-QUESTION?');
    const refused = await eventually(async () => one(await entries()));
    expect(refused).toMatchObject({ action: 'refused', userId: people.ada, detail: 'channelRefused' });
    expect(JSON.stringify(refused)).not.toContain('MARKED');
  });
});
