import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createSlackDeliveries, signingSecret } from '../support/storm/slack-deliveries.ts';
import { superviseApp } from '../support/storm/supervised-app.ts';
import { visibleText } from '../support/world/world.ts';

/** Few enough questions that their cards close within Slack's limit for edits. */
const questionCount = 24;

test.skipIf(!hasRedisServer())(
  'a rolling deploy of two copies under load loses and repeats no question, and each copy ends cleanly',
  { timeout: 180_000 },
  async () => {
    const mainFile = await builtProgram('src/main.ts');
    const folder = await createTempDir();
    onTestFinished(folder.remove);
    const [slack, service] = [await startFakeSlack(), await startFakeService()];
    onTestFinished(slack.stop);
    onTestFinished(service.stop);
    service.answerAfter(() => 500 + Math.random() * 3_000);
    const redis = await startRedisServer(['--appendonly', 'yes', '--dir', folder.path]);
    onTestFinished(redis.stop);
    const copies = await Promise.all(
      ['first', 'second'].map((name) =>
        superviseApp({
          mainFile,
          logFile: join(folder.path, `${name}.log`),
          settings: {
            SLACK_BOT_TOKEN: team.botToken,
            SLACK_SIGNING_SECRET: signingSecret,
            SLACK_API_URL: slack.url,
            SRC_ENDPOINT: service.url,
            SRC_ACCESS_TOKEN: serviceToken,
            REDIS_URL: redis.url,
            LOG_LEVEL: 'info',
            RUNNING_PER_PERSON: '100',
          },
        }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(copies.map((copy) => copy.stop()))));
    await Promise.all(copies.map((copy) => copy.untilReady()));

    const deliveries = createSlackDeliveries(() => copies.map(({ url }) => url));
    const asked = Array.from({ length: questionCount }, (_, index) => {
      const text = `Question ${index}?`;
      return { text, ts: slack.say('C0GENERAL', people.ada, text) };
    });
    const asking = asked.map(({ text, ts }) => deliveries.event(mentionOf({ user: people.ada, text, ts })));
    const exitCodes: (number | null)[] = [];
    for (const copy of copies) {
      exitCodes.push(await copy.replace());
      await copy.untilReady();
    }
    const logs = await Promise.all(
      ['first', 'second'].map((name) => readFile(join(folder.path, `${name}.log`), 'utf8')),
    );
    expect(exitCodes, brokenLines(logs.join('\n'))).toEqual([0, 0]);
    expect(await Promise.all(asking)).toEqual(asked.map(() => true));

    for (const { text, ts } of asked) {
      await eventually(
        () => {
          const said = slack.inThread(ts).map(visibleText);
          // A question that is answered before there is room for its card needs none.
          const cards = said.filter((message) => message.includes('Answered in'));
          expect(cards.length).toBeLessThanOrEqual(1);
          one(said.filter((message) => !cards.includes(message)));
        },
        { timeoutMs: 90_000 },
      );
      one(service.find(text));
    }
    expect(slack.violations).toEqual([]);
  },
);

/** The log lines of a crash. */
function brokenLines(log: string): string {
  return log
    .split('\n')
    .filter((line) => /process_broken|app_not_started|stop_failed/.test(line))
    .join('\n');
}
