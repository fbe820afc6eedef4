import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFence } from '../../../src/codesearch/agent/fence.ts';
import { instructions, LAST_STEP, questionPrompt } from '../../../src/codesearch/agent/prompts.ts';
import { BASE_MARK } from '../../../src/codesearch/ask/finding.ts';
import { useAgentWorld, WITHOUT_MODEL } from '../support/agent-world.ts';
import { callsTools, says } from '../support/model-server.ts';
import { createHarbourRepository } from '../support/repository.ts';

const NAME = 'github.com/harbour-org/harbour';
const LINK = `/${NAME}/-/blob/src/retry.ts?L4-7`;

const world = useAgentWorld(createHarbourRepository);

describe('an agent', () => {
  test('searches, reads and answers with checked links, sources, title and follow-ups', async () => {
    world.server.script(
      callsTools([{ name: 'find_symbols', input: { name: 'retryDelay' } }], { tokens: { input: 1_000, output: 20 } }),
      callsTools([{ name: 'read_file', input: { path: 'src/retry.ts', start: 3, end: 7 } }], {
        tokens: { input: 2_000, output: 20, cached: 900 },
      }),
      says(
        `# How the delay grows\n\nIt doubles, see [src/retry.ts:4-7](${LINK}).\n\n## Follow-ups\n\n- Who calls \`retryDelay\`?\n- Where is the cap set?\n`,
        { tokens: { input: 3_000, output: 60, cached: 1_900 } },
      ),
    );
    const { finding, steps, report, problems, uses } = await world.ask('How does the delay grow?');
    const commit = world.repository.git('rev-parse', 'HEAD').trim();
    const link = `/${NAME}@${commit}/-/blob/src/retry.ts?L4-7`;
    expect(finding).toMatchObject({
      title: 'How the delay grows',
      answer: `It doubles, see [src/retry.ts:4-7](${BASE_MARK}${link}).`,
      sources: [
        { type: 'File', link, label: 'src/retry.ts:4-7' },
        { type: 'Repository', link: `/${NAME}`, label: NAME },
      ],
      followUps: ['Who calls retryDelay?', 'Where is the cap set?'],
      toolCalls: WITHOUT_MODEL.toolCalls + 2,
      modelUse: { promptTokens: 6_000, cachedTokens: 2_800, completionTokens: 100, credits: 2 },
    });
    expect(finding.focus.files).toEqual([{ repository: NAME, path: 'src/retry.ts' }]);
    expect(steps).toEqual([
      'Asking the model scripted',
      'Looking up definitions of retryDelay',
      'Reading src/retry.ts:3-7',
    ]);
    expect(report).toMatchObject({ outcome: 'answered', reason: undefined, steps: 3, toolCalls: 2, droppedLinks: 0 });
    expect(uses.at(-1)).toEqual(finding.modelUse);
    expect(problems).toEqual([]);
  });

  test('sends the question, the answer without a model and the tools, and sends results back', async () => {
    world.server.script(
      callsTools([{ name: 'read_file', input: { path: 'src/config.ts' } }]),
      says('The cap is in the settings.'),
    );
    await world.ask('Where is the cap?');
    const [first, second] = world.server.sent();
    expect(first).toMatchObject({ model: 'scripted', tool_choice: 'auto', stream: true, max_tokens: 8_000 });
    expect(first?.tools.map((tool) => tool.function.name)).toEqual([
      'find_passages',
      'search_text',
      'find_symbols',
      'search_commits',
      'read_file',
      'list_files',
      'blame',
    ]);
    expect(world.server.textOf(0)).toContain('Where is the cap?');
    expect(world.server.textOf(0)).toContain(WITHOUT_MODEL.answer);
    expect(world.server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-secret-key' },
    });
    expect(second?.messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(second?.messages.at(-1)?.content).toContain('3\t  retryBaseMs: Number(process.env.RETRY_BASE_MS ?? 100),');
  });

  test('has a new version of its prompts when a text changes', async () => {
    world.server.script(says('Yes.'));
    const { report } = await world.ask('Is there a cap?');
    const earlier = [{ question: 'e', answer: 'a' }];
    const prompt = questionPrompt(
      { question: 'q', earlier, repositories: ['r'], more: 1, draft: 'd' },
      createFence('f'),
    );
    const texts = JSON.stringify([instructions('f'), prompt, LAST_STEP, world.server.sent()[0]?.tools]);
    expect([report?.prompts, createHash('sha256').update(texts).digest('hex').slice(0, 12)]).toEqual([
      2,
      'e9f9f8474b40',
    ]);
  });

  test('sends no key to a server that needs none', async () => {
    world.server.script(says('Yes.'));
    await world.ask('Is there a cap?', { settings: { apiKey: undefined } });
    expect(world.server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('gets the earlier questions and answers of the conversation, the newest last', async () => {
    world.server.script(says('The second one.'));
    await world.ask('Which of them is older?', {
      earlier: [
        { text: 'What retries?', answer: `See [retry](${BASE_MARK}${LINK}).` },
        { text: 'A question that was cancelled' },
        { text: 'And what queues?', answer: 'The job queue.' },
      ],
    });
    const text = world.server.textOf(0);
    const places = ['What retries?', `[retry](${LINK})`, 'And what queues?', 'The job queue.', 'Which of them'];
    expect(places.map((place) => text.indexOf(place))).toEqual(
      places.map((place) => text.indexOf(place)).toSorted((a, b) => a - b),
    );
    expect(text).not.toContain('cancelled');
    expect(text.includes(BASE_MARK)).toBe(false);
  });

  test('keeps title and follow-ups of the answer without a model where the model gives none', async () => {
    world.server.script(says('There is a cap.'));
    const { finding } = await world.ask('Is there a cap?');
    expect(finding).toMatchObject({ title: WITHOUT_MODEL.title, followUps: WITHOUT_MODEL.followUps });
  });

  test('names the files that were read as sources where the answer has no links', async () => {
    world.server.script(
      callsTools([{ name: 'read_file', input: { path: 'src/config.ts' } }]),
      says('In the settings.'),
    );
    const { finding } = await world.ask('Where is the cap?');
    expect(finding.sources.map(({ label }) => label)).toEqual(['src/config.ts:1-5', NAME]);
  });

  test('runs several tools in one step, and no more than its limit', async () => {
    const calls = Array.from({ length: 10 }, (_, index) => ({
      name: 'search_text',
      input: { text: `word${index}` },
    }));
    world.server.script(callsTools(calls), says('None of them.'));
    const { report } = await world.ask('Which words are there?');
    const results = world.server.sent()[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results).toHaveLength(10);
    expect(results.filter(({ content }) => content?.startsWith('Not run'))).toHaveLength(2);
    expect(report?.toolCalls).toBe(8);
  });

  test.each([
    ['arguments that are not JSON', { name: 'read_file', input: '{"path": "src/retry.ts"' }, /JSON/i],
    ['arguments of another form', { name: 'read_file', input: { file: 'src/retry.ts' } }, /path/],
    ['arguments that are a list', { name: 'read_file', input: '[1]' }, /object/],
    ['a tool that does not exist', { name: 'run_shell', input: { command: 'id' } }, /run_shell/],
  ])('tells the model about %s, and goes on', async (_what, call, told) => {
    world.server.script(callsTools([call]), says('Then without it.'));
    const { finding, problems } = await world.ask('What is this?');
    expect(finding.answer).toBe('Then without it.');
    expect(world.server.sent()[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringMatching(told),
    });
    expect(problems).toEqual([]);
  });

  test('leaves out parameters that are null or empty, as many models send them', async () => {
    const input = { path: 'src/config.ts', start: '1', end: null, repository: '' };
    world.server.script(callsTools([{ name: 'read_file', input }]), says('Read.'));
    await world.ask('What is in it?');
    expect(world.server.sent()[1]?.messages.at(-1)?.content).toContain('src/config.ts:1-5 of 5 lines');
  });
});
