import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AuditAction, type AuditEntry, auditActions } from '../../src/core/history/audit.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { createAuditLines } from '../support/audit-lines.ts';
import { eventually } from '../support/eventually.ts';
import { envelope } from '../support/local-slack/payloads.ts';
import { connectAccount, withAccounts } from '../support/world/connecting.ts';
import { type RecordedService, startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

const { ada, bob, mia } = people;
const question = 'where are payment retries configured? MARKED-QUESTION';
/** Words that people wrote or that the answer has, parts of credentials, and the names of people and channels. */
const texts = /MARKED|payment|retry-policy|retries|sgp_|read_token|share_url|deepsearch\/[0-9a-f]{8}-|"ada"|"bob"/i;

let service: RecordedService;
let world: World;
let audit: ReturnType<typeof createAuditLines>;

beforeEach(async () => {
  audit = createAuditLines();
  service = await startRecordedService({ stepDelayMs: 100 });
  world = await startWorld({
    service,
    settings: { ...withAccounts('preferred'), ...audit.settings },
    onLogLine: audit.onLogLine,
  });
  world.slack.changePerson(ada, { is_admin: true });
});

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
});

function noted(action: AuditAction, count = 1): Promise<AuditEntry[]> {
  return eventually(() => {
    const found = audit.of(action);
    expect(found, action).toHaveLength(count);
    return found;
  });
}

async function shareInGeneral(): Promise<void> {
  await world.press('Share…');
  const view = await world.modal();
  await world.choose(view, 'deepsearch:share_channel', 'C0GENERAL');
  const chosen = await eventually(async () => {
    const now = await world.modal();
    expect(now.hash).not.toBe(view.hash);
    return now;
  });
  await world.submit(chosen, { 'deepsearch:share_channel': 'C0GENERAL' });
}

/** Asks the service directly, and returns the share URL of the new conversation. */
async function shareUrl(): Promise<string> {
  const sent = { 'x-requested-with': 'browser', 'content-type': 'application/json' };
  const headers = { ...sent, authorization: `token ${service.token}` };
  const body = JSON.stringify({ question });
  const reply = await fetch(`${service.url}/.api/deepsearch/v1`, { method: 'POST', headers, body });
  return ((await reply.json()) as { share_url: string }).share_url;
}

async function doEverything(): Promise<void> {
  const ts = await world.direct(question);
  await world.answered(ts);
  await world.feedback('negative');
  await world.submit(await world.modal(), { comment: 'MARKED-COMMENT' });
  await shareInGeneral();
  await noted('shared');
  await world.direct('a guest asks MARKED-REFUSED', { user: mia });
  await noted('refused');
  const cancelled = await world.mention('what signs a gateway request? MARKED-CANCELLED');
  await world.press('Cancel', { threadTs: cancelled });
  await noted('cancelled');
  const url = await shareUrl();
  await eventually(async () => {
    await world.shareLink(url);
    expect(world.slack.unfurls.length).toBeGreaterThan(0);
  });
  await world.command('settings', { channel: 'C0GENERAL' });
  const form = await world.modal();
  await world.submit(form, { settings_replies: 'mentions' });
  await world.closeModal(await world.modal());
  await connectAccount(world, bob, service.tokenOf('bob'));
  await world.command('disconnect', { user: bob });
  await connectAccount(world, bob, service.tokenOf('bob'));
  const left = { id: bob, team_id: team.id, name: 'MARKED-NAME', deleted: true, is_bot: false };
  await world.deliver(envelope({ type: 'user_change', user: left, event_ts: '1700000100.001200' }));
  await noted('accountRemoved');
  await world.deliver(envelope({ type: 'app_uninstalled', event_ts: '1700000200.000000' }));
  await noted('workspaceEnded');
}

/** Their entries have no text: an id with a time, and the workspace. See `test/storm/person-records.test.ts`. */
const notedByAdminProgram: readonly AuditAction[] = ['dataExported', 'dataForgotten'];

test('everything that is done is noted by ids and codes, without any text', async () => {
  await doEverything();
  const all = audit.all();
  const byApp = auditActions.filter((action) => !notedByAdminProgram.includes(action));
  expect(new Set(all.map(({ action }) => action))).toEqual(new Set(byApp));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const line of audit.lines) expect(line).not.toMatch(texts);
  // The search finds what is there: the answer has these words.
  expect(world.slack.messages.map(visibleText).join('\n')).toMatch(texts);

  const [asked] = audit.of('asked');
  expect(await noted('shared')).toEqual([
    expect.objectContaining({
      userId: ada,
      channelId: 'C0GENERAL',
      detail: 'channel',
      questionId: asked?.questionId,
    }),
  ]);
  const [unfurled] = audit.of('unfurled');
  expect(unfurled).toMatchObject({ userId: ada, channelId: 'C0GENERAL' });
  expect(await noted('refused')).toEqual([expect.objectContaining({ userId: mia, detail: 'guest' })]);
  expect(await noted('settingsChanged')).toEqual([
    expect.objectContaining({ userId: ada, channelId: 'C0GENERAL', detail: 'replies' }),
  ]);
});
