import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { renderEditForm } from '../../../src/render/modals.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { openModal, updateModal } from '../../../src/slack/listeners/frame.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const value = { questionId: 'q0123456789abcdef01234567', index: 0 };
const form = renderEditForm({ value, text: 'What calls it?', isDirect: false }, undefined);
const recipient = { channelId: 'C0GENERAL', userId: people.ada };

let slack: FakeSlack;

beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(() => slack.stop());

function harness() {
  const { log } = createRecordingLog();
  const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(log)));
  return only<WorkspaceContext>({
    slack: createUnlimitedSlackApi(client),
    log,
    tasks: createBackgroundTasks({ log }),
    people: only({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) }),
  });
}

/** Waits until Slack showed the person exactly one private message, and it says this. */
async function told(words: RegExp): Promise<void> {
  await eventually(() =>
    expect(slack.ephemerals.map((each) => JSON.stringify(each))).toEqual([expect.stringMatching(words)]),
  );
}

function shown(): string {
  return JSON.stringify(slack.openViews);
}

describe('opening a modal', () => {
  it('shows at once what is known soon', async () => {
    await openModal(harness(), { triggerId: '1.1', recipient }, async () => form);
    expect(shown()).toContain('What calls it?');
    expect(slack.calls).toEqual(['views.open']);
  });

  it('opens the modal before slow content is ready, and fills it afterwards', async () => {
    let know = (): void => undefined;
    const known = new Promise<void>((resolve) => {
      know = resolve;
    });
    await openModal(harness(), { triggerId: '1.1', recipient }, async () => {
      await known;
      return form;
    });
    expect(shown()).toContain('One moment.');
    know();
    await eventually(() => expect(shown()).toContain('What calls it?'));
    expect(slack.calls).toEqual(['views.open', 'views.update']);
    expect(slack.violations).toEqual([]);
  });

  it('says in the modal when its content cannot be read', async () => {
    await openModal(harness(), { triggerId: '1.1', recipient }, async () => {
      throw new AppError('storage', 'down');
    });
    expect(shown()).toMatch(/cannot read its data.*Reference `e[0-9a-f]{8}`/);
  });

  it.each(['expired_trigger_id', 'exchanged_trigger_id', 'internal_error'])(
    'privately reports the failure %s',
    async (error) => {
      const at = harness();
      slack.fault('views.open', { error });
      await openModal(at, { triggerId: '1.1', recipient, questionId: value.questionId }, async () => form);
      await told(/Reference `q01234567`/);
    },
  );

  it('privately reports where Slack gave no trigger', async () => {
    const at = harness();
    await openModal(at, { triggerId: undefined, recipient }, async () => form);
    await told(/Reference `e[0-9a-f]{8}`/);
    expect(slack.calls).toEqual(['chat.postEphemeral']);
  });

  it('ignores a modal that was closed in the meantime', async () => {
    await updateModal(harness(), 'V0GONE', form);
    expect(slack.calls).toEqual(['views.update']);
  });
});
