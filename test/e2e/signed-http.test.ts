import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appId, people, team } from '../../src/local-slack/people.ts';
import { places, textOf } from '../support/local-slack/local-slack.ts';
import { answerIn, cardOfCommand, postedIn, questionsOf } from '../support/local-slack/threads.ts';
import { conversationsOf, type Stack, startStack } from '../support/processes/processes.ts';

const { ada } = people;
const { general } = places;
const signingSecret = 'signing-secret-of-the-test';

/** The local Slack stores the messages, but the test delivers the events, with the repetitions of the real Slack. */
describe('the app with repeated deliveries of signed HTTP', () => {
  let stack: Stack;

  beforeAll(async () => {
    const settings = { SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: signingSecret };
    stack = await startStack({ stepDelayMs: 50, settings });
  });
  afterAll(() => stack?.stop());

  function deliver(body: string, contentType: string, headers: Record<string, string> = {}): Promise<Response> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
    return fetch(`${stack.appUrl()}/slack/events`, {
      method: 'POST',
      body,
      headers: {
        'content-type': contentType,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${digest}`,
        ...headers,
      },
      signal: AbortSignal.timeout(20_000),
    });
  }

  function deliverEvent(eventId: string, event: object, headers: Record<string, string> = {}): Promise<Response> {
    const body = { type: 'event_callback', team_id: team.id, api_app_id: appId, event_id: eventId, event };
    return deliver(JSON.stringify(body), 'application/json', headers);
  }

  it('asks a question once that is delivered as two kinds of event, at the same time, and again later', async () => {
    const { slack } = stack;
    const text = `<@${team.botUserId}> How are failed payments retried?`;
    const { ts } = await slack.post({
      channel: general,
      user: ada,
      text: '@deepsearch How are failed payments retried?',
    });
    const message = { type: 'message', channel: general, channel_type: 'channel', user: ada, text, ts };
    const mention = { type: 'app_mention', channel: general, user: ada, text, ts };
    const retry = (count: number) => ({
      'x-slack-retry-num': String(count),
      'x-slack-retry-reason': 'http_timeout',
    });
    const replies = await Promise.all([
      deliverEvent('Ev0001', message),
      deliverEvent('Ev0002', mention),
      deliverEvent('Ev0002', mention, retry(1)),
      deliverEvent('Ev0002', mention, retry(2)),
      deliverEvent('Ev0003', mention),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { parts } = await answerIn(slack, { channel: general, ts });
    expect(parts).toHaveLength(1);

    // Also after its end; a question asked afterwards proves that the repetition was processed.
    expect((await deliverEvent('Ev0002', mention, retry(3))).status).toBe(200);
    const next = await slack.post({ channel: general, user: ada, text: '@deepsearch What does chargeCard do?' });
    await deliverEvent('Ev0004', { ...mention, text: next.text, ts: next.ts });
    await answerIn(slack, next);
    expect(await questionsOf(slack, { channel: general, ts })).toMatchObject([{ cards: [{}], parts: [{}] }]);
    expect(await conversationsOf(stack)).toHaveLength(2);
  });

  it('accepts a signed command once, however often it is delivered', async () => {
    const { slack } = stack;
    const text = 'Where are gateway requests signed?';
    const command = new URLSearchParams({
      command: '/deepsearch',
      text,
      team_id: team.id,
      channel_id: general,
      user_id: ada,
      trigger_id: '1.2.e2e',
      response_url: `${slack.url}/response/unknown`,
    });
    const body = command.toString();
    const type = 'application/x-www-form-urlencoded';
    const replies = await Promise.all([deliver(body, type), deliver(body, type)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const { parts } = await answerIn(slack, await cardOfCommand(slack, general, text));
    expect(parts.map(textOf).join()).toContain('client.ts');
    const cards = (await postedIn(slack, general)).flatMap(({ cards }) => cards).map(textOf);
    expect(cards.filter((card) => card.includes(text))).toHaveLength(1);
  });

  it('refuses what Slack did not sign', async () => {
    const event = { type: 'app_mention', channel: general, user: ada, text: `<@${team.botUserId}> Hello?`, ts: '1.2' };
    const response = await deliverEvent('Ev0009', event, { 'x-slack-signature': 'v0=00' });
    expect(response.status).toBe(401);
  });
});
