import { beforeEach, describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

/** Longer than any button's label, which Slack limits to 75 characters. */
const longFollowUp =
  'Which of the services that call `retry()` give up after fewer than three attempts, and where is that written down?';

const cardEditMs = 400;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld({ lifecycle: { cardEditMs } }));

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)));
}

async function answerTo(ts: string): Promise<SlackMessage> {
  return eventually(() => one(world.answersIn(ts)));
}

function labels(message: SlackMessage): string[] {
  return buttonsOf(message.blocks).map(({ label }) => label);
}

describe('an answer', () => {
  test('shows its title, links, footer and follow-ups, mentions the asker once, and pings no other person', async () => {
    const ts = await world.mention('where are retries?', { user: people.bob });
    const question = await asked('where are retries?');
    service.quota(85, 100, new Date(Date.UTC(2030, 0, 1)));
    service.answer(question, {
      title: 'Payment *retries*',
      answer: [
        'Retries are set in [retry.ts](/github.com/acme/app/-/blob/retry.ts?L3).',
        '',
        '| Name | Value |',
        '|---|---|',
        '| retries | 3 |',
        '| delay | 5 s |',
        '',
        `Ask @here, @channel, <!everyone> or <@${people.ada}> first.`,
      ].join('\n'),
      sources: null,
      stats: { time_millis: 41_000, tool_calls: 12, credits: 3 },
      suggested_followups: [longFollowUp, 'Who calls `retry()`?'],
    });
    const answer = await answerTo(ts);
    const shown = visibleText(answer);
    expect(shown).toContain(`<@${people.bob}> *Payment retries*`);
    expect(shown).toContain(`[retry.ts](${service.url}/github.com/acme/app/-/blob/retry.ts?L3)`);
    expect(shown).toContain('_This answer lists no sources._');
    // By the person's clock, not by the 41 s that the service tells.
    expect(shown).not.toContain('41 s');
    // Time and steps stand on the card.
    expect(shown).not.toContain('12 steps');
    expect(shown).toContain('3 credits · ');
    expect(shown).toContain(`*<${service.conversations[0]?.share_url}|Open in Deep Search>*`);
    expect(shown).toMatch(/85 ?% of the quota used \(85 of 100 credits\), resets <!date\^1893456000\^/);
    // Only the asker is mentioned, once, in mrkdwn. Mentions in the answer itself notify no one.
    const everything = `${answer.text} ${JSON.stringify(answer.blocks)}`;
    expect(everything.split(`<@${people.bob}>`)).toHaveLength(2);
    expect(everything).not.toMatch(/@here|@channel|(?<!\\)<!everyone>/);
    expect(everything).not.toContain(`<@${people.ada}>`);
    // Notifications show the beginning of the answer.
    expect(answer.text).toMatch(/^Retries are set in retry\.ts\. Name Value retries 3 delay 5 s Ask /);
    const [, other] = labels(answer);
    expect(labels(answer)[0]).toMatch(/^Which of the services .*…$/);
    expect(labels(answer)[0]?.length).toBeLessThanOrEqual(75);
    expect(other).toBe('Who calls retry()?');
  });

  test('asks the whole follow-up, though the label of the button is cut', async () => {
    const ts = await world.mention('where are retries?');
    service.answer(await asked('where are retries?'), { suggested_followups: [longFollowUp] });
    const [label = ''] = labels(await answerTo(ts));
    expect(label).toContain('…');
    await world.press(label, { user: people.bob });
    await asked(longFollowUp);
    await eventually(() =>
      expect(world.slack.inThread(ts).map(visibleText).join('\n')).toContain('fewer than three attempts, and where'),
    );
  });

  test('shows the first five sources by repository, and the quota only where it is nearly used up', async () => {
    const ts = await world.mention('which?');
    const question = await asked('which?');
    service.quota(80, 100, new Date(Date.UTC(2030, 0, 1)));
    const files = ['app/a.ts', 'lib/b.ts', 'app/c.ts', 'app/a.ts', 'lib/d.ts', 'app/e.ts', 'app/f.ts', 'lib/g.ts'];
    service.answer(question, {
      sources: files.map((file) => {
        const [repository = '', name = ''] = file.split('/');
        return { type: 'File', link: `/github.com/acme/${repository}/-/blob/${name}`, label: name };
      }),
    });
    const answer = await answerTo(ts);
    const shown = visibleText(answer);
    expect([...shown.matchAll(/\|(\w)\.ts>/g)].map(([, name]) => name)).toEqual(['a', 'b', 'c']);
    expect(labels(answer)).toContain('All sources (7)');
    expect(shown).not.toContain('quota');
  });
});

describe('the card', () => {
  test('exists while the question runs, and is edited only when something changed, within the rate limit', async () => {
    const startMs = performance.now();
    const ts = await world.mention('slowly?');
    const card = await eventually(() => {
      const found = world.card(ts);
      if (found === undefined) throw new Error('no card yet');
      return found;
    });
    const question = await asked('slowly?');
    const edits = (): number =>
      world.slack.requests.filter(({ method, args }) => method === 'chat.update' && args.ts === card.ts).length;
    const reads = (): number => service.calls.filter((call) => call === 'read').length;

    // Each read of the service finds a new step.
    const steps = 8;
    for (let step = 1; step <= steps; step += 1) {
      service.step(question, `Reading file-${step}.ts`);
      const before = reads();
      await eventually(() => expect(reads()).toBeGreaterThan(before));
    }
    // All cards share Slack's limit of edits, so the last edit may wait for the next window of ten seconds.
    await eventually(() => expect(visibleText(card)).toContain(`Reading file-${steps}.ts`));
    const passedMs = performance.now() - startMs;
    expect(edits()).toBeGreaterThan(0);
    expect(edits()).toBeLessThanOrEqual(Math.floor(passedMs / cardEditMs) + 1);

    // No read finds anything new.
    const before = { edits: edits(), reads: reads() };
    await eventually(() => expect(reads()).toBeGreaterThan(before.reads + 10));
    expect(edits()).toBe(before.edits);

    service.answer(question);
    await eventually(() => expect(visibleText(card)).toContain('Answered in'));
    expect(edits()).toBe(before.edits + 1);
    expect(labels(card)).toEqual([]);
  });
});

describe('a credential that the service found', () => {
  // Made up, and put together here, so that no scanner of this repository takes it for real.
  const key = `AKIA${'2E0A8F3B244C9986'}`;
  const isJson = { 'content-type': 'application/json' };
  const said = {
    title: `The key ${key}`,
    answer: `\`\`\`sh\nexport KEY=${key}\n\`\`\`\n\n[config with ${key}](/r/app/-/blob/config.sh?L3)\n\n${'A long answer. '.repeat(3_000)}`,
    sources: [{ type: 'file', link: '/r/app/-/blob/config.sh', label: `config.sh ${key}` }],
    suggested_followups: [`Who uses ${key}?`],
  };

  test('is in nothing that people or the storage get, and the link to it stays', async () => {
    const ts = await world.mention('which keys are there?', { user: people.bob });
    const question = await asked('which keys are there?');
    service.step(question, `Found ${key} in config.sh`);
    await eventually(() => expect(visibleText(one(world.slack.inThread(ts)))).toContain('Found [hidden: AWS key] in'));
    service.answer(question, said);
    const file = await eventually(() => one(world.slack.inThread(ts).flatMap(({ files = [] }) => files)));
    await eventually(() => expect(world.card(ts)?.edits).toBeGreaterThan(0));
    await eventually(() => expect(JSON.stringify(world.card(ts))).toContain('Answered in'));
    const shown = JSON.stringify(world.slack.inThread(ts));
    expect(shown).toContain('export KEY=[hidden: AWS key]');
    expect(shown).toContain('Who uses [hidden: AWS key]?');
    expect(shown).toContain('/r/app/-/blob/config.sh');
    expect(world.slack.fileText(file.id)).toContain('[hidden: AWS key]');
    expect(JSON.stringify(world.slack.requests) + world.slack.fileText(file.id)).not.toContain(key);
  });

  test('is not in its words about a question that it refuses', async () => {
    service.fault('create', { status: 400, body: JSON.stringify({ message: `${key} may not ask` }), headers: isJson });
    const ts = await world.mention('which keys are there?');
    expect(visibleText(await answerTo(ts))).toContain('[hidden: AWS key] may not ask');
    expect(JSON.stringify(world.slack.requests)).not.toContain(key);
  });

  test('is shown if the operator chose that', async () => {
    await beginWorld({ settings: { SHOW_CREDENTIALS: 'true' } });
    const ts = await world.mention('which keys are there?');
    service.answer(await asked('which keys are there?'), { ...said, answer: `It is ${key}.` });
    expect(visibleText(await answerTo(ts))).toContain(`It is ${key}.`);
    service.fault('create', { status: 400, body: JSON.stringify({ message: `${key} may not ask` }), headers: isJson });
    const refused = await world.mention('and others?');
    expect(visibleText(await answerTo(refused))).toContain(`${key} may not ask`);
  });
});
