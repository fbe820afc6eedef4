import type { Browser, BrowserContext, Page as Tab } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../../support/browser/browser.ts';
import { createHarbourRepository, type TestRepository } from '../support/repository.ts';
import { startTestService, TOKEN } from '../support/service.ts';

const NAME = 'github.com/harbour-org/harbour';
const NASTY = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe.skipIf(!hasBrowser())('in a browser, a person', () => {
  let repository: TestRepository;
  let service: Awaited<ReturnType<typeof startTestService>>;
  let browser: Browser;
  let context: BrowserContext;
  let tab: Tab;
  /** What no page may do: errors in the console, breaches of the policy, requests to other hosts. */
  let complaints: string[];

  beforeAll(async () => {
    repository = createHarbourRepository();
    repository.write(`odd/${NASTY.replaceAll('/', '∕')}.ts`, `export const nasty = '${NASTY}';\n`);
    repository.commit(`Add ${NASTY}`, { author: NASTY });
    repository.git('branch', 'feature/cranes');
    [service, browser] = await Promise.all([
      startTestService({ repos: [repository.path], stepDelayMs: 150 }),
      openBrowser(),
    ]);
  });
  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext();
    tab = await context.newPage();
    tab.setDefaultTimeout(45_000);
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${service.url}/`) && !request.url().startsWith('data:')) {
        complaints.push(`request to ${request.url()}`);
      }
    });
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    repository?.remove();
  });

  const open = (path: string) => tab.goto(`${service.url}${path}`);

  async function signIn(url = service.url): Promise<void> {
    await tab.goto(`${url}/sign-in`);
    await tab.fill('main input[name="token"]', TOKEN);
    await tab.click('main button');
    await tab.getByText('Sign out').waitFor();
  }

  it('runs a query with variables in the API console, and finds a type in its documentation', async () => {
    await signIn();
    await open('/settings/tokens');
    await tab.getByRole('link', { name: 'API console' }).click();
    await tab.getByLabel('Query').fill('query Me($with: Boolean!) { currentUser { username @include(if: $with) } }');
    await tab.getByLabel('Variables (JSON)').fill('{"with": true}');
    await tab.getByRole('button', { name: 'Run' }).click();
    await tab.locator('#result', { hasText: '"alice"' }).waitFor();
    expect(await tab.getByLabel('Query').inputValue()).toMatch(/^query Me/);
    await tab.getByRole('link', { name: 'SearchResults', exact: true }).click();
    expect(tab.url()).toMatch(/#type-SearchResults$/);
  });

  it('searches, opens a result at its line, and sees who wrote its lines', async () => {
    await open('/');
    await tab.getByRole('searchbox', { name: 'Search code' }).fill('retryDelay');
    await tab.keyboard.press('Enter');
    await tab.locator('mark', { hasText: 'retryDelay' }).first().waitFor();
    await tab.locator('.result td.n a').first().click();
    await tab.locator('tr.marked').first().waitFor();

    await open(`/${NAME}/-/blob/src/retry.ts?L4-7`);
    expect(await tab.locator('tr.marked').count()).toBe(4);
    await tab.getByRole('link', { name: 'Blame' }).click();
    expect(tab.url()).toContain('?L4-7&blame=1');
    expect(await tab.locator('td.who', { hasText: 'Cap the retry delay' }).count()).toBeGreaterThan(0);
    expect(await tab.locator('tr.marked').count()).toBe(4);
    await tab.getByRole('link', { name: 'Permalink' }).click();
    expect(tab.url()).toMatch(/harbour@[0-9a-f]{40}\/-\/blob\/src\/retry\.ts\?L4-7&blame=1$/);
    await tab.locator('td.who a', { hasText: 'Cap the retry delay' }).first().click();
    await tab.locator('table.code tr.plus').first().waitFor();

    await tab.setViewportSize({ width: 800, height: 200 });
    for (const lines of ['?L20', '#L20']) {
      await open('/');
      await open(`/${NAME}/-/blob/src/retry.ts${lines}`);
      await tab.locator('#L20.marked').waitFor();
      const top = Number(await tab.evaluate('document.getElementById("L20").getBoundingClientRect().top'));
      expect([lines, top > 0 && top < 200]).toEqual([lines, true]);
    }
  });

  it('watches a question end without loading the page again', async () => {
    // Its steps take so long that the question is open until the test cancels it.
    const slow = await startTestService({ repos: [repository.path], stepDelayMs: 120_000 });
    try {
      await signIn(slow.url);
      const { id } = await slow.create('Where is retryDelay defined?');
      await tab.goto(`${slow.url}/deepsearch/${id}`);
      await tab.locator('#conversation[data-open="true"] .steps li').first().waitFor();
      // Without a reload: the mark would be gone.
      await tab.evaluate("document.documentElement.setAttribute('data-same', 'yes')");
      const [question] = (await slow.get(id)).questions;
      await slow.read('POST', `/${id}/questions/${question?.id}/cancel`);
      await tab.locator('#conversation[data-open="false"]', { hasText: 'Cancelled' }).waitFor();
      expect(await tab.locator('html').getAttribute('data-same')).toBe('yes');
      complaints = complaints.filter((complaint) => !complaint.startsWith(`request to ${slow.url}/`));
    } finally {
      await slow.stop();
    }
  });

  it('asks a question, reads the answer, follows up and stars it', async () => {
    await signIn();
    await tab.getByRole('link', { name: 'Conversations' }).click();
    await tab.fill('form.ask textarea', 'Where is retryDelay defined?');
    await tab.getByRole('button', { name: 'Ask' }).click();
    await tab.locator('#conversation[data-open="false"] article a', { hasText: 'src/retry.ts' }).first().waitFor();
    await tab.getByRole('button', { name: '☆ Star' }).click();
    await tab.getByRole('button', { name: '★ Starred' }).waitFor();
    await tab.locator('.follow-ups button').first().click();
    await tab.locator('#conversation[data-open="false"] .question').nth(1).waitFor();
    await tab.locator('article a', { hasText: 'src/retry.ts' }).first().click();
    await tab.locator('tr.marked').first().waitFor();
    expect(tab.url()).toMatch(/harbour@[0-9a-f]{40}\/-\/blob\//);
    await open('/deepsearch?starred=1');
    expect(await tab.locator('.rows li').count()).toBe(1);
  });

  it('sees hostile names, messages and questions as text', async () => {
    await signIn();
    const head = repository.git('rev-parse', 'HEAD').trim();
    for (const path of [
      `/${NAME}/-/tree/odd`,
      `/${NAME}/-/commits`,
      `/${NAME}/-/commit/${head}`,
      `/${NAME}/-/blob/odd/${encodeURIComponent(`${NASTY.replaceAll('/', '∕')}.ts`)}?blame=1`,
      `/search?q=${encodeURIComponent(NASTY)}`,
      '/search?q=nasty',
      `/search?q=${encodeURIComponent('type:commit Add')}`,
    ]) {
      await open(path);
      expect([path, await tab.title()]).toEqual([path, expect.not.stringMatching(/^owned$/)]);
      expect([path, await tab.locator('main img, main script').count()]).toEqual([path, 0]);
      expect(await tab.content()).toContain('onerror');
    }
    await open('/deepsearch');
    await tab.fill('form.ask textarea', `Where is ${NASTY}?`);
    await tab.getByRole('button', { name: 'Ask' }).click();
    await tab.locator('#conversation[data-open="false"]').waitFor();
    expect(await tab.locator('main img, main script').count()).toBe(0);
  });

  it('reads the pages in the dark, on a small screen and without scripts', async () => {
    const dark = await browser.newPage({ colorScheme: 'dark', viewport: { width: 400, height: 700 } });
    await dark.goto(`${service.url}/${NAME}/-/blob/src/retry.ts?L4-7&blame=1`);
    const brightness = await dark.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(brightness).toMatch(/^rgb\(\d{1,2}, \d{1,2}, \d{1,2}\)$/);
    expect(await dark.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await dark.close();

    const plain = await browser.newContext({ javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(`${service.url}/${NAME}@feature/cranes/-/blob/src/retry.ts?L4-7`);
    expect(await page.locator('tr.marked').count()).toBe(4);
    await page.locator('#L9 td.n a').click();
    expect(await page.locator('tr.marked').count()).toBe(1);
    await page.goto(`${service.url}/sign-in`);
    await page.fill('main input[name="token"]', TOKEN);
    await page.click('main button');
    await page.goto(`${service.url}/deepsearch`);
    await page.fill('form.ask textarea', 'How does withRetries work?');
    await page.getByRole('button', { name: 'Ask' }).click();
    // The page loads itself again until the answer is there.
    await page.locator('#conversation[data-open="false"] article a').first().waitFor({ timeout: 20_000 });
    await plain.close();
  });
});
