import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { registerOAuthApp } from '../codesearch/support/oauth-app.ts';
import { hasBrowser, openBrowser } from '../support/browser/browser.ts';
import { freePort } from '../support/processes/free-port.ts';
import { startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld, type World } from '../support/world/world.ts';

// The pages in chromium, which enforces their policies: forms, cookies and redirects between two origins.

const waitMs = 30_000;

describe.skipIf(!hasBrowser())('the pages on which people sign in', () => {
  let service: Awaited<ReturnType<typeof startRecordedService>>;
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    service = await startRecordedService({});
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const app = await registerOAuthApp(service.url, service.token, `${publicUrl}/accounts/callback`);
    world = await startWorld({
      service,
      settings: {
        ACCOUNTS: 'preferred',
        ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
        SRC_OAUTH_CLIENT_ID: app.clientId,
        SRC_OAUTH_CLIENT_SECRET: app.clientSecret,
        SRC_OAUTH_AUTHORIZE_URL: app.authorizeUrl,
        SRC_OAUTH_TOKEN_URL: app.tokenUrl,
        PUBLIC_URL: publicUrl,
        PORT: String(port),
      },
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await service?.stop();
  });

  it('connect a person on a phone, and say after a reload that the link was used', async () => {
    const { page, complaints } = await openPage({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    await page.goto(await signInUrl(people.bob));
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(23, 23, 26)');
    await fits(page);
    await goOn(page, 'bob');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await headingIs(page, 'Connected as bob');
    await fits(page);
    expect(await page.getByRole('link', { name: 'Back to Slack' }).getAttribute('href')).toMatch(/^slack:/);
    await page.reload();
    await headingIs(page, 'This link was already used');
    expect(complaints).toEqual([]);
  });

  it('say that a person was not connected who did not allow it, and take the same link again', async () => {
    const { page } = await openPage();
    const url = await signInUrl(people.ada);
    await page.goto(url);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(246, 246, 247)');
    await goOn(page, 'ada');
    await page.getByRole('button', { name: 'Don’t allow' }).click();
    await headingIs(page, 'Not connected');
    await page.goto(url);
    await page.locator('main button').click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await headingIs(page, 'Connected as ada');
  });

  it('stop a person in another browser than the one that went on', async () => {
    const { page } = await openPage();
    const url = await signInUrl(people.gerd);
    await page.goto(url);
    await page.locator('main button').click();
    await page.getByLabel('Access token').waitFor();
    const { page: other } = await openPage();
    await other.goto(url);
    await headingIs(other, 'Diese Anmeldung gehört zu einem anderen Browser');
    expect(await other.locator('form').count()).toBe(0);
  });

  it('are in German for a person who has German in Slack, in any browser', async () => {
    const { page } = await openPage({ locale: 'en-US', viewport: { width: 320, height: 640 } });
    await page.goto(await signInUrl(people.gerd));
    await headingIs(page, 'Mit dem eigenen Konto fragen?');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await fits(page);
  });

  /** A page of a browser of its own, and what it blocked because of a page's policy. */
  async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(waitMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text());
    });
    return { page, complaints };
  }

  /** The address of the button Sign in, in the reply to the command. */
  async function signInUrl(user: string): Promise<string> {
    const { response } = await world.command('connect', { user });
    const [, url] = /"url":"([^"]*accounts\/start[^"]*)"/.exec(JSON.stringify(response)) ?? [];
    if (url === undefined) throw new Error('no address to sign in');
    return url;
  }

  /** Goes on to the service and signs in there. */
  async function goOn(page: Page, username: string): Promise<void> {
    await page.locator('main button').click();
    await page.getByLabel('Access token').fill(service.tokenOf(username));
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
  }
});

async function headingIs(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

/** Nothing is wider than the window. */
async function fits(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
