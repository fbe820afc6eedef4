import { describe, expect, it } from 'vitest';
import type { Nothing, Verb } from '../../../src/core/intake/intents.ts';
import { newThread, type Thread } from '../../../src/core/question/question.ts';
import { toPlainText } from '../../../src/slack/content/incoming-text.ts';
import { type IgnoreReason, type IncomingMessage, type Route, routeMessage } from '../../../src/slack/routing.ts';

const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.000001' };
const ours: Thread = { ...newThread(place, true), conversationId: 7 };
const muted: Thread = { ...ours, muted: true };
const peoples: Thread = { ...newThread(place, false), conversationId: 7 };
const names = { user: () => undefined, channel: () => undefined };

function messageWith(change: Partial<IncomingMessage>): IncomingMessage {
  return { isMention: false, channelType: 'channel', userId: 'U1', text: '', ts: '2.000001', edited: false, ...change };
}

function route(change: Partial<IncomingMessage>, thread?: Thread): Route {
  const message = messageWith(change);
  return routeMessage(message, toPlainText(message.text, names, 'UBOT'), thread, 'UBOT');
}

const ask = (text: string, fresh = false): Route => ({ to: 'ask', text, fresh });
const askNew = (text: string): Route => ({ to: 'ask', text, fresh: true });
const runVerb = (verb: Verb | Nothing): Route => ({ to: 'verb', verb });
const ignore = (reason: IgnoreReason): Route => ({ to: 'ignore', reason });
const inThread = { threadTs: place.threadTs };
const inGroup = { channelType: 'mpim' };
const inDm = { channelType: 'im' };

describe('a mention', () => {
  it.each<[string, Partial<IncomingMessage>, Thread | undefined, Route]>([
    ['with a question, in a channel, asks a question', { text: '<@UBOT> where?' }, undefined, ask('where?')],
    ['with a question, in a thread of ours', { ...inThread, text: '<@UBOT> and then?' }, ours, ask('and then?')],
    ['with a question, in a thread of people', { ...inThread, text: '<@UBOT> where?' }, undefined, ask('where?')],
    ['in the middle of a question', { text: 'so <@UBOT>, where?' }, undefined, ask('so, where?')],
    ['that names another person', { text: '<@UBOT> what did <@U2> change?' }, undefined, ask('what did @U2 change?')],
    [
      'with a question, in a thread of the app, asks a question',
      { ...inThread, text: '<@UBOT> and then?' },
      ours,
      ask('and then?'),
    ],
    [
      'with a question, in a thread of people, asks a question',
      { ...inThread, text: '<@UBOT> where?' },
      undefined,
      ask('where?'),
    ],
    ['in the middle of a question asks a question', { text: 'so <@UBOT>, where?' }, undefined, ask('so, where?')],
    [
      'that names another person asks a question',
      { text: '<@UBOT> what did <@U2> change?' },
      undefined,
      ask('what did @U2 change?'),
    ],
    [
      'with "new", in a bound thread, asks in a new conversation',
      { ...inThread, text: '<@UBOT> new where?' },
      ours,
      askNew('where?'),
    ],
    [
      'with "different question" asks in a new conversation',
      { ...inThread, text: '<@UBOT> different question: where?' },
      ours,
      askNew('where?'),
    ],
    [
      'with "new", in a bound thread of people, asks in a new conversation',
      { ...inThread, text: '<@UBOT> new where?' },
      peoples,
      askNew('where?'),
    ],
    [
      'with "new", where a question waits, asks in a new conversation',
      { ...inThread, text: '<@UBOT> new where?' },
      { ...newThread(place, true), queue: ['q1'] },
      askNew('where?'),
    ],
    [
      'with "new", where no question was asked, asks a question',
      { text: '<@UBOT> new where?' },
      undefined,
      ask('new where?'),
    ],
    ['with a bare "new" asks in a new conversation', { text: '<@UBOT> new' }, undefined, ask('', true)],
    [
      'with a bare "new question:", in a thread, asks in a new conversation',
      { ...inThread, text: '<@UBOT> New question:' },
      ours,
      ask('', true),
    ],
    ['without text is a greeting', { text: '<@UBOT>' }, undefined, runVerb('greeting')],
    [
      'without text, in a thread of the app, is a greeting',
      { ...inThread, text: '<@UBOT>' },
      ours,
      runVerb('greeting'),
    ],
    [
      'without text, in a thread of people, asks about the thread',
      { ...inThread, text: '<@UBOT>' },
      undefined,
      { to: 'askThread' },
    ],
    [
      'without text, where people were answered before, asks about the thread',
      { ...inThread, text: '<@UBOT>' },
      peoples,
      { to: 'askThread' },
    ],
    ...['^', '👆🏽', '^^ ☝️', 'this', 'See above.', 'cc'].map(
      (text): [string, Partial<IncomingMessage>, Thread | undefined, Route] => [
        `with only ${text}, in a thread of people, asks about the thread`,
        { ...inThread, text: `<@UBOT> ${text}` },
        undefined,
        { to: 'askThread' },
      ],
    ),
    ['with only 👆, elsewhere, is a greeting', { text: '<@UBOT> 👆' }, undefined, runVerb('greeting')],
    [
      'with only an emoji, in a thread of people, is a greeting',
      { ...inThread, text: '<@UBOT> 👀' },
      undefined,
      runVerb('greeting'),
    ],
    ['written with /me asks a question', { text: '<@UBOT> where?', subtype: 'me_message' }, undefined, ask('where?')],
    ['with "mute" runs the command mute', { ...inThread, text: '<@UBOT> Mute' }, ours, runVerb('mute')],
    ['with "unmute" runs the command unmute', { ...inThread, text: '<@UBOT> unmute.' }, muted, runVerb('unmute')],
    ['with "status" runs the command status', { ...inThread, text: '<@UBOT> status' }, ours, runVerb('status')],
    ['with "why" runs the command why', { ...inThread, text: '<@UBOT> why' }, undefined, runVerb('why')],
    ['with the question "why?" asks a question', { ...inThread, text: '<@UBOT> why?' }, ours, ask('why?')],
    [
      'with a question that begins with a verb asks a question',
      { text: '<@UBOT> status of the retries?' },
      undefined,
      ask('status of the retries?'),
    ],
    ['with a verb of the command only asks a question', { text: '<@UBOT> connect' }, undefined, ask('connect')],
    ['with "history"', { text: '<@UBOT> history' }, undefined, runVerb('history')],
    ['with a question, in a muted thread', { ...inThread, text: '<@UBOT> where?' }, muted, ask('where?')],
    ['with "help"', { text: '<@UBOT> help' }, undefined, runVerb('help')],
    ['with a question that begins with "help"', { text: '<@UBOT> help me find it' }, undefined, ask('help me find it')],
    ['with "cancel"', { ...inThread, text: '<@UBOT> cancel' }, ours, runVerb('cancel')],
    ['with "stop"', { ...inThread, text: '<@UBOT> Stop.' }, ours, runVerb('cancel')],
    ['with thanks', { ...inThread, text: '<@UBOT> thanks!' }, ours, runVerb('thanks')],
    ['with thanks, in a thread of people', { ...inThread, text: '<@UBOT> danke' }, peoples, runVerb('thanks')],
    ['with thanks, outside of a thread', { text: 'thank you <@UBOT> :pray:' }, undefined, runVerb('thanks')],
    ['with an emoji', { ...inThread, text: '<@UBOT> :+1:' }, ours, runVerb('greeting')],
    ['with another person only', { ...inThread, text: '<@UBOT> <@U2>' }, ours, runVerb('greeting')],
    ['with a greeting', { text: 'hey <@UBOT>!' }, undefined, runVerb('greeting')],
    ['with marks only', { text: '<@UBOT> ???' }, undefined, runVerb('greeting')],
    ['with punctuation only', { text: '<@UBOT>:' }, undefined, runVerb('greeting')],
    ['with thanks and a question', { ...inThread, text: '<@UBOT> ok, and v2?' }, ours, ask('ok, and v2?')],
    ['with a file', { text: '<@UBOT> what is this?', subtype: 'file_share' }, undefined, ask('what is this?')],
    [
      'with a question, in a muted thread, asks a question',
      { ...inThread, text: '<@UBOT> where?' },
      muted,
      ask('where?'),
    ],
    ['with "help" runs the command help', { text: '<@UBOT> help' }, undefined, runVerb('help')],
    [
      'with a question that begins with "help" asks a question',
      { text: '<@UBOT> help me find it' },
      undefined,
      ask('help me find it'),
    ],
    ['with "cancel" runs the command cancel', { ...inThread, text: '<@UBOT> cancel' }, ours, runVerb('cancel')],
    ['with "stop" runs the command cancel', { ...inThread, text: '<@UBOT> Stop.' }, ours, runVerb('cancel')],
    [
      'with a file asks a question',
      { text: '<@UBOT> what is this?', subtype: 'file_share' },
      undefined,
      ask('what is this?'),
    ],
    [
      'sent to the channel too asks a question',
      { ...inThread, text: '<@UBOT> where?', subtype: 'thread_broadcast' },
      ours,
      ask('where?'),
    ],
    [
      'by a bot is ignored, because of from_bot',
      { text: '<@UBOT> where?', botId: 'B1' },
      undefined,
      ignore('from_bot'),
    ],
    [
      'without an author is ignored, because of from_bot',
      { text: '<@UBOT> where?', userId: undefined },
      undefined,
      ignore('from_bot'),
    ],
    [
      'by the app itself is ignored, because of from_bot',
      { text: '<@UBOT> where?', userId: 'UBOT' },
      undefined,
      ignore('from_bot'),
    ],
    [
      'by Slackbot is ignored, because of from_bot',
      { text: '<@UBOT> where?', userId: 'USLACKBOT' },
      undefined,
      ignore('from_bot'),
    ],
    [
      'as a bot message is ignored, because of subtype_bot_message',
      { text: '<@UBOT> where?', subtype: 'bot_message' },
      undefined,
      ignore('subtype_bot_message'),
    ],
    ['in an edit is ignored, because of edited', { text: '<@UBOT> where?', edited: true }, undefined, ignore('edited')],
  ])('%s', (_, change, thread, expected) => {
    // Slack sends `app_mention` events without a channel type.
    expect(route({ isMention: true, channelType: undefined, ...change }, thread)).toEqual(expected);
  });
});

describe('punctuation after or before the name of the app', () => {
  it.each<[string, Route]>([
    ...[
      ': ',
      ', ',
      ' — ',
      ' – ',
      '- ',
      '-- ',
      ' -&gt; ',
      '! ',
      '... ',
      ':',
      '; ',
      ' :  ',
      '：',
      ':\u200b ',
      ', : ',
    ].map((marks): [string, Route] => [`<@UBOT>${marks}where is it?`, ask('where is it?')]),
    ['*<@UBOT>* where is it?', ask('where is it?')],
    ['*<@UBOT>:* where is it?', ask('where is it?')],
    ['hey <@UBOT>, where is it?', ask('hey, where is it?')],
    ['so <@UBOT> where is it?', ask('so where is it?')],
    ['where is it, <@UBOT>?', ask('where is it?')],
    ['where is it <@UBOT>', ask('where is it')],
    ['<@UBOT> .env: where is it?', ask('.env: where is it?')],
    ['<@UBOT> --verbose does what?', ask('--verbose does what?')],
    ['<@UBOT> :bug: where is it?', ask(':bug: where is it?')],
    ['<@UBOT>: “help”', runVerb('help')],
    ['<@UBOT>, *status*.', runVerb('status')],
  ])('%j', (text, expected) => {
    expect(route({ isMention: true, channelType: undefined, text })).toEqual(expected);
  });
});

describe('a message in a channel', () => {
  it.each<[string, Partial<IncomingMessage>, Thread | undefined, Route]>([
    ['that replies in a thread of the app asks a question', { ...inThread, text: 'and then?' }, ours, ask('and then?')],
    [
      'that replies in a private channel asks a question',
      { ...inThread, channelType: 'group', text: 'and then?' },
      ours,
      ask('and then?'),
    ],
    [
      'that replies in a group direct message asks a question',
      { ...inThread, ...inGroup, text: 'and then?' },
      ours,
      ask('and then?'),
    ],
    [
      'of a group that is no reply is ignored, because of not_in_thread',
      { ...inGroup, text: 'where?' },
      undefined,
      ignore('not_in_thread'),
    ],
    [
      'of a group that mentions the app asks a question',
      { ...inGroup, text: '<@UBOT> where?' },
      undefined,
      ask('where?'),
    ],
    [
      'of a group that is a verb runs the command help',
      { ...inGroup, text: '<@UBOT> help' },
      undefined,
      runVerb('help'),
    ],
    [
      'that replies in a muted thread is ignored, because of thread_muted',
      { ...inThread, text: 'and then?' },
      muted,
      ignore('thread_muted'),
    ],
    [
      'that cancels in a muted thread runs the command cancel',
      { ...inThread, text: 'cancel' },
      muted,
      runVerb('cancel'),
    ],
    ['that replies "status" asks a question', { ...inThread, text: 'status' }, ours, ask('status')],
    [
      'that replies with a file asks a question',
      { ...inThread, text: 'and this?', subtype: 'file_share' },
      ours,
      ask('and this?'),
    ],
    [
      'that replies to the channel too asks a question',
      { ...inThread, text: 'and then?', subtype: 'thread_broadcast' },
      ours,
      ask('and then?'),
    ],
    ['that replies and names another', { ...inThread, text: 'what did <@U2> do?' }, ours, ask('what did @U2 do?')],
    // A plain reply is only a question or the word "cancel" alone.
    ['that replies "new where?"', { ...inThread, text: 'new where?' }, ours, ask('new where?')],
    ['that replies "cancel"', { ...inThread, text: 'cancel' }, ours, runVerb('cancel')],
    ['that replies "stop"', { ...inThread, text: 'Stop' }, ours, runVerb('cancel')],
    ['that replies with thanks', { ...inThread, text: 'Thanks!' }, ours, ignore('asks_nothing')],
    ['that thanks a person', { ...inThread, text: 'thanks <@U2|bob> &amp; <@U3>' }, ours, ignore('asks_nothing')],
    ['that is one emoji', { ...inThread, text: ':+1::skin-tone-2:' }, ours, ignore('asks_nothing')],
    ['that greets', { ...inThread, text: 'good morning' }, ours, ignore('asks_nothing')],
    ['that is a heart', { ...inThread, text: '&lt;3' }, ours, ignore('asks_nothing')],
    [
      'that is a link to a profile',
      { ...inThread, text: '<https://acme.slack.com/team/U2>' },
      ours,
      ignore('asks_nothing'),
    ],
    ['that is a link to a page', { ...inThread, text: '<https://acme.com/U2>' }, ours, ask('https://acme.com/U2')],
    ['that thanks with a picture', { ...inThread, text: 'danke', subtype: 'file_share' }, ours, ignore('asks_nothing')],
    ['that thanks and asks', { ...inThread, text: 'ok, and for v2?' }, ours, ask('ok, and for v2?')],
    ['that thanks in a muted thread', { ...inThread, text: 'thanks' }, muted, ignore('thread_muted')],
    ['that thanks in a thread of people', { ...inThread, text: 'ok' }, peoples, ignore('thread_started_by_people')],
    ['that replies to another person', { ...inThread, text: '<@U2> look' }, ours, ignore('addresses_another_person')],
    ['that replies to a group', { ...inThread, text: '<!subteam^S1> look' }, ours, ignore('addresses_another_person')],
    ['that replies with a picture only', { ...inThread, text: '', subtype: 'file_share' }, ours, ignore('no_text')],
    [
      'that replies and names another asks a question',
      { ...inThread, text: 'what did <@U2> do?' },
      ours,
      ask('what did @U2 do?'),
    ],
    // A plain reply is only a question or the word "cancel" alone.
    ['that replies "new where?" asks a question', { ...inThread, text: 'new where?' }, ours, ask('new where?')],
    ['that replies "cancel" runs the command cancel', { ...inThread, text: 'cancel' }, ours, runVerb('cancel')],
    ['that replies "stop" runs the command cancel', { ...inThread, text: 'Stop' }, ours, runVerb('cancel')],
    [
      'that replies to another person is ignored, because of addresses_another_person',
      { ...inThread, text: '<@U2> look' },
      ours,
      ignore('addresses_another_person'),
    ],
    [
      'that replies to a group is ignored, because of addresses_another_person',
      { ...inThread, text: '<!subteam^S1> look' },
      ours,
      ignore('addresses_another_person'),
    ],
    [
      'that replies with a picture only is ignored, because of no_text',
      { ...inThread, text: '', subtype: 'file_share' },
      ours,
      ignore('no_text'),
    ],
    [
      'that replies in a thread of people is ignored, because of thread_started_by_people',
      { ...inThread, text: 'and then?' },
      peoples,
      ignore('thread_started_by_people'),
    ],
    [
      'that replies in a thread without questions is ignored, because of thread_unknown',
      { ...inThread, text: 'and then?' },
      undefined,
      ignore('thread_unknown'),
    ],
    ['that is no reply is ignored, because of not_in_thread', { text: 'where?' }, undefined, ignore('not_in_thread')],
    [
      'that mentions the app is ignored, because of arrives_as_app_mention',
      { ...inThread, text: '<@UBOT> where?' },
      ours,
      ignore('arrives_as_app_mention'),
    ],
    ['by a bot is ignored, because of from_bot', { ...inThread, text: 'done', botId: 'B1' }, ours, ignore('from_bot')],
    [
      'by the app is ignored, because of from_bot',
      { ...inThread, text: 'done', userId: 'UBOT' },
      ours,
      ignore('from_bot'),
    ],
    [
      'that was edited is ignored, because of edited',
      { ...inThread, text: 'and then?', edited: true },
      ours,
      ignore('edited'),
    ],
    // The events of an unfurled link, an edit and a deletion have no user, and are hidden.
    [
      'that reports an edit or an unfurl is ignored, because of from_bot',
      { ...inThread, subtype: 'message_changed', userId: undefined },
      ours,
      ignore('from_bot'),
    ],
    [
      'that reports an edit by someone is ignored, because of subtype_message_changed',
      { ...inThread, subtype: 'message_changed' },
      ours,
      ignore('subtype_message_changed'),
    ],
    [
      'that reports a deletion is ignored, because of subtype_message_deleted',
      { ...inThread, subtype: 'message_deleted' },
      ours,
      ignore('subtype_message_deleted'),
    ],
    [
      'that is hidden is ignored, because of subtype_hidden',
      { ...inThread, text: 'and then?', subtype: 'hidden' },
      ours,
      ignore('subtype_hidden'),
    ],
    [
      'that reports who joined is ignored, because of subtype_channel_join',
      { text: 'has joined', subtype: 'channel_join' },
      undefined,
      ignore('subtype_channel_join'),
    ],
    [
      'sent by /me is ignored, because of subtype_me_message',
      { ...inThread, text: 'waves', subtype: 'me_message' },
      ours,
      ignore('subtype_me_message'),
    ],
  ])('%s', (_, change, thread, expected) => {
    expect(route(change, thread)).toEqual(expected);
  });
});

describe('a direct message', () => {
  it.each<[string, Partial<IncomingMessage>, Thread | undefined, Route]>([
    ['asks a question', { text: 'where?' }, undefined, ask('where?')],
    ['asks in a thread', { ...inThread, text: 'and then?' }, ours, ask('and then?')],
    ['asks in a thread without an earlier question', { ...inThread, text: 'where?' }, undefined, ask('where?')],
    ['asks although it mentions the app', { text: '<@UBOT> where?' }, undefined, ask('where?')],
    ['asks although it begins with another person', { text: '<@U2> did what?' }, undefined, ask('@U2 did what?')],
    ['starts a new conversation', { ...inThread, text: 'new where?' }, ours, askNew('where?')],
    ['asks with a file', { text: 'what is this?', subtype: 'file_share' }, undefined, ask('what is this?')],
    ['thanks in a thread', { ...inThread, text: 'Vielen Dank!' }, ours, ignore('asks_nothing')],
    ['thanks outside of a thread', { text: 'ok, danke' }, undefined, runVerb('thanks')],
    ['greets in a thread', { ...inThread, text: 'hello?' }, ours, runVerb('greeting')],
    ['is one emoji in a thread', { ...inThread, text: '👍' }, ours, ignore('asks_nothing')],
    [
      'has only emoji and marks in a thread',
      { ...inThread, text: ':tada: :+1::skin-tone-2: …' },
      ours,
      ignore('asks_nothing'),
    ],
    ['is one emoji in a thread, with a mention', { ...inThread, text: '<@UBOT> 👍' }, ours, runVerb('greeting')],
    ['is one emoji', { text: '👍' }, undefined, runVerb('greeting')],
    ['wonders in a thread', { ...inThread, text: '???' }, ours, runVerb('greeting')],
    [
      'greets with a file',
      { ...inThread, text: 'hello', brings: 'file' },
      ours,
      ask('Answer what the file asks or shows.'),
    ],
    [
      'has one emoji and a file, in a thread',
      { ...inThread, text: '👀', brings: 'file' },
      ours,
      ask('Answer what the file asks or shows.'),
    ],
    ['thanks in a thread with a mention', { ...inThread, text: '<@UBOT> danke' }, ours, runVerb('thanks')],
    ['names a person only', { ...inThread, text: '<@U2>' }, ours, runVerb('greeting')],
    ['asks in a muted thread', { ...inThread, text: 'and then?' }, muted, ask('and then?')],
    ['with nothing at all is a greeting', { text: '' }, undefined, runVerb('greeting')],
    ['says a verb', { text: 'status' }, undefined, runVerb('status')],
    ['asks for help', { text: 'help' }, undefined, runVerb('help')],
    ['cancels', { ...inThread, text: 'cancel' }, ours, runVerb('cancel')],
    [
      'is ignored where the app wrote it',
      { text: 'Answered', userId: 'UBOT', botId: 'B1' },
      undefined,
      ignore('from_bot'),
    ],
    ['is ignored where it is an edit', { text: 'where?', edited: true }, undefined, ignore('edited')],
  ])('%s', (_, change, thread, expected) => {
    expect(route({ ...inDm, ...change }, thread)).toEqual(expected);
  });
});
