import { expect, test } from 'vitest';
import { renderHistory, renderHome } from '../../../src/render/home.ts';
import { ended } from './example.ts';

const question = ended({ kind: 'notAllowed', reason: 'guestsInChannel' });
const overview = { open: [], ended: [{ question, view: { kind: 'notAllowed' as const } }] };

test.each([
  ['en-US', 'not shown there; I told you why', 'could not be shown'],
  ['de-DE', 'dort nicht gezeigt; ich habe dir gesagt, warum', 'nicht gezeigt werden'],
])('the Home tab and the history in %s say that an answer was withheld, not that it failed', (locale, said, other) => {
  const options = { locale, workspaceUrl: 'https://acme.slack.com/', botUserId: 'U0BOT' };
  const home = JSON.stringify(renderHome({ kind: 'shown', overview, service: 'fine' }, options));
  const history = JSON.stringify(renderHistory(overview, options));
  for (const shown of [home, history]) {
    expect(shown).toContain(said);
    expect(shown).not.toContain(other);
  }
});
