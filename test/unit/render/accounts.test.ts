import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountMode, AccountStatus } from '../../../src/core/accounts/accounts.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import {
  accountBlocks,
  connectedText,
  disconnectedText,
  renderAccount,
  renderConnectForm,
  type ShownAccount,
} from '../../../src/render/accounts.ts';
import { type HomeContent, renderHome } from '../../../src/render/home.ts';
import { sayIn } from '../../../src/render/say.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { expectGolden } from '../../support/golden.ts';

const signInUrl = 'https://app.example.com/accounts/sign-in/abc';
const tokensUrl = 'https://search.example.com/user/settings/tokens';
const contact = 'U0OPS';
const known = { username: 'ada', connectedMs: 1_700_000_000_000 };

type OwnAccount = Exclude<ShownAccount, { kind: 'shared' }>;

function own(mode: AccountMode, status: AccountStatus): OwnAccount {
  return { kind: 'own', mode, status };
}

const accounts: Record<string, OwnAccount> = {
  'none, preferred': own('preferred', { state: 'none' }),
  'none, required': own('required', { state: 'none' }),
  'by token': own('preferred', { state: 'connected', kind: 'token', ...known }),
  'by signing in': own('required', { state: 'connected', kind: 'oauth', ...known }),
  refused: own('required', { state: 'refused', kind: 'token', ...known }),
  'no keys, preferred': { kind: 'noKeys', mode: 'preferred' },
  'no keys, required': { kind: 'noKeys', mode: 'required' },
  unreadable: { kind: 'unreadable', reference: 'e01234567' },
  lost: { kind: 'lost' },
};

const each = <Shown>(show: (account: OwnAccount) => Shown): Record<string, Shown> =>
  Object.fromEntries(Object.entries(accounts).map(([name, account]) => [name, show(account)]));

describe.each(['en-US', 'de-DE'])('what people see of their accounts in %s', (locale) => {
  const say = sayIn(locale);

  it('matches its golden file, within the limits of Slack', () => {
    const messages = each((account) => renderAccount(account, { locale, contact, signInUrl }));
    for (const message of Object.values(messages))
      expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
    const forms = {
      'with a sign-in': renderConnectForm({ userId: 'U0ADA', tokensUrl, signInUrl }, locale),
      'for a token only': renderConnectForm({ userId: 'U0ADA', tokensUrl }, locale),
    };
    for (const view of Object.values(forms)) expect(slackProblems('views.open', { view })).toEqual([]);
    const texts = {
      connected: connectedText('ada', say),
      disconnected: disconnectedText({ hadOne: true, mode: 'preferred', tokensUrl }, say),
      'disconnected, required': disconnectedText({ hadOne: true, mode: 'required', tokensUrl }, say),
      'not connected': disconnectedText({ hadOne: false, mode: 'preferred', tokensUrl }, say),
    };
    const home = each((account) => accountBlocks(account, say, contact));
    expectGolden(`render/surfaces/accounts.${locale}.txt`, { messages, forms, texts, home });
  });

  it('fits on a Home tab', () => {
    for (const account of [{ kind: 'shared' } as const, ...Object.values(accounts)]) {
      const content: HomeContent = { kind: 'shown', overview: { open: [], ended: [] }, service: 'fine', account };
      const view = renderHome(content, {
        locale,
        botUserId: 'U0BOT',
        workspaceUrl: 'https://acme.slack.com/',
        contact,
      });
      expect(slackProblems('views.publish', { view })).toEqual([]);
    }
  });
});

describe('an address to sign in', () => {
  it('stands only where people can use it now, and never on Home, where it would expire', () => {
    const shown = each((account) => JSON.stringify(renderAccount(account, { locale: 'en-US', signInUrl })));
    const having = Object.entries(shown).filter(([, text]) => text.includes(signInUrl));
    expect(having.map(([name]) => name)).toEqual(['none, preferred', 'none, required', 'refused', 'lost']);
    expect(JSON.stringify(each((account) => accountBlocks(account, sayIn('en-US'), undefined)))).not.toContain('"url"');
  });
});

describe('the name of a user at the service', () => {
  it('is shown as plain text, whatever it contains', () => {
    const names = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc.constantFrom('<!here>', '<@U0BOB>', '@channel', '&'.repeat(4_000), '<https://e.org|x>'),
    );
    fc.assert(
      fc.property(names, (username) => {
        const account = own('preferred', { state: 'connected', kind: 'token', ...known, username });
        const message = renderAccount(account, { locale: 'en-US' });
        expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
        for (const text of [JSON.stringify(message), connectedText(username, sayIn('en-US'))])
          expect(text).not.toMatch(/<!(?!date)|<@|@channel|<https/);
      }),
      { numRuns: 100 },
    );
  });
});
