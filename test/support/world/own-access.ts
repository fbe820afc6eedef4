import { expect } from 'vitest';
import { dmOf } from '../../../src/local-slack/channels.ts';
import type { SlackMessage } from '../../../src/local-slack/messages.ts';
import { people } from '../../../src/local-slack/people.ts';
import { ACTIONS } from '../../../src/render/ids.ts';
import { eventually } from '../eventually.ts';
import { buttonOf } from '../local-slack/payloads.ts';
import { one } from '../one.ts';
import { startRecordedService } from './recorded-service.ts';
import { buttonsOf, startWorld, visibleText } from './world.ts';

const { ada, bob, gerd } = people;

/** Questions about the sample repository, and words that only their answers have. */
export const question = 'where are payment retries configured?';
export const next = 'what signs a gateway request?';
export const code = /retry-policy\.ts|signGatewayRequest|client\.ts/;

/**
 * Starts the whole app with the recorded service, in which ada and bob have connected their own accounts, and with the
 * private channels `C0TEAM` and `C0OPS` besides the usual ones. Returns functions for what people see of answers.
 */
export async function startOwnAccess(options: { sharing?: boolean; stepDelayMs?: number } = {}) {
  const service = await startRecordedService(options);
  const world = await startWorld({
    service: { url: service.url, token: service.token },
    settings: { ACCOUNTS: 'preferred', ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
  });
  for (const name of ['team', 'ops']) {
    const members = [ada, bob, gerd];
    const id = `C0${name.toUpperCase()}`;
    world.slack.channels.set(id, { isPrivate: true, botIsMember: true, isArchived: false, name, members });
  }
  await connect(ada, 'ada');
  await connect(bob, 'bob');

  return {
    service,
    world,
    connect,
    toldTo,
    timesAsked,
    isAsked,
    inThread,
    sentTo,
    isShown,
    cardSays,
    postedIn,
    stop: async () => {
      await world.stop();
      await service.stop();
      expect(world.slack.violations).toEqual([]);
      expect(service.problems).toEqual([]);
    },
  };

  /** Connects a person's account with the form for an access token. */
  async function connect(user: string, username: string): Promise<void> {
    const { response } = await world.command('connect', { user });
    const reply = response as Parameters<typeof visibleText>[0];
    const button = one(buttonsOf(reply.blocks).filter(({ actionId }) => actionId === ACTIONS.connectByToken));
    const ephemeral = { channel: 'C0GENERAL', user, text: '' };
    const place = { ephemeral, responseUrl: world.slack.responseUrl(`connect-${user}?user=${user}&channel=C0GENERAL`) };
    await world.deliver(buttonOf({ ...button, value: button.value ?? '', user, place, label: button.label }));
    const form = await eventually(async () => {
      const view = await world.modal();
      expect(JSON.stringify(view.blocks)).toContain('"token"');
      return view;
    });
    await world.submit(form, { token: service.tokenOf(username) }, { user });
    await eventually(async () => expect(visibleText(await world.modal())).toContain(username));
  }

  /** All private messages to a person, as text. */
  function toldTo(user: string): string {
    return world.ephemeralsTo(user).map(visibleText).join('\n');
  }

  /** How often a person was asked who sees an answer. */
  function timesAsked(user: string): number {
    return world.ephemeralsTo(user).filter((each) => visibleText(each).includes('will see it.')).length;
  }

  async function isAsked(user: string, times = 1): Promise<void> {
    await eventually(() => expect(timesAsked(user)).toBe(times));
  }

  function inThread(ts: string): string {
    return JSON.stringify(world.slack.inThread(ts));
  }

  /** The app's messages in a channel that are not in a thread. */
  function postedIn(channel: string): SlackMessage[] {
    return world.slack.messages.filter(
      (each) => each.channel === channel && each.bot_id !== undefined && each.thread_ts === undefined,
    );
  }

  /** The card and the answer that were sent to a person's direct messages. */
  async function sentTo(user: string): Promise<{ card: SlackMessage; answer: SlackMessage }> {
    const card = await eventually(() => one(postedIn(dmOf(user))));
    return { card, answer: await eventually(() => one(world.answersIn(card.ts))) };
  }

  /** Waits for that many answers in a thread, and returns their text. */
  async function isShown(ts: string, count = 1): Promise<string> {
    await eventually(() => expect(world.answersIn(ts)).toHaveLength(count));
    return world.answersIn(ts).map(visibleText).join('\n');
  }

  async function cardSays(ts: string, words: string): Promise<void> {
    await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain(words));
  }
}

export type OwnAccess = Awaited<ReturnType<typeof startOwnAccess>>;
