import { describe, expect, it } from 'vitest';
import type { FailureCause } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { plainContact, privateContact, publicContact } from '../../../src/render/contact.ts';
import { renderFeedbackForm } from '../../../src/render/feedback.ts';
import { renderHome } from '../../../src/render/home.ts';
import { type Notice, renderNotice } from '../../../src/render/notices.ts';
import { renderOutcome, renderUsedEnd } from '../../../src/render/outcome.ts';
import { sayIn } from '../../../src/render/say.ts';
import { renderStatus } from '../../../src/render/status.ts';
import { ended, QUESTION_ID } from './example.ts';

const person = 'U0OPS';
const group = 'S0OPS';
const channel = 'C0HELP';
const words = 'Ops & <!here> @channel';
const workspaceUrl = 'https://acme.slack.com/';
const direct = { teamId: 'T1', channelId: 'D0ADA', threadTs: '1700000000.000100' };

function failed(cause: FailureCause, contact: string | undefined, place?: typeof direct): string {
  const question = ended({ kind: 'failed', failure: { cause } }, place === undefined ? {} : { place });
  const options = { format: 'mrkdwn', contact, workspaceUrl } as const;
  for (const message of renderOutcome(question, options)) {
    expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
  }
  return JSON.stringify([renderOutcome(question, options), renderUsedEnd(question, 'U0BOB', options)]);
}

function noticed(notice: Notice, contact: string | undefined, locale?: string): string {
  const message = renderNotice(notice, { botUserId: 'U0BOT', locale, contact });
  expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
  return message.text;
}

describe('the contact', () => {
  it.each([
    ['U0123456789', '<@U0123456789>'],
    ['W012A3CDE', '<@W012A3CDE>'],
    ['S0614TZR7', '<!subteam^S0614TZR7>'],
    ['C0123456789', '<#C0123456789>'],
    ['CBR2V3XEX', '<#CBR2V3XEX>'],
    ['G01ABC', '<#G01ABC>'],
  ])('%s is an id', (id, shown) => {
    expect(privateContact(id)).toBe(shown);
  });

  it.each([
    'the platform team',
    '#help-search',
    'SUPPORT',
    'SUPPORTTEAM',
    'SRE24X7',
    'U0123456789 or U0987654321',
    'D0123456789',
  ])('%s is words', (said) => {
    expect(privateContact(said)).toBe(said);
    expect(plainContact(said)).toBe(said);
  });

  it.each([
    [person, '<@U0OPS>', '<https://acme.slack.com/team/U0OPS|profile>', undefined],
    [group, '<!subteam^S0OPS>', undefined, undefined],
    [channel, '<#C0HELP>', '<#C0HELP>', undefined],
    [words, 'Ops &amp; &lt;!here&gt; @\u200Bchannel', 'Ops &amp; &lt;!here&gt; @\u200Bchannel', words],
    [undefined, undefined, undefined, undefined],
  ])('%o is a mention only where one person reads it', (contact, toOne, toAll, plain) => {
    expect(privateContact(contact)).toBe(toOne);
    expect(publicContact(contact, sayIn('en-US'), workspaceUrl)).toBe(toAll);
    expect(plainContact(contact)).toBe(plain);
  });

  it('who is a person is left out in public where the address of the workspace is not known', () => {
    expect(publicContact(person, sayIn('en-US'), undefined)).toBeUndefined();
  });

  it('is named in failures that are up to the operator, and notifies no one in a channel', () => {
    for (const cause of ['unauthorized', 'internal'] as const) {
      expect(failed(cause, channel)).toContain('operator of this app (<#C0HELP>)');
      expect(failed(cause, person)).toContain('(<https://acme.slack.com/team/U0OPS|profile>)');
      expect(failed(cause, group)).not.toContain('S0OPS');
      for (const contact of [person, group, words]) expect(failed(cause, contact)).not.toMatch(/<@U0OPS|<!(?!date)/);
    }
    expect(failed('service', channel)).not.toContain('C0HELP');
  });

  it('is mentioned in failures of direct messages, which no one else reads', () => {
    expect(failed('internal', person, direct)).toContain('(<@U0OPS>)');
    expect(failed('internal', group, direct)).toContain('(<!subteam^S0OPS>)');
  });

  it('is named to everyone who is refused for who they are, or for the channel', () => {
    const refused = { kind: 'notAllowed', questionId: QUESTION_ID, text: 'Where?' } as const;
    for (const reason of ['guest', 'outsider', 'sharedChannel', 'guestsInChannel', 'channelRefused'] as const) {
      expect(noticed({ ...refused, reason }, person)).toContain('The operator of this app (<@U0OPS>) can change');
      const press: Notice = { kind: 'actionNotAllowed', reason, reference: 'e01234567' };
      expect(noticed(press, words)).toContain('(Ops &amp; &lt;!here&gt; @\u200Bchannel)');
    }
    const german = noticed({ ...refused, reason: 'guest' }, person, 'de-DE');
    expect(german).toContain('Wer diese App betreibt (<@U0OPS>), kann');
    expect(noticed({ ...refused, reason: 'guest' }, undefined)).toContain('The operator of this app can change');
    expect(noticed({ ...refused, reason: 'sharedChannel' }, undefined)).not.toContain('operator');
  });

  it('is named on Home, in a status and in the form that asks why', () => {
    const options = { locale: 'en-US', workspaceUrl, botUserId: 'U0BOT', contact: group };
    const overview = { open: [], ended: [] };
    const shown = [
      renderHome({ kind: 'shown', overview, service: 'refused' }, options),
      renderHome({ kind: 'refused', reason: 'guest', reference: 'e01234567' }, options),
      renderHome({ kind: 'refused', reason: 'channelRefused', reference: 'e01234567' }, options),
      renderStatus(
        { of: 'channel', open: [], elsewhere: [], rule: 'channel', service: 'refused' },
        { userId: 'U0ADA', locale: 'en-US', botUserId: 'U0BOT', contact: group },
      ),
      renderFeedbackForm(QUESTION_ID, 'en-US', group),
    ];
    for (const each of shown) expect(JSON.stringify(each)).toContain('this app (<!subteam^S0OPS>) can');
  });
});
