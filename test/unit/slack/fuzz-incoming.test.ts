import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { people, team } from '../../../src/local-slack/people.ts';
import { ACTIONS, FORMS, SHORTCUTS } from '../../../src/render/ids.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../../support/fake-service/fake-service.ts';
import { commandOf, mentionOf, messageOf, nextTrigger, pressOf, userIn } from '../../support/local-slack/payloads.ts';
import { runs } from '../../support/runs.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let service: FakeService;
let world: World;
/** A question that runs in `C0GENERAL` during all tests, and its thread. */
let runningId = '';
let runningTs = '';

beforeAll(async () => {
  service = await startFakeService();
  world = await startWorld({ service: { url: service.url, token: serviceToken } });
  runningTs = await world.mention('a question that runs?');
  await eventually(() => expect(service.questions()).toHaveLength(1));
  runningId = await eventually(() => {
    const found = /ds:(q[0-9a-f]{24}):card/.exec(JSON.stringify(world.card(runningTs)?.blocks))?.[1];
    expect(found).toBeDefined();
    return found ?? '';
  });
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});

/** Odd values for a field. */
const odd = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    0,
    -1,
    true,
    [],
    {},
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    JSON.parse('{"__proto__":{"id":"U0ADA"},"constructor":{"prototype":{}},"toString":1}'),
    [null],
    [{}],
    'x'.repeat(3_000),
    '\u0000',
    'U0\u0000ADA',
    '1.1.1',
    'NaN',
    '\ud800',
  ),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.jsonValue({ maxDepth: 2 }),
);

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constantFrom(
    'why',
    'mute',
    'status',
    'cancel',
    'new',
    `<@${team.botUserId}>`,
    '<@',
    '<!date^',
    '<#C|>',
    '&lt;'.repeat(9_000),
  ),
  fc.integer({ min: 1, max: 60_000 }).map((length) => 'ü'.repeat(length)),
);

/** Replaces some fields of a payload by odd values, at any depth. */
function bent(body: Record<string, unknown>, changes: [number, unknown][]): Record<string, unknown> {
  const copy: Record<string, unknown> = structuredClone(body);
  const spots: [Record<string, unknown>, string][] = [];
  collect(copy);
  for (const [at, value] of changes) {
    const spot = spots[at % spots.length];
    if (spot === undefined) continue;
    const [holder, key] = spot;
    if (value === undefined) delete holder[key];
    else holder[key] = value;
  }
  return copy;

  function collect(holder: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(holder)) {
      spots.push([holder, key]);
      if (Array.isArray(value)) for (const each of value) collectIn(each);
      else collectIn(value);
    }
  }

  function collectIn(value: unknown): void {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) collect(value as Record<string, unknown>);
  }
}

const changes = fc.array(fc.tuple(fc.nat(60), odd), { maxLength: 5 });

async function taken(body: Record<string, unknown>): Promise<void> {
  const { error } = await world.deliver(body);
  expect(error).toBeUndefined();
}

describe('input from Slack, or from a sender that pretends to be Slack,', () => {
  it('never makes an event throw, and never asks what an app says', async () => {
    const before = service.questions().length;
    let serial = 0;
    const subtype = fc.constantFrom(
      'message_changed',
      'message_deleted',
      'bot_message',
      'tombstone',
      'me_message',
      'x',
    );
    const asApp = fc.constantFrom(
      { bot_id: 'B0X' },
      { bot_profile: { id: 'B0X' } },
      { user: team.botUserId },
      { user: 'USLACKBOT' },
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        asApp,
        fc.option(subtype, { nil: undefined }),
        fc.boolean(),
        odd,
        async (said, app, kind, isMention, nested) => {
          serial += 1;
          const more = {
            ...app,
            ...(kind === undefined
              ? {}
              : { subtype: kind, message: nested, previous_message: nested, deleted_ts: '1.1' }),
          };
          const spoken = { user: people.robo, text: said, ts: `1800000001.${serial}`, threadTs: runningTs, more };
          await taken(isMention ? mentionOf(spoken) : messageOf(spoken));
          await taken(messageOf({ ...spoken, channel: 'D0ADA', channelType: 'im' }));
        },
      ),
      runs(100),
    );
    expect(service.questions()).toHaveLength(before);
  });

  it('never makes an event throw whose fields are missing or of another type', async () => {
    let serial = 0;
    const who = fc.constantFrom(people.ada, people.robo, people.mia);
    await fc.assert(
      fc.asyncProperty(text, who, changes, fc.boolean(), async (said, user, bends, isMention) => {
        serial += 1;
        // The app is not in this channel, so a message that it understands asks nothing there.
        const spoken = { user, text: said, ts: `1800000002.${serial}`, threadTs: '1800000002.0', channel: 'C0NOWHERE' };
        await taken(bent(isMention ? mentionOf({ ...spoken, more: { edited: {} } }) : messageOf(spoken), bends));
      }),
      runs(100),
    );
  });

  it('never makes an event throw of which one field is far too long', async () => {
    let serial = 0;
    for (const said of ['', '\u0000', 'status', 'mute', 'why', 'cancel', 'new', 'why?']) {
      for (const event of [mentionOf, messageOf]) {
        for (let field = 0; field < 29; field += 1) {
          serial += 1;
          const spoken = { user: people.ada, text: said, ts: `1800000003.${serial}`, channel: 'C0NOWHERE' };
          const more = field % 2 === 0 ? { threadTs: '1800000003.0' } : {};
          await taken(bent(event({ ...spoken, ...more }), [[field, 'x'.repeat(3_000)]]));
        }
      }
    }
  });

  it('never makes a form or a shortcut throw, and asks nothing for a guest', async () => {
    const before = service.questions().length;
    const key = fc.constantFrom('question', 'channel', 'where', '__proto__', 'constructor', 'toString', '\u0000');
    const field = fc.oneof(
      odd,
      fc.record({ value: odd }),
      fc.record({ selected_option: fc.oneof(odd, fc.record({ value: odd })) }),
      fc.record({ selected_conversation: odd }),
    );
    const values = fc.dictionary(key, fc.oneof(odd, fc.dictionary(key, field)));
    const callbackId = fc.constantFrom<string>(...Object.values(FORMS), ...Object.values(SHORTCUTS), '__proto__');
    const metadata = fc.oneof(
      text,
      fc.constantFrom(runningId, `${runningId}.0`, `${runningId} C0GENERAL`, '__proto__'),
    );
    await fc.assert(
      fc.asyncProperty(callbackId, metadata, values, changes, async (callback, carried, entered, bends) => {
        const by = { user: userIn(people.mia), team: { id: team.id }, enterprise: null, trigger_id: nextTrigger() };
        const view = { id: 'V1', type: 'modal', callback_id: callback, private_metadata: carried };
        await taken(bent({ ...by, type: 'view_submission', view: { ...view, state: { values: entered } } }, bends));
        const onMessage = { channel: { id: 'C0GENERAL' }, message: { ts: '1.1', text: carried } };
        await taken(bent({ ...by, type: 'message_action', callback_id: callback, ...onMessage }, bends));
        await taken(bent({ ...by, type: 'shortcut', callback_id: callback }, bends));
      }),
      runs(70),
    );
    expect(service.questions()).toHaveLength(before);
  });

  it('never makes a button or a command throw, and touches no question from another place', async () => {
    const question = service.questions()[0];
    const actionId = fc.constantFrom(
      ...Object.values(ACTIONS),
      'deepsearch:follow_up:0',
      ...Object.values(FORMS),
      ...Object.values(SHORTCUTS),
    );
    const value = fc.oneof(text, fc.constantFrom(runningId, `${runningId}.0`, `${runningId}.99`, `q${'0'.repeat(24)}`));
    const elsewhere = fc.constantFrom('C0PUBLIC', 'D0BOB', 'C0NOWHERE', 'G0GROUP');
    await fc.assert(
      fc.asyncProperty(actionId, value, elsewhere, changes, text, async (action, carried, channel, bends, said) => {
        const responseUrl = world.slack.responseUrl('fuzz');
        const place = { channel, messageTs: runningTs, responseUrl };
        // Bob presses, because a private message about a question goes only to its asker.
        const press = pressOf({ actionId: action, value: carried, user: people.bob, ...place });
        await taken(
          bends.length % 2 === 0
            ? press
            : bent(
                press,
                bends.filter(([, each]) => each !== 'C0GENERAL'),
              ),
        );
        // Mia is a guest, so her text is not asked.
        await taken(commandOf({ text: said, user: people.mia, channel: 'C0NOWHERE', responseUrl }));
      }),
      runs(70),
    );
    expect(question?.status).toBe('processing');
    expect(service.questions()).toHaveLength(1);
    expect(world.slack.inThread(runningTs)).toHaveLength(1);
  });
});
