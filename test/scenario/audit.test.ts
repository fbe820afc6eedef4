import { describe, expect, test } from 'vitest';
import type { AuditAction } from '../../src/core/history/audit.ts';
import { people } from '../../src/local-slack/people.ts';
import { createAuditLines } from '../support/audit-lines.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { world, service, beginWorld } = worldOfEachTest();
let audit: ReturnType<typeof createAuditLines>;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  audit = createAuditLines();
  await beginWorld({ settings: { ...audit.settings, ...settings }, onLogLine: audit.onLogLine });
  service.answerEverything();
}

describe('the audit log', () => {
  test('has one entry for a vote, however often the same button is pressed', async () => {
    await begin();
    const ts = await world.mention('Where is main?');
    await world.answered(ts);
    const votes = () => audit.of('voted').map(({ detail }) => detail);
    for (let press = 0; press < 3; press += 1) await world.feedback('positive', { user: people.bob });
    await eventually(() => expect(votes()).toEqual(['up']));
    await world.feedback('negative', { user: people.bob });
    await eventually(() => expect(votes()).toEqual(['up', 'down']));
  });

  test('has a question, its end and a vote, by ids, and no text of people or answers', async () => {
    await begin();
    const ts = await world.mention('Where is MARKED-QUESTION?');
    await world.answered(ts);
    await world.feedback('positive', { user: people.bob });
    await eventually(() =>
      expect(
        audit
          .all()
          .map(({ action }) => action)
          .toSorted(),
      ).toEqual(['asked', 'ended', 'voted']),
    );
    const by = (action: AuditAction) => one(audit.of(action));
    expect(by('asked')).toMatchObject({ userId: people.ada, channelId: 'C0GENERAL', detail: 'mention' });
    expect(by('ended')).toMatchObject({ userId: people.ada, detail: 'answered' });
    expect(by('voted')).toMatchObject({ userId: people.bob, detail: 'up', questionId: by('asked').questionId });
    expect(audit.lines.join()).not.toMatch(/MARKED|where is/i);
  });

  test('has refused askers', async () => {
    await begin({ ALLOWED_CHANNELS: 'C0PUBLIC' });
    await world.mention('Where is MARKED-QUESTION?');
    const refused = await eventually(() => one(audit.all()));
    expect(refused).toMatchObject({ action: 'refused', userId: people.ada, detail: 'channelRefused' });
    expect(JSON.stringify(refused)).not.toContain('MARKED');
  });
});
