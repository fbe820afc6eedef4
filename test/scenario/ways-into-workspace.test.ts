import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CommandVerb, Verb } from '../../src/core/intake/intents.ts';
import type { Question } from '../../src/core/question/question.ts';
import { Secret } from '../../src/core/secret.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { ACTIONS, buttonValue, FORMS, followUpAction, SHORTCUTS } from '../../src/render/ids.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import type { FakeSlack } from '../support/fake-slack/fake-slack.ts';
import { type InstallingSlack, startInstallingSlack } from '../support/fake-slack/installing-slack.ts';
import type { Delivery } from '../support/fake-slack/memory-receiver.ts';
import { questionWith, someAnswer } from '../support/lifecycle/sample-questions.ts';
import {
  buttonOf,
  envelope,
  feedbackOf,
  overflowOf,
  selectOf,
  viewSubmissionOf,
} from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { type InstalledWorld, installationKey, startInstalledWorld } from '../support/world/installed-world.ts';

/*
 * Every way in that carries an id of a record: the second workspace sends exactly what works in the first one, where the
 * record is. There it has no effect. Then the first one sends the same, so that each of these tries is known to work.
 */

const [FIRST, SECOND] = ['T0ONE', 'T0TWO'];
/** A word that only the first workspace may see. */
const SECRET = 'quetzal';
const CHANNEL = 'C0GENERAL';
/** A channel of both with settings in the first one. Its asking is not tried. */
const SET_CHANNEL = 'C0PUBLIC';

/** What one workspace was sent, in order. */
type Seen = { requests: FakeSlack['requests']; text: string };

/** A record of the first workspace, and what reaches for it. */
interface Attempt {
  /** What is stored of the question. Nothing runs of it, so that only what is tried changes anything. */
  question?: Partial<Question>;
  /** The delivery, with the id of the record and its thread. */
  body: (record: { id: string; threadTs: string }, responseUrl: string) => Record<string, unknown>;
  /** Passes once the attempt worked in a workspace. */
  effect: (record: { id: string; threadTs: string }, seen: Seen, delivery: Delivery) => void;
}

/** Where else it is tried, by the title of the test. */
interface TriedIn {
  file: string;
  title: string;
}

/** Why it carries no id of a record. */
type Reason = string;

const answered: Partial<Question> = {
  outcome: {
    kind: 'answered',
    answer: {
      ...someAnswer,
      title: `The ${SECRET}`,
      sources: Array.from({ length: 12 }, (_, at) => ({ url: `https://x.test/${at}`, label: `${SECRET}-${at}.ts` })),
      followUps: [`Why the ${SECRET}?`],
    },
  },
};
const failed: Partial<Question> = { outcome: { kind: 'failed', failure: { cause: 'service' } } };
const awaitsChoice: Partial<Question> = {
  ...answered,
  access: 'own',
  phase: 'delivering',
  showing: { askedMs: Date.now(), noticedMs: Date.now() },
};
const twoWorkspaces = (title: string): TriedIn => ({ file: 'two-workspaces.test.ts', title });

const shows =
  (pattern: RegExp): Attempt['effect'] =>
  (_, seen) =>
    expect(seen.text).toMatch(pattern);

/** Asks the service the text of the attempt's question, or this one. */
const asks =
  (text?: string): Attempt['effect'] =>
  ({ id }) =>
    expect(service.questions().filter(({ question }) => question.includes(text ?? textOf(id)))).toHaveLength(1);

function press(actionId: string, valueFor: (id: string) => string = (id) => id): Attempt['body'] {
  return ({ id, threadTs }, responseUrl) =>
    buttonOf({ actionId, user: people.ada, value: valueFor(id), place: { message: messageIn(threadTs), responseUrl } });
}

function submit(callbackId: string, metadataOf: (id: string) => string, values: object): Attempt['body'] {
  return ({ id }) =>
    viewSubmissionOf({
      user: people.ada,
      view: { id: `V${id}`, callback_id: callbackId, private_metadata: metadataOf(id), state: { values } },
    });
}

const actions: Record<keyof typeof ACTIONS, Attempt | TriedIn | Reason> = {
  cancel: twoWorkspaces('the button of its card'),
  // A press that cancels is shown on the card only. Otherwise the person is told that there is nothing to cancel.
  drop: { body: press(ACTIONS.drop), effect: (_, { text }) => expect(text).not.toContain('already ended') },
  cancelOwn: twoWorkspaces('can not be cancelled from the Home tab'),
  followUp: {
    question: answered,
    body: press(followUpAction(0), (questionId) => buttonValue({ questionId, index: 0 })),
    effect: asks(`Why the ${SECRET}?`),
  },
  allSources: { question: answered, body: press(ACTIONS.allSources), effect: shows(new RegExp(`${SECRET}-11`)) },
  tryAgain: { question: failed, body: press(ACTIONS.tryAgain), effect: asks() },
  askNew: { question: failed, body: press(ACTIONS.askNew), effect: asks() },
  checkAgain: {
    question: { outcome: { kind: 'gaveUp' }, upstream: { steps: 0, askedMs: Date.now(), conversationId: 4_711 } },
    body: press(ACTIONS.checkAgain),
    effect: ({ threadTs }, { requests }) =>
      expect(
        requests.filter(({ method, args }) => method === 'chat.postMessage' && args.thread_ts === threadTs),
      ).not.toEqual([]),
  },
  askHere: { question: failed, body: press(ACTIONS.askHere), effect: asks() },
  askInDm: {
    question: { outcome: { kind: 'undeliverable', canInvite: true } },
    body: press(ACTIONS.askInDm),
    effect: asks(),
  },
  showInDm: {
    question: { ...answered, answersPrivately: true },
    body: press(ACTIONS.showInDm),
    effect: shows(/I am sending the answer to our direct messages/),
  },
  showHere: { question: awaitsChoice, body: press(ACTIONS.showHere), effect: shows(/I show the answer in/) },
  onlyForMe: {
    question: awaitsChoice,
    body: press(ACTIONS.onlyForMe),
    effect: shows(/I am sending the answer to our/),
  },
  alwaysHere: { question: awaitsChoice, body: press(ACTIONS.alwaysHere), effect: shows(/I show your answers in/) },
  askEdited: {
    question: { ...answered, edited: { text: `Edited ${SECRET}?`, atMs: Date.now() } },
    body: press(ACTIONS.askEdited),
    effect: asks(`Edited ${SECRET}?`),
  },
  askMissed:
    'asks a message of the person who clicked, which the app reads with the token of the workspace of the click',
  askCommand: 'asks what the button itself carries, in the workspace of the click',
  continuePrevious: {
    question: { previous: 99_999, text: `Continued ${SECRET}?` },
    body: press(ACTIONS.continuePrevious),
    effect: asks(`Continued ${SECRET}?`),
  },
  followUpMenu: {
    question: answered,
    body: ({ id, threadTs }, responseUrl) =>
      overflowOf({
        actionId: ACTIONS.followUpMenu,
        user: people.ada,
        place: { message: messageIn(threadTs), responseUrl },
        option: { text: { type: 'plain_text', text: 'x' }, value: `${id}.0:edit` },
      }),
    effect: shows(new RegExp(`Why the ${SECRET}`)),
  },
  share: { question: answered, body: press(ACTIONS.share), effect: shows(new RegExp(FORMS.share)) },
  shareChannel: {
    question: answered,
    body: ({ id }) =>
      selectOf({
        actionId: ACTIONS.shareChannel,
        user: people.ada,
        conversation: CHANNEL,
        place: { view: { id: `V${id}`, callback_id: FORMS.share, private_metadata: id, state: { values: {} } } },
      }),
    effect: ({ id }, { requests }) =>
      expect(
        requests.filter(({ method, args }) => method === 'views.update' && args.view_id === `V${id}`),
      ).toHaveLength(1),
  },
  askForm: 'opens an empty form',
  feedback: {
    question: answered,
    body: ({ id, threadTs }, responseUrl) =>
      feedbackOf({
        actionId: ACTIONS.feedback,
        user: people.ada,
        place: { message: messageIn(threadTs), responseUrl },
        value: buttonValue({ questionId: id, verdict: 'up' }),
      }),
    effect: shows(/Your vote is saved/),
  },
  feedbackUp: {
    question: answered,
    body: press(ACTIONS.feedbackUp, (questionId) => buttonValue({ questionId, verdict: 'up' })),
    effect: shows(/Your vote is saved/),
  },
  feedbackDown: {
    question: answered,
    body: press(ACTIONS.feedbackDown, (questionId) => buttonValue({ questionId, verdict: 'down' })),
    effect: shows(new RegExp(FORMS.feedback)),
  },
  channelSettings: {
    body: (_) =>
      buttonOf({
        actionId: ACTIONS.channelSettings,
        user: people.ada,
        value: SET_CHANNEL,
        place: { view: { id: 'VHOME' } },
      }),
    effect: shows(new RegExp(`${SECRET}-repository`)),
  },
  connect: 'is about the account of the person who presses',
  undoAlwaysHere: 'is about the choices of the person who presses',
  connectByToken: 'is about the account of the person who presses',
  disconnect: twoWorkspaces(
    'a person with the same id asks with no account of the other workspace, and can not remove it',
  ),
  signIn: 'has an address, which Slack opens: see the pages below',
};

const forms: Record<keyof typeof FORMS | 'share as another person', Attempt | TriedIn | Reason> = {
  ask: twoWorkspaces('is not continued by a shortcut on a message with the same timestamp'),
  editFollowUp: {
    question: answered,
    body: submit(FORMS.editFollowUp, (questionId) => buttonValue({ questionId, index: 0 }), {
      question: { question: { type: 'plain_text_input', value: 'Edited in a form?' } },
    }),
    effect: asks('Edited in a form?'),
  },
  share: {
    question: answered,
    body: submit(FORMS.share, (id) => `${id} ${CHANNEL}`, {
      channel: { [ACTIONS.shareChannel]: { type: 'conversations_select', selected_conversation: CHANNEL } },
    }),
    effect: (_, __, { response }) => expect(response ?? {}).not.toMatchObject({ response_action: 'errors' }),
  },
  'share as another person': {
    question: { ...answered, askerId: people.gerd, access: 'own' },
    body: submit(FORMS.share, (id) => `${id} ${CHANNEL}`, {
      channel: { [ACTIONS.shareChannel]: { type: 'conversations_select', selected_conversation: CHANNEL } },
    }),
    effect: (_, __, { response }) => expect(JSON.stringify(response)).toMatch(/Gerd/i),
  },
  feedback: {
    question: answered,
    body: submit(FORMS.feedback, (questionId) => buttonValue({ questionId }), {
      comment: { comment: { type: 'plain_text_input', value: 'No.' } },
    }),
    effect: (_, __, { response }) => expect(response).toBeUndefined(),
  },
  channelSettings: twoWorkspaces('of a channel are kept apart from a channel with the same id'),
  connect: 'names the person who sends it',
};

const verbs: Record<Verb, TriedIn | Reason> = {
  help: 'is the same text for everyone',
  cancel: twoWorkspaces('a verb in its thread'),
  mute: twoWorkspaces('by the verb mute'),
  unmute: twoWorkspaces('by the verb unmute'),
  status: twoWorkspaces('by the verb status'),
  history: twoWorkspaces('by the command history'),
  why: twoWorkspaces('by the verb why'),
};

const commands: Record<Exclude<CommandVerb, Verb>, TriedIn | Reason> = {
  connect: 'is about the account of the person who writes it',
  disconnect: twoWorkspaces('a person with the same id asks with no account of the other workspace'),
  settings: twoWorkspaces('of a channel are kept apart from a channel with the same id'),
  doctor: twoWorkspaces('the doctor of a workspace uses its token'),
};

const shortcuts: Record<keyof typeof SHORTCUTS, TriedIn | Reason> = {
  ask: twoWorkspaces('forms with the same id in two workspaces ask two questions'),
  askAbout: twoWorkspaces('is not continued by a shortcut on a message with the same timestamp'),
};

const reply = twoWorkspaces('is not continued by a reply in a thread with the same timestamp');
const events: Record<string, TriedIn | Reason> = {
  agent_session_stopped: twoWorkspaces('the stop button of its session'),
  app_home_opened: twoWorkspaces("by a person's Home tab of the same id"),
  app_mention: twoWorkspaces('a verb in its thread'),
  app_uninstalled: { file: 'installing.test.ts', title: 'ends nothing in another workspace' },
  channel_id_changed: twoWorkspaces('of a channel stay when the other workspace gives its channel a new id'),
  link_shared: twoWorkspaces('by its link'),
  member_joined_channel: 'makes the app ask Slack again about the channel, in each workspace for itself',
  'message.channels': reply,
  'message.groups': reply,
  'message.im': reply,
  'message.mpim': reply,
  tokens_revoked: { file: 'installing.test.ts', title: 'ends nothing in another workspace' },
  user_change: {
    file: 'ways-into-workspace.test.ts',
    title: 'a person who left one workspace may still ask in the other',
  },
};

let slack: InstallingSlack;
let first: FakeSlack;
let second: FakeSlack;
let service: FakeService;
let world: InstalledWorld;
let triedInSecond: { name: string; seen: Seen; delivery: Delivery }[];
let seenByFirst: FakeSlack['requests'];

const tables = { action: actions, form: forms };
const attempts = Object.entries(tables).flatMap(([kind, table]) =>
  Object.entries(table).flatMap(([name, how]): [string, Attempt][] =>
    typeof how === 'object' && 'body' in how ? [[`${kind} ${name}`, how]] : [],
  ),
);
const records = new Map<string, { id: string; threadTs: string }>();

function recordOf(name: string) {
  const record = records.get(name);
  if (record === undefined) throw new Error(`no record for ${name}`);
  return record;
}

/** A text that no other question contains. */
function textOf(id: string): string {
  return `The ${SECRET} of ${id}?`;
}

function messageIn(threadTs: string) {
  return {
    // No other message has this time: the test looks for it in what each workspace was sent.
    ts: threadTs.replace('.0', '.1'),
    channel: CHANNEL,
    user: team.botUserId,
    text: '',
    thread_ts: threadTs,
    edits: 0,
  };
}

beforeAll(async () => {
  slack = await startInstallingSlack();
  first = await slack.add(FIRST);
  second = await slack.add(SECOND);
  service = await startFakeService();
  world = await startInstalledWorld({
    slack,
    service: { url: service.url, token: serviceToken },
    settings: { ADMINS: people.ada, RUNNING_PER_PERSON: '50', RUNNING_PER_WORKSPACE: '50' },
  });
  await world.install(FIRST);
  await world.install(SECOND);
  await world.stopApp();
  await seed();
  await world.startApp();
  await tryInSecond();
});

afterAll(async () => {
  await world.stop();
  await service.stop();
  await slack.stop();
});

async function seed(): Promise<void> {
  const encryptionKeys = [{ id: installationKey.id, key: new Secret(installationKey.key) }];
  const { log } = createRecordingLog();
  const storage = await openStorage({ dataDir: world.dataDir }, { clock: Date.now, log, encryptionKeys });
  for (const [name, { question }] of attempts) {
    const threadTs = first.say(CHANNEL, people.ada, 'Look at this.');
    // The same in the second workspace, so that the thread is no reason why something has no effect there.
    second.messages.push(...first.messages.filter(({ ts }) => ts === threadTs).map((message) => ({ ...message })));
    const id = `q${String(records.size).padStart(24, '0')}`;
    records.set(name, { id, threadTs });
    const place = { teamId: FIRST, channelId: CHANNEL, threadTs };
    const times = { acceptedMs: Date.now(), admittedMs: Date.now(), endedMs: Date.now() };
    const stored = questionWith({
      id,
      place,
      askerId: people.ada,
      text: textOf(id),
      phase: 'closed',
      ...times,
      ...question,
    });
    await storage.questions.create(stored);
    await storage.questions.markClosed(id);
  }
  await storage.channelSettings.update(`${FIRST}:${SET_CHANNEL}`, () => ({
    version: 1,
    teamId: FIRST,
    channelId: SET_CHANNEL,
    changedBy: people.ada,
    changedMs: 1,
    isOn: true,
    asking: 'members',
    guestsMayRead: false,
    isExternalAllowed: false,
    repositories: [`${SECRET}-repository`],
    replies: 'followUps',
    answers: 'thread',
  }));
  await storage.close();
}

/** What a workspace is sent from now on, with the responses to this record only: many are tried at the same time. */
function watch(fake: FakeSlack, recordId: string): () => Seen {
  const [requests, responses] = [fake.requests.length, fake.responses.length];
  return () => {
    const since = fake.requests.slice(requests);
    const own = fake.responses.slice(responses).filter(({ url }) => url.endsWith(recordId));
    return { requests: since, text: JSON.stringify([since, own]) };
  };
}

async function send(id: string, fake: FakeSlack, record: { id: string; threadTs: string }, body: Attempt['body']) {
  const seen = watch(fake, record.id);
  const delivery = await world.deliver(id, body(record, slack.responseUrl(fake, record.id)));
  return { seen, delivery };
}

/** Tries all in the second workspace, and notes what both were sent until all of it is done. */
async function tryInSecond(): Promise<void> {
  const before = first.requests.length;
  const tried: { name: string; seen: () => Seen; delivery: Delivery }[] = [];
  for (const [name, { body }] of attempts) tried.push({ name, ...(await send(SECOND, second, recordOf(name), body)) });
  await settled();
  triedInSecond = tried.map((each) => ({ ...each, seen: each.seen() }));
  seenByFirst = first.requests.slice(before);
}

/** Resolves after what began before in the second workspace: a question there was answered. */
async function settled(): Promise<void> {
  const inside = world.within(SECOND, second);
  const text = `Is all of ${second.messages.length} done?`;
  const ts = await inside.mention(text, { user: people.bob });
  service.answer(await eventually(() => one(service.find(text))));
  await eventually(() => expect(inside.answersIn(ts)).toHaveLength(1));
}

describe('the tables above', () => {
  test('have every button, form and event of the app', () => {
    const manifest = parse(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
    expect(Object.keys(actions).toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
    expect(Object.keys(forms)).toEqual(expect.arrayContaining(Object.keys(FORMS)));
    expect(Object.keys(shortcuts).toSorted()).toEqual(Object.keys(SHORTCUTS).toSorted());
    // A test of the manifest holds these to the listeners.
    expect(Object.keys(events).toSorted()).toEqual(manifest.settings.event_subscriptions.bot_events.toSorted());
  });

  const elsewhere = [actions, forms, verbs, commands, shortcuts, events]
    .flatMap((table) => Object.values<Attempt | TriedIn | Reason>(table))
    .filter((how) => typeof how === 'object')
    .filter((how) => 'file' in how);

  test.each(elsewhere)('name a test: $title', ({ file, title }) => {
    expect(readFileSync(new URL(file, import.meta.url), 'utf8').replaceAll("\\'", "'")).toContain(title);
  });
});

test.each(attempts)('%s works in the workspace of its record only', async (name, { body, effect }) => {
  const record = recordOf(name);
  const there = one(triedInSecond.filter((tried) => tried.name === name));
  expect(there.seen.text).not.toContain(SECRET);
  expect(JSON.stringify(there.delivery.response ?? '')).not.toContain(SECRET);
  expect(() => effect(record, there.seen, there.delivery)).toThrow();
  const about = seenByFirst.filter(({ args }) =>
    new RegExp(`${record.id}|${record.threadTs}`).test(JSON.stringify(args)),
  );
  expect(about).toEqual([]);
  const here = await send(FIRST, first, record, body);
  await eventually(() => effect(record, here.seen(), here.delivery));
});

test('a person who left one workspace may still ask in the other', async () => {
  const historyIn = async (id: string, fake: FakeSlack) => {
    const { response } = await world.within(id, fake).command('history', { user: people.gerd });
    return JSON.stringify(response);
  };
  const [before, other] = [await historyIn(SECOND, second), await historyIn(FIRST, first)];
  const flags = { deleted: true, is_bot: false, is_restricted: false, is_ultra_restricted: false };
  const user = { id: people.gerd, team_id: team.id, name: 'gerd', ...flags };
  await world.deliver(SECOND, envelope({ type: 'user_change', user, event_ts: '1700000100.001200' }));
  await eventually(async () => expect(await historyIn(SECOND, second)).not.toBe(before));
  expect(await historyIn(FIRST, first)).toBe(other);
});
