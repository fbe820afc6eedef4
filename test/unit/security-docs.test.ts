import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig, SETTINGS } from '../../src/config.ts';
import {
  maxQuestionLength,
  mostChannelsChosen,
  mostNoteCharacters,
  mostNotes,
  mostThreadsChosen,
  mostWaitingForAccount,
  threadLimit,
} from '../../src/core/settings.ts';
import { mostRequestsPerTicket, mostUnknownPerSecond } from '../../src/sign-in/sign-in.ts';
import {
  clockToleranceSeconds,
  mostArrivingBytes,
  mostLoggedMessages,
  mostUnsignedBytes,
} from '../../src/slack/settings.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/security.md');

/** The rows of the table under a heading, as lists of cells. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return section
    .split(/\n## /, 1)
    .join()
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

describe('docs/security.md', () => {
  it('says of each secret setting what it can do and how to change it', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const common = {
      SLACK_APP_TOKEN: 'xapp-1',
      SLACK_SIGNING_SECRET: 'secret',
      SRC_ENDPOINT: 'https://search.example.com',
      SRC_ACCESS_TOKEN: 'sgp_1',
      SRC_HEADERS: 'X-Proxy: secret',
      SRC_OAUTH_CLIENT_ID: 'client',
      SRC_OAUTH_CLIENT_SECRET: 'secret',
      SRC_OAUTH_AUTHORIZE_URL: 'https://search.example.com/authorize',
      SRC_OAUTH_TOKEN_URL: 'https://search.example.com/token',
      PUBLIC_URL: 'https://app.example.com',
      ENCRYPTION_KEYS: `a:${key}`,
      REDIS_URL: 'redis://:password@redis:6379',
      HTTP_PROXY: 'proxy:3128',
      HTTPS_PROXY: 'proxy:3128',
    };
    const { SRC_CLIENT_SECRET: clientSecret } = parseConfig({
      ...common,
      SLACK_BOT_TOKEN: 'xoxb-1',
      SRC_ACCESS_TOKEN: '',
      SRC_CLIENT_ID: 'client',
      SRC_CLIENT_SECRET: 'secret',
      SRC_TOKEN_URL: 'https://search.example.com/token',
    });
    const { SLACK_APP_TOKEN: _, ...withoutSocketMode } = common;
    const config: Record<string, unknown> = {
      ...parseConfig({
        ...withoutSocketMode,
        SLACK_CLIENT_ID: '1.2',
        SLACK_CLIENT_SECRET: 'secret',
        SLACK_WORKSPACES: 'T0123456789',
      }),
      ...parseConfig({ ...common, SLACK_BOT_TOKEN: 'xoxb-1' }),
      SRC_CLIENT_SECRET: clientSecret,
    };
    const secrets = Object.keys(config).filter((name) => JSON.stringify(config[name])?.includes('[secret]') === true);
    expect(secrets.length).toBeGreaterThanOrEqual(10);
    const named = rowsUnder('What each secret can do').map(([, first = '']) => first);
    expect(secrets.filter((name) => !named.some((cell) => cell.includes(`\`${name}\``)))).toEqual([]);
    for (const row of rowsUnder('What each secret can do'))
      expect(row.slice(1, 4).every((cell) => cell !== '')).toBe(true);
  });

  it('names every address that the app connects to, and who sets it', () => {
    const [, flows = ''] = page.split('\n## How data flows\n');
    const [section = ''] = flows.split('\n## ', 1);
    // The browsers of people connect to these.
    const ofBrowsers = ['PUBLIC_URL', 'SRC_OAUTH_AUTHORIZE_URL'];
    const addresses = Object.keys(SETTINGS).filter((name) => /_(URL|ENDPOINT|PROXY)$/.test(name));
    expect(addresses.length).toBeGreaterThanOrEqual(8);
    expect(addresses.filter((name) => !ofBrowsers.includes(name) && !section.includes(`\`${name}\``))).toEqual([]);
  });

  it('says what the secrets of traces can do, which are no settings of the app', () => {
    const traces = read('docs/observability/traces.md');
    const [, variables = ''] = traces.split('\n## Standard variables\n');
    const secret = [...variables.matchAll(/`(OTEL_\w+_(?:HEADERS|CLIENT_KEY))`/g)].map(([, name = '']) => name);
    expect(secret.length).toBeGreaterThanOrEqual(3);
    const named = rowsUnder('What each secret can do').map(([, first = '']) => first);
    expect(secret.filter((name) => !named.some((cell) => cell.includes(`\`${name}\``)))).toEqual([]);
    expect(Object.keys(SETTINGS).filter((name) => secret.includes(name))).toEqual([]);
  });

  it('says what stolen traces show', () => {
    const [, row = []] =
      Object.entries(rowsUnder('What a stolen thing shows')).find(([, [, first]]) => first?.startsWith('Traces')) ?? [];
    expect(row[3]).toContain('ids of people, texts of people and answers, tokens');
  });

  it('names a test that exists for each promise and each finding', () => {
    for (const heading of ['What is tested', 'What reviews found']) {
      const rows = rowsUnder(heading).slice(1);
      expect(rows.length).toBeGreaterThanOrEqual(8);
      const named = rows.map(([, , tests = '']) =>
        [...tests.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path),
      );
      expect(rows.filter((_, index) => named[index]?.length === 0)).toEqual([]);
      expect(named.flat().filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
    }
  });

  it('has the numbers of the code', () => {
    const bounds = rowsUnder('What one person can store').map(([, , bound = '']) => bound);
    expect(bounds.slice(0, 3)).toEqual([
      `the newest ${mostLoggedMessages} of a channel, for a day`,
      `${mostNotes} messages or ${mostNoteCharacters.toLocaleString('en-US')} characters, for 7 days`,
      `${mostWaitingForAccount}`,
    ]);
    expect(bounds[3]).toContain(`${threadLimit} open ones in a thread`);
    expect(bounds[3]).toContain(`${maxQuestionLength.toLocaleString('en-US')} characters each`);
    expect(bounds[4]).toContain(`${mostThreadsChosen} threads and channels`);
    expect(mostChannelsChosen).toBe(mostThreadsChosen);
    expect(page).toContain(
      `Bodies that are still arriving take ${mostArrivingBytes / 1024 / 1024} MB together at most`,
    );
    expect(page).toContain(`shorter than ${mostUnsignedBytes / 1024} KB`);
    expect(clockToleranceSeconds).toBe(5 * 60);
    expect(page).toContain(
      `${mostRequestsPerTicket.points} requests for each sign-in, and ${mostUnknownPerSecond} a second together that name none`,
    );
  });
});
