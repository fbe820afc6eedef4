import { describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { startWorld, visibleText, type World } from '../support/world/world.ts';

/** Long enough for the app to wait three seconds and then search for a file. */
const patient = { timeoutMs: 45_000 };

/** Numbered paragraphs, about `characters` long together. */
function longAnswer(characters: number): string {
  const words = 'The retry policy counts the attempts and waits longer after each of them. '.repeat(6).trim();
  return Array.from({ length: Math.ceil(characters / 460) }, (_, index) => `Paragraph ${index}. ${words}`).join('\n\n');
}

interface At {
  world: World;
  service: FakeService;
  ask(answer: string): Promise<string>;
  filesIn(ts: string): SlackMessage[];
  /** Waits until the card says that the question was answered. That is the last step. */
  closed(ts: string): Promise<SlackMessage[]>;
  attachedText(ts: string): string;
  /** The messages of the thread, in order: parts of answers as "part", files as "file". */
  order(ts: string): string[];
}

/** Each test has its own world. The tests run at the same time, because they mostly wait for Slack's limits. */
function inWorld(run: (at: At) => Promise<void>): () => Promise<void> {
  return async () => {
    const service = await startFakeService();
    const world = await startWorld({ service: { url: service.url, token: serviceToken } });
    try {
      await run(at(world, service));
    } finally {
      await world.stop();
      await service.stop();
    }
    expect(world.slack.violations).toEqual([]);
  };
}

function at(world: World, service: FakeService): At {
  const filesIn = (ts: string) => world.slack.inThread(ts).filter(({ files = [] }) => files.length > 0);
  return {
    world,
    service,
    ask: async (answer) => {
      const ts = await world.mention('how do retries work?');
      service.answer(await eventually(() => one(service.questions())), { answer });
      return ts;
    },
    filesIn,
    closed: async (ts) => {
      await eventually(() => expect(visibleText(world.card(ts) ?? { text: '' })).toContain('Answered in'), patient);
      return world.answersIn(ts);
    },
    attachedText: (ts) => {
      const [file] = one(filesIn(ts)).files ?? [];
      return world.slack.fileText(file?.id ?? '') ?? '';
    },
    order: (ts) => {
      const parts = new Set(world.answersIn(ts));
      return world.slack
        .inThread(ts)
        .flatMap((message) => (parts.has(message) ? ['part'] : (message.files ?? []).length > 0 ? ['file'] : []));
    },
  };
}

const claim = 'The full answer is attached as a Markdown file.';

describe.concurrent('an answer of many messages', () => {
  test(
    'is attached as a file before the last of them, which says so',
    inWorld(async ({ service, ask, filesIn, closed, attachedText, order }) => {
      const answer = longAnswer(45_000);
      const ts = await ask(answer);
      const parts = await closed(ts);
      expect(parts.length).toBeGreaterThan(3);
      expect(order(ts)).toEqual([...parts.slice(1).map(() => 'part'), 'file', 'part']);
      expect(parts.map((part) => visibleText(part).includes(claim))).toEqual([
        ...parts.slice(1).map(() => false),
        true,
      ]);
      const [file] = one(filesIn(ts)).files ?? [];
      expect(file).toMatchObject({ name: expect.stringMatching(/^deepsearch-q[0-9a-f]{24}\.md$/) });
      expect(file?.title).toContain('how do retries work?');
      const text = attachedText(ts);
      expect(text).toContain(answer);
      expect(text).toContain('> how do retries work?');
      expect(text).toContain('## Sources (1)');
      expect(text).toContain(one(service.conversations).share_url);
    }),
  );

  test(
    'of three or fewer has no file',
    inWorld(async ({ ask, filesIn, closed }) => {
      const ts = await ask(longAnswer(25_000));
      const parts = await closed(ts);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.length).toBeLessThanOrEqual(3);
      expect(filesIn(ts)).toEqual([]);
      expect(parts.map(visibleText).join()).not.toContain('Markdown file');
    }),
  );

  test(
    'that is longer than Slack can show points in its last message to the file and to Deep Search',
    inWorld(async ({ ask, closed, attachedText }) => {
      const answer = longAnswer(300_000);
      const ts = await ask(answer);
      const parts = await closed(ts);
      expect(parts).toHaveLength(20);
      const last = visibleText(parts.at(-1) ?? { text: '' });
      expect(last).toContain('too long for Slack. The full answer is in the attached file and in <');
      expect(attachedText(ts)).toContain(answer);
    }),
  );
});

describe.concurrent('where Slack refuses the file', () => {
  test.each([
    ['files.getUploadURLExternal', 'file_uploads_disabled'],
    ['files.getUploadURLExternal', 'file_type_not_allowed'],
    ['files.getUploadURLExternal', 'missing_scope'],
    ['files.completeUploadExternal', 'slack_connect_file_upload_sharing_blocked'],
    ['files.completeUploadExternal', 'storage_limit_reached'],
  ])('because %s returns %s, the answer is complete without it and names no file', async (method, error) =>
    inWorld(async ({ world, ask, filesIn, closed }) => {
      world.slack.fault(method, { error });
      const ts = await ask(longAnswer(45_000));
      const parts = await closed(ts);
      expect(parts.length).toBeGreaterThan(3);
      expect(filesIn(ts)).toEqual([]);
      const shown = parts.map(visibleText).join('\n');
      expect(shown).not.toContain('Markdown file');
      expect(shown).toContain('Paragraph 97.');
      expect(world.slack.calls.filter((call) => call === method)).toHaveLength(1);
    })(),
  );
});

describe.concurrent('a file with an unknown outcome', () => {
  test(
    'is found when it exists, and not attached twice',
    inWorld(async ({ world, ask, filesIn, closed }) => {
      world.slack.fault('files.completeUploadExternal', { breakAfterEffect: true });
      const ts = await ask(longAnswer(45_000));
      const parts = await closed(ts);
      expect(filesIn(ts)).toHaveLength(1);
      expect(visibleText(parts.at(-1) ?? { text: '' })).toContain(claim);
      expect(world.slack.calls.filter((call) => call === 'files.completeUploadExternal')).toHaveLength(1);
    }),
  );

  test(
    'is attached when it does not exist',
    inWorld(async ({ world, ask, filesIn, closed }) => {
      world.slack.fault('files.completeUploadExternal', { breakBeforeEffect: true });
      const ts = await ask(longAnswer(45_000));
      const parts = await closed(ts);
      expect(filesIn(ts)).toHaveLength(1);
      expect(visibleText(parts.at(-1) ?? { text: '' })).toContain(claim);
    }),
  );

  test(
    'is found by the app that starts after one that died while attaching it',
    inWorld(async ({ world, ask, filesIn, closed, order }) => {
      world.slack.fault('files.completeUploadExternal', { breakAfterEffect: true });
      const ts = await ask(longAnswer(45_000));
      await eventually(() => expect(filesIn(ts)).toHaveLength(1), patient);
      await world.restart();
      await closed(ts);
      expect(order(ts).filter((what) => what === 'file')).toHaveLength(1);
      expect(order(ts).at(-1)).toBe('part');
    }),
  );
});

test(
  'a file is tried again where Slack is not reachable for a moment',
  inWorld(async ({ world, ask, filesIn, closed }) => {
    world.slack.fault('files.getUploadURLExternal', { status: 503 });
    const ts = await ask(longAnswer(45_000));
    await closed(ts);
    expect(filesIn(ts)).toHaveLength(1);
  }),
);
