import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { browserLayer, browserPath, canRun } from '../layers.ts';

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether chromium is installed; without it, throws when `REQUIRE_BROWSER=1` (CI). */
export function hasBrowser(): boolean {
  return canRun(browserLayer);
}

/** Opens chromium with a fresh profile, which is removed when it closes. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath, args, timeout: 60_000 });
}

/** Types a message in the open channel and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  const composer = page.locator('main .composer-input');
  await composer.fill(text);
  await composer.press('Enter');
}

/** Opens the thread of the message with this timestamp. */
export async function openThread(page: Page, ts: string): Promise<void> {
  await page.locator(`main .msg[data-ts="${ts}"] .thread-summary`).click();
  await page.locator(`.thread-body[data-key="${ts}"]`).waitFor();
}

/** Replies in the open thread. */
export async function reply(page: Page, text: string): Promise<void> {
  const composer = page.locator('.thread-pane .composer-input');
  await composer.fill(text);
  await composer.press('Enter');
}

/** The messages in the open thread that contain these words. */
export function replies(page: Page, words: string | RegExp): Locator {
  return page.locator('.thread-body .msg', { hasText: words });
}

/** The messages in the open channel that contain these words. */
export function messages(page: Page, words: string | RegExp): Locator {
  return page.locator('main .messages .msg', { hasText: words });
}

/** Opens a channel, a direct message or an app's Home by its name in the sidebar. */
export async function goTo(page: Page, name: string): Promise<void> {
  const item = page.locator('.sidebar-item', { hasText: new RegExp(`^\\W*${name}`) });
  const place = await item.getAttribute('href');
  await item.click();
  await isAt(page, place);
}

/** Waits until the page shows a place: until then, what is typed is typed where the person was. */
async function isAt(page: Page, place: string | null): Promise<void> {
  const wanted = new URL(place ?? '', page.url()).searchParams;
  await page.waitForURL(({ searchParams }) =>
    ['as', 'channel', 'home'].every((name) => searchParams.get(name) === wanted.get(name)),
  );
}

/** Chooses from the menu of a message. */
export async function chooseAt(message: Locator, entry: string): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'More actions' }).click();
  await message.getByRole('menuitem', { name: entry }).click();
}

/** Switches to another person on the same page. */
export async function actAs(page: Page, name: string): Promise<void> {
  const [place = ''] = await page.locator('.actas select').selectOption({ label: name });
  await isAt(page, place);
}

/** Chooses the first entry with this beginning from the menu in a row of buttons. */
export async function chooseIn(row: Locator, beginning: string): Promise<void> {
  const labels = await row.locator('.bk-overflow option').allTextContents();
  const label = labels.find((each) => each.startsWith(beginning));
  if (label === undefined) throw new Error(`no entry "${beginning}" in: ${labels.join(', ')}`);
  await row.locator('.bk-overflow').selectOption({ label });
}

/** Submits the open modal. */
export async function sendForm(page: Page): Promise<void> {
  await page.locator('.modal-btn.primary').click();
}

/** Closes the open modal. */
export async function closeForm(page: Page): Promise<void> {
  await page.locator('.modal').getByText('Close', { exact: true }).click();
  await page.locator('.modal').waitFor({ state: 'detached' });
}
