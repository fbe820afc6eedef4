import { describe, expect, test } from 'vitest';
import { currentBudget } from '../../../src/codesearch/git/budget.ts';
import { eventually } from '../../support/eventually.ts';
import { hangUp, json, type Reply, silence, text } from '../../support/fake-service/scripted-server.ts';
import { useAgentWorld, WITHOUT_MODEL } from '../support/agent-world.ts';
import {
  callsTools,
  cutsOff,
  drips,
  endsWithoutFinish,
  fails,
  failsInStream,
  says,
  saysWithoutTokens,
  stalls,
} from '../support/model-server.ts';
import { createHarbourRepository } from '../support/repository.ts';

const world = useAgentWorld(createHarbourRepository);

const DRIP: Reply = drips('word ', 2);

describe('a model that fails', () => {
  test.each<[string, Reply[], string, string]>([
    ['answers 401', [fails(401)], 'status', 'its server refused the key (HTTP 401)'],
    ['answers 404', [fails(404)], 'status', 'its server refused the request (HTTP 404)'],
    [
      'answers 429 three times',
      [fails(429), fails(429), fails(429)],
      'status',
      'too many requests at the moment (HTTP 429)',
    ],
    ['answers 500 three times', [fails(500), fails(500), fails(500)], 'status', 'its server failed (HTTP 500)'],
    ['answers with a page', [text('<html></html>', 'text/html')], 'badReply', 'a reply that is not understood'],
    ['sends no JSON in its stream', [text('data: {oops\n\n', 'text/event-stream')], 'badReply', 'not understood'],
    ['reports an error in its stream', [failsInStream('overloaded sk-secret-key')], 'badReply', 'not understood'],
    ['is cut off in its answer', [cutsOff('The answer is')], 'cut', 'its reply was cut off'],
    ['ends its stream without an end', [endsWithoutFinish('The answer is')], 'badReply', 'not understood'],
    ['writes nothing, again and again', [says(''), says(''), says('')], 'noAnswer', 'it wrote no answer'],
    ['writes a call of a tool as its answer', [says('{"name": "read_file"}')], 'noAnswer', 'it wrote no answer'],
    ['is held back by a filter', [says('The', { finish: 'content_filter' })], 'filtered', 'held the answer back'],
    ['is redirected to another server', [redirect], 'status', 'redirects to another address'],
  ])('and %s leaves the answer without a model, which says why', async (_what, replies, reason, words) => {
    world.server.script(...replies);
    const { finding, steps, report } = await world.ask('How does the delay grow?');
    expect(finding).toMatchObject({
      title: WITHOUT_MODEL.title,
      sources: WITHOUT_MODEL.sources,
      followUps: WITHOUT_MODEL.followUps,
      focus: WITHOUT_MODEL.focus,
    });
    expect(finding.answer.split('\n\n')[0]).toBe(WITHOUT_MODEL.answer);
    expect(finding.answer).toContain('This answer was written without the model `scripted`: ');
    expect(finding.answer).toContain(words);
    expect(steps.at(-1)).toContain(words);
    expect(report).toMatchObject({ outcome: 'failed', reason });
    expect(world.server.requests).toHaveLength(replies.length);
  });

  test.each([429, 500, 503])('with %s is asked again, and its answer counts', async (status) => {
    world.server.script(fails(status), says('There is a cap.', { tokens: { input: 100, output: 5 } }));
    const { finding, report } = await world.ask('Is there a cap?');
    expect(finding.answer).toBe('There is a cap.');
    expect(report).toMatchObject({ outcome: 'answered', promptTokens: 100, steps: 1 });
  });

  test('because its server closes the connection leaves the answer without a model', async () => {
    world.server.script(hangUp);
    const { finding, report } = await world.ask('Is there a cap?', { settings: { retries: 0 } });
    expect(report).toMatchObject({ outcome: 'failed', reason: 'unreachable', promptTokens: 0, credits: 0 });
    expect(finding.answer).toContain('its server could not be reached');
  });

  test('in a later step has cost what was used until then', async () => {
    world.server.script(
      callsTools([{ name: 'list_files', input: {} }], { tokens: { input: 10_000, output: 100 } }),
      fails(400),
    );
    const { finding } = await world.ask('What is here?');
    expect(finding.answer).toContain(WITHOUT_MODEL.answer);
    expect(finding.modelUse).toMatchObject({ promptTokens: 10_000, completionTokens: 100, credits: 4 });
    expect(finding.toolCalls).toBe(WITHOUT_MODEL.toolCalls + 1);
  });

  test.each<[string, Reply]>([
    ['sends nothing', silence],
    ['stops in its answer', stalls('The answer')],
  ])('because it %s is given up after its time of silence', async (_what, reply) => {
    world.server.script(reply);
    const { finding, report } = await world.ask('Is there a cap?', { settings: { silenceMs: 50 } });
    expect(report).toMatchObject({ outcome: 'failed', reason: 'silent' });
    expect(finding.answer).toContain('nothing came from its server for');
  });

  test('because it writes too slowly is given up after its time', async () => {
    world.server.script(DRIP);
    const { finding, report } = await world.ask('Is there a cap?', { settings: { timeMs: 500, silenceMs: 30_000 } });
    expect(report).toMatchObject({ outcome: 'failed', reason: 'tooSlow' });
    expect(finding.answer).toContain('it took more than');
    expect(report?.completionTokens).toBeGreaterThan(0);
  });

  test('has only the time that the search without it left of the question', async () => {
    world.server.script(DRIP);
    const late = await world.ask('Is there a cap?', { leftMs: 10_400 });
    expect(late.report).toMatchObject({ outcome: 'failed', reason: 'tooSlow' });
    const asked = world.server.requests.length;
    const tooLate = await world.ask('Is there a cap?', { leftMs: 9_000 });
    expect(tooLate.report).toMatchObject({ outcome: 'failed', reason: 'tooSlow', steps: 0, credits: 0 });
    expect(tooLate.finding.answer).toContain('no time was left for it');
    expect(world.server.requests).toHaveLength(asked);
  });

  test('is not told of a failure of the service itself', async () => {
    world.server.script(callsTools([{ name: 'list_files', input: {} }]), says('Never asked for.'));
    const { problems, report } = await world.ask('What is here?', {
      onStep(reasoning) {
        if (reasoning.startsWith('Listing')) throw new Error('ENOSPC: no space left, write /data/conversations');
      },
    });
    expect(world.server.requests).toHaveLength(1);
    expect(report).toMatchObject({ outcome: 'failed' });
    expect(problems).toHaveLength(1);
  });

  test('because it writes without end is given up at the limit of its reply', async () => {
    world.server.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(100_000) } }] })}\n\n`;
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const { report } = await world.ask('Is there a cap?');
    expect(report).toMatchObject({ outcome: 'failed', reason: 'tooLarge' });
  });

  test.each<[string, Reply]>([
    ['reports no tokens', saysWithoutTokens('There is a cap.')],
    ['reports negative tokens', says('There is a cap.', { tokens: { input: -5_000, output: -5_000 } })],
    ['reports no tokens as zero', says('There is a cap.', { tokens: { input: 0, output: 0 } })],
  ])('to count, because it %s, is estimated', async (_what, reply) => {
    world.server.script(reply);
    const { finding } = await world.ask('Is there a cap?');
    expect(finding.modelUse).toMatchObject({ completionTokens: 4, cachedTokens: 0 });
    expect(finding.modelUse?.promptTokens).toBeGreaterThan(1_000);
    expect(finding.modelUse?.credits).toBeGreaterThan(0);
  });

  test('never repeats what its server said, neither in the answer nor in the log', async () => {
    world.server.script(fails(400, 'bad key sk-secret-key'), fails(400));
    const result = await world.ask('Is there a cap?');
    expect(JSON.stringify([result.finding, result.steps, result.reports])).not.toContain('secret');
    expect(result.problems).toEqual([]);
  });
});

describe('a cancelled question', () => {
  test.each<[string, Reply]>([
    ['waits for the model', silence],
    ['reads what the model writes', DRIP],
    ['waits to repeat a request', json({}, 500, { 'retry-after': '30' })],
  ])('ends at once while the service %s', async (_what, reply) => {
    const closed = watchClosing(reply);
    world.server.script(closed.reply);
    const controller = new AbortController();
    const asked = world.ask('Is there a cap?', { signal: controller.signal });
    await world.server.received(1);
    controller.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
    await eventually(() => expect(closed.isClosed()).toBe(true));
    expect(world.server.requests).toHaveLength(1);
  });

  test('ends in a tool, and asks the model nothing more', async () => {
    world.server.script(callsTools([{ name: 'list_files', input: {} }]), says('Never asked for.'));
    const controller = new AbortController();
    const asked = world.ask('Is there a cap?', {
      signal: controller.signal,
      onStep(reasoning) {
        if (!reasoning.startsWith('Listing')) return;
        controller.abort(new Error('cancelled'));
        controller.signal.throwIfAborted();
      },
    });
    await expect(asked).rejects.toThrow('cancelled');
    expect(world.server.requests).toHaveLength(1);
  });

  test('ends the git processes of the tool that runs', async () => {
    world.server.script(
      callsTools([{ name: 'find_passages', input: { question: 'Where?' } }]),
      says('Never asked for.'),
    );
    const controller = new AbortController();
    let endsWith: AbortSignal | undefined;
    const asked = world.ask('Is there a cap?', {
      signal: controller.signal,
      async investigate(question) {
        if (question !== 'Where?') return WITHOUT_MODEL;
        // Every git process ends with the signal of the budget that it starts in.
        endsWith = currentBudget().signal;
        controller.abort(new Error('cancelled'));
        return WITHOUT_MODEL;
      },
    });
    await expect(asked).rejects.toThrow('cancelled');
    expect(endsWith?.aborted).toBe(true);
    expect(world.server.requests).toHaveLength(1);
  });

  test('has cost the request that was under way', async () => {
    world.server.script(DRIP);
    const controller = new AbortController();
    const uses: number[] = [];
    const asked = world.ask('Is there a cap?', {
      signal: controller.signal,
      onUse: (use) => uses.push(use.promptTokens),
    });
    await world.server.received(1);
    controller.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
    expect(uses.at(-1)).toBeGreaterThan(1_000);
  });
});

function redirect(...[response]: Parameters<Reply>): void {
  response.writeHead(307, { location: 'http://127.0.0.1:9/v1/chat/completions' }).end();
}

/** The same reply, and whether its connection is closed. */
function watchClosing(reply: Reply) {
  let closed = false;
  return {
    isClosed: () => closed,
    reply: ((response, request) => {
      response.on('close', () => {
        closed = true;
      });
      reply(response, request);
    }) satisfies Reply,
  };
}
