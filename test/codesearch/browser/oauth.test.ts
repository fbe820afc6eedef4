import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasBrowser, openBrowser } from '../../support/browser/browser.ts';
import { createPerson, createPkce } from '../support/people.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
let app: Server;
let browser: Browser;

beforeAll(async () => {
  if (!hasBrowser()) return;
  service = await startTestService({ repos: [repository.path] });
  app = createServer((_request, response) => response.end('The app has it.'));
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  app?.close();
  await service?.stop();
  repository.remove();
});

const title = 'spec 5: a person signs in, allows an OAuth app, and comes back to the app';

test.skipIf(!hasBrowser())(title, async () => {
  const alice = createPerson(service.url);
  await alice.signIn('test-token');
  const redirectUris = 'http://127.0.0.1/callback';
  const sent = { formToken: await alice.formToken(), name: 'Harbour helper', redirectUris };
  const registered = await alice.submit('/settings/oauth-apps', sent);
  const redirect_uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: /id="client-id">([^<]+)</.exec(registered.text)?.[1] ?? '',
    redirect_uri,
    state: 'remembered',
    code_challenge: createPkce().challenge,
    code_challenge_method: 'S256',
  });
  const page = await browser.newPage();
  try {
    await page.goto(`${service.url}/.auth/idp/oauth/authorize?${parameters}`);
    await page.getByLabel('Access token').fill('test-token');
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow Harbour helper to act for you?' }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('The app has it.').waitFor();
    const target = new URL(page.url());
    expect(target.origin + target.pathname).toBe(redirect_uri);
    expect(target.searchParams.get('state')).toBe('remembered');
    expect(target.searchParams.get('code')).toMatch(/^csc_/);
    await page.goto(`${service.url}/settings/tokens`);
    await page.getByRole('cell', { name: 'Harbour helper' }).waitFor();
    await page.getByLabel('Note').fill('from the browser');
    await page.getByRole('button', { name: 'Create token' }).click();
    expect(await page.locator('#created-token').textContent()).toMatch(/^cst_/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  } finally {
    await page.close();
  }
});
