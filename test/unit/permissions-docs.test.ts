import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/permissions.md', root), 'utf8');

const { oauth_config: oauth, settings } = z
  .object({
    oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }) }),
    settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
  })
  .parse(parse(readFileSync(new URL('manifest.yml', root), 'utf8')));

interface Row {
  name: string;
  isOptional: boolean;
  reasons: string[];
}

/** The rows of the table under a heading. */
function rowsUnder(heading: string): Row[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)`( \*optional\*)? \|(.*)\|$/gm)].map(([, name = '', optional, rest = '']) => ({
    name,
    isOptional: optional !== undefined,
    reasons: rest.split(' | ').map((reason) => reason.trim()),
  }));
}

describe('docs/permissions.md', () => {
  const scopes = rowsUnder('Scopes of the bot');
  const events = rowsUnder('Events');

  it('lists exactly the scopes of the manifest, in order', () => {
    expect(scopes.map(({ name }) => name)).toEqual(oauth.scopes.bot);
  });

  it('says which of them are optional', () => {
    expect(scopes.filter(({ isOptional }) => isOptional).map(({ name }) => name)).toEqual(oauth.scopes.bot_optional);
  });

  it('lists exactly the events of the manifest, in order', () => {
    expect(events.map(({ name }) => name)).toEqual(settings.event_subscriptions.bot_events);
  });

  it.each([...scopes, ...events])('says what $name is for, and what is lost without it', ({ reasons }) => {
    expect(reasons).toHaveLength(2);
    for (const reason of reasons) expect(reason).not.toBe('');
  });
});
