import { describe, expect, test } from 'vitest';
import { json } from '../../support/fake-service/scripted-server.ts';
import { useAgentWorld, WITHOUT_MODEL } from '../support/agent-world.ts';
import { callsTools, type ReportedTokens, says } from '../support/model-server.ts';
import { createTestRepository } from '../support/repository.ts';

const world = useAgentWorld(() => {
  const long = Array.from({ length: 400 }, (_, index) => `const value${index} = '${'x'.repeat(60)}';`).join('\n');
  const repository = createTestRepository({ 'src/a.ts': 'export const cap = 30_000;\n', 'src/long.ts': `${long}\n` });
  repository.commit('Add files');
  return repository;
});

let count = 0;
/** A search that was not made before. */
const searches = (tokens?: ReportedTokens) => {
  count += 1;
  return callsTools([{ name: 'search_text', input: { text: `word${count}` } }], tokens === undefined ? {} : { tokens });
};

describe('a model that searches without end', () => {
  test('writes its answer in the last of its steps, and the answer says so', async () => {
    world.server.script(searches(), searches(), searches(), says('# Cap\n\nThe cap is 30 s.'));
    const { finding, steps, report } = await world.ask('What is the cap?', { settings: { steps: 5 } });
    expect(finding).toMatchObject({ title: 'Cap' });
    expect(finding.answer).toBe(
      'The cap is 30 s.\n\n_The model ended its search because it had used its 5 steps: something may be missing._',
    );
    expect(steps.at(-1)).toBe('Writing the answer: it had used its 5 steps');
    expect(world.server.sent().map((sent) => sent.tool_choice)).toEqual(['auto', 'auto', 'auto', 'none']);
    expect(world.server.sent()[3]?.messages.at(-1)?.content).toContain('Write the answer now');
    expect(report).toMatchObject({ outcome: 'answered', reason: 'steps', steps: 4 });
  });

  test('over many steps leaves no growing number of listeners', async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error): unknown => warnings.push(message);
    process.on('warning', listen);
    world.server.script(...Array.from({ length: 16 }, () => searches()), says('The cap is 30 s.'));
    const { report } = await world.ask('What is the cap?', { settings: { steps: 20 } });
    expect(report).toMatchObject({ outcome: 'answered', steps: 17 });
    // Node sends warnings in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  test('and calls tools although it may not, is asked once more without tools', async () => {
    world.server.script(searches(), searches(), says('The cap is 30 s.'));
    const { finding, report } = await world.ask('What is the cap?', { settings: { steps: 3 } });
    expect(finding.answer).toContain('The cap is 30 s.');
    expect(world.server.sent()[2]).not.toHaveProperty('tools');
    expect(world.server.sent()[2]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    expect(report).toMatchObject({ outcome: 'answered', reason: 'steps', steps: 3, toolCalls: 1, promptTokens: 300 });
  });

  test('and calls tools to the end leaves the answer without a model', async () => {
    world.server.script(searches(), searches(), searches());
    const { finding, report } = await world.ask('What is the cap?', { settings: { steps: 3 } });
    expect(finding.answer).toContain(WITHOUT_MODEL.answer);
    expect(finding.answer).toContain('it wrote no answer');
    expect(report).toMatchObject({ outcome: 'failed', reason: 'noAnswer', steps: 3, toolCalls: 1 });
  });

  test('has one step only where no more are allowed', async () => {
    world.server.script(searches());
    const { report } = await world.ask('What is the cap?', { settings: { steps: 1 } });
    expect(report).toMatchObject({ outcome: 'failed', reason: 'noAnswer', steps: 1, toolCalls: 0 });
  });

  test('by making the same call again and again writes its answer after a few of them', async () => {
    const same = callsTools([{ name: 'list_files', input: {} }]);
    world.server.script(same, same, same, same, says('There are two files.'));
    const { finding, report } = await world.ask('Which files are there?');
    expect(finding.answer).toContain('it made the same calls again and again');
    expect(report).toMatchObject({ outcome: 'answered', reason: 'repeats', steps: 5, toolCalls: 1 });
    const repeated = world.server
      .sent()
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool');
    expect(repeated?.slice(1).every(({ content }) => content?.startsWith('This was called before'))).toBe(true);
  });

  test('writes its answer when the next two requests would pass the limit of tokens', async () => {
    world.server.script(
      searches({ input: 9_000, output: 100 }),
      says('Cap.', { tokens: { input: 9_500, output: 50 } }),
    );
    const { finding, report } = await world.ask('What is the cap?', { settings: { tokens: 30_000 } });
    expect(finding.answer).toContain('it had nearly used the 30,000 tokens that a question may use');
    expect(report).toMatchObject({ reason: 'tokens', steps: 2, promptTokens: 18_500, completionTokens: 150 });
  });

  test('is asked nothing more when not even the answer fits below the limit of tokens', async () => {
    world.server.script(searches({ input: 29_500, output: 400 }));
    const { finding, report } = await world.ask('What is the cap?', { settings: { tokens: 30_000 } });
    expect(finding.answer).toContain('the question needs more than one question may use');
    expect(report).toMatchObject({ outcome: 'failed', reason: 'limit', steps: 1 });
    expect(world.server.requests).toHaveLength(1);
  });

  test('may write only what the limit of tokens leaves', async () => {
    world.server.script(says('Cap.'));
    await world.ask('What is the cap?', { settings: { tokens: 5_000 } });
    const [sent] = world.server.sent();
    expect(sent?.max_tokens).toBeLessThan(5_000);
    expect(sent?.max_tokens).toBeGreaterThan(500);
  });

  test('writes its answer when the next two requests would pass the limit of cost', async () => {
    const prices = { input: 100, cached: 10, output: 100 };
    world.server.script(
      searches({ input: 5_000, output: 100 }),
      says('Cap.', { tokens: { input: 5_500, output: 50 } }),
    );
    const { finding, report } = await world.ask('What is the cap?', { settings: { cost: 1.5, prices } });
    expect(finding.answer).toContain('it had nearly cost the 1.5 dollars that a question may cost');
    expect(report).toMatchObject({ reason: 'cost', steps: 2, credits: 107 });
  });

  test('is not asked at all when the question alone costs too much', async () => {
    const { finding, report } = await world.ask('What is the cap?', {
      settings: { cost: 0.01, prices: { input: 100, cached: 100, output: 100 } },
    });
    expect(finding.answer).toContain('the question needs more than one question may use');
    expect(report).toMatchObject({ outcome: 'failed', reason: 'limit', steps: 0, credits: 0 });
    expect(world.server.requests).toHaveLength(0);
  });

  test('writes its answer when most of its time has passed', async () => {
    let nowMs = 0;
    world.server.script(searches(), says('Cap.'));
    const { finding, report } = await world.ask('What is the cap?', {
      settings: { timeMs: 60_000 },
      clock: () => nowMs,
      onStep: (reasoning) => {
        if (reasoning.startsWith('Searching')) nowMs = 45_000;
      },
    });
    expect(finding.answer).toContain('most of its 60 seconds had passed');
    expect(report).toMatchObject({ reason: 'time', steps: 2, durationMs: 45_000 });
  });

  test('writes its answer when its context is full, and gets only what fits into it', async () => {
    const read = { name: 'read_file', input: { path: 'src/long.ts', end: 400 } };
    world.server.script(callsTools([read], { tokens: { input: 2_500, output: 20 } }), says('Cap.'));
    const { finding, report } = await world.ask('What is the cap?', { settings: { contextTokens: 8_000 } });
    expect(finding.answer).toContain('it could hold no more text');
    expect(report).toMatchObject({ reason: 'context', steps: 2 });
    const result = world.server.sent()[1]?.messages.find(({ role }) => role === 'tool')?.content ?? '';
    expect(result).toContain('… cut here');
    expect(result.length).toBeLessThanOrEqual(16_200);
  });
});

describe('output that reaches its limit', () => {
  test('at a server that does not keep to it is ended', async () => {
    world.server.script(says('word '.repeat(8_000)));
    const { report } = await world.ask('What is the cap?', { settings: { tokens: 4_000 } });
    expect(report).toMatchObject({ outcome: 'failed', reason: 'tooLarge', steps: 1 });
    expect(report?.completionTokens).toBeLessThan(5_000);
  });

  test('is sent under its new name to a server that refuses the old one', async () => {
    const refusal = { error: { message: 'Unsupported parameter', param: 'max_tokens', code: 'unsupported_parameter' } };
    world.server.script(json(refusal, 400), searches(), says('The cap is 30 s.'));
    const { finding, report } = await world.ask('What is the cap?');
    expect(finding.answer).toBe('The cap is 30 s.');
    expect(report?.steps).toBe(2);
    const names = world.server.sent().map((sent) => Object.keys(sent).filter((name) => name.startsWith('max_')));
    expect(names).toEqual([['max_tokens'], ['max_completion_tokens'], ['max_completion_tokens']]);
  });

  test('in the answer is shown, and the answer says that it is cut', async () => {
    world.server.script(says('The cap is', { finish: 'length' }));
    const { finding } = await world.ask('What is the cap?');
    expect(finding.answer).toBe('The cap is\n\n_The answer is cut here: it reached its greatest length._');
  });

  test('in a call of a tool is left out, and the next step is the last', async () => {
    const half = callsTools([{ name: 'read_file', input: '{"path": "src/a' }], { finish: 'length' });
    world.server.script(half, says('The cap is 30 s.'));
    const { finding } = await world.ask('What is the cap?');
    expect(finding.answer).toBe('The cap is 30 s.');
    expect(world.server.sent()[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(world.server.sent()[1]?.tool_choice).toBe('none');
  });

  test('in what the model thinks leaves one more step for the answer', async () => {
    world.server.script(says('', { finish: 'length' }), says('The cap is 30 s.'));
    const { finding } = await world.ask('What is the cap?');
    expect(finding.answer).toBe('The cap is 30 s.');
  });
});
