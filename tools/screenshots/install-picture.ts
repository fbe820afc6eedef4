import type { Page } from 'playwright-core';
import { serviceToken, startFakeService } from '../../test/support/fake-service/fake-service.ts';
import { startInstallingSlack } from '../../test/support/fake-slack/installing-slack.ts';
import { startInstalledWorld } from '../../test/support/world/installed-world.ts';

/** Takes a picture of the page that an admin sees after `/slack/install`. */
export async function takeInstalled(page: Page, pathOf: (name: string) => string): Promise<void> {
  const slack = await startInstallingSlack();
  const service = await startFakeService();
  await slack.add('T0ONE');
  const world = await startInstalledWorld({ slack, service: { url: service.url, token: serviceToken } });
  try {
    await page.setContent(await (await world.install('T0ONE')).text());
    await page.screenshot({ path: pathOf('installed') });
  } finally {
    await world.stop();
    await service.stop();
    await slack.stop();
  }
}
