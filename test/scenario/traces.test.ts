import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const lineSchema = z.looseObject({
  event: z.string().optional(),
  questionId: z.string().optional(),
  traceId: z.string().optional(),
});

let collector: OtlpReceiver;
const { world, service, beginWorld, endWorld } = worldOfEachTest();
let lines: string[];

beforeEach(async () => {
  collector = await startOtlpReceiver();
  lines = [];
  await beginWorld({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, LOG_LEVEL: 'info' },
    onLogLine: (line) => void lines.push(line),
  });
});
afterEach(async () => {
  await endWorld();
  await collector.stop();
});

const words = 'Where is the pelican counted?';

async function ask(): Promise<string> {
  const ts = await world.mention(words);
  await eventually(() => one(service.find(words)));
  return ts;
}

async function answered(ts: string): Promise<void> {
  service.answer(one(service.find(words)));
  await world.answered(ts);
  await eventually(() => expect(lines.join('')).toContain('question_closed'));
}

/** The spans of the only question. */
function spansOfQuestion(): { accepted: ReceivedSpan; spans: ReceivedSpan[] } {
  const accepted = one(collector.spans.filter(({ name }) => name === 'accept question'));
  return { accepted, spans: collector.spans.filter(({ traceId }) => traceId === accepted.traceId) };
}

describe('with a collector', () => {
  test('a question is one trace: its acceptance, each run, and each call of Slack and of the service', async () => {
    const ts = await ask();
    await answered(ts);
    await world.stopApp();
    const { accepted, spans } = spansOfQuestion();
    expect(collector.spans).toEqual(spans);
    expect(accepted).toMatchObject({
      parentSpanId: '',
      kind: 'consumer',
      isError: false,
      attributes: {
        'messaging.system.name': 'slack',
        'messaging.operation.name': 'accept',
        'deepsearch_slack.outcome': 'accepted',
        'deepsearch_slack.question.origin': 'mention',
        'slack.team.id': team.id,
        'slack.channel.id': 'C0GENERAL',
      },
    });
    const runs = spans.filter(({ name }) => name === 'advance question');
    expect(runs.length).toBeGreaterThan(1);
    expect(new Set(runs.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([accepted.spanId]));
    expect(runs.flatMap(({ events }) => events)).toEqual(expect.arrayContaining(['admit', 'announce', 'ask', 'post']));
    const calls = spans.filter(({ kind }) => kind === 'client');
    const { pathname } = new URL(world.slack.url);
    expect(calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        `POST ${pathname}chat.postMessage`,
        `POST ${pathname}chat.update`,
        'POST /.api/deepsearch/v1',
        'GET /.api/deepsearch/v1/{id}',
      ]),
    );
    const runIds = new Set(runs.map(({ spanId }) => spanId));
    expect(calls.filter(({ parentSpanId }) => !runIds.has(parentSpanId))).toEqual([]);
  });

  test('the service gets the trace of each request, and Slack does not', async () => {
    await answered(await ask());
    await world.stopApp();
    const { spans } = spansOfQuestion();
    const ofService = spans.filter(({ name }) => name.includes('/.api/deepsearch/v1'));
    expect(service.traceparents.toSorted()).toEqual(
      ofService.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).toSorted(),
    );
    expect(world.slack.traceparents).toEqual([]);
  });

  test('the trace goes on after a restart, and the log lines of the question name it', async () => {
    const ts = await ask();
    await world.restart();
    await answered(ts);
    await world.stopApp();
    const { accepted, spans } = spansOfQuestion();
    expect(collector.spans).toEqual(spans);
    const id = accepted.attributes['messaging.message.id'];
    const ofQuestion = lines
      .map((line) => lineSchema.parse(JSON.parse(line)))
      .filter(({ questionId }) => questionId === id);
    expect(ofQuestion.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['question_received', 'question_closed']),
    );
    expect(new Set(ofQuestion.map(({ traceId }) => traceId))).toEqual(new Set([accepted.traceId]));
  });

  test('traces have no text, no token, no name and no id of a person', async () => {
    await answered(await ask());
    await world.command('what about it?');
    service.answer(await eventually(() => one(service.find('what about it?'))));
    await eventually(() => expect(lines.filter((line) => line.includes('question_closed'))).toHaveLength(2));
    await world.stopApp();
    const sent = collector.requests.map(({ text }) => text).join();
    expect(sent).toContain('accept question');
    for (const secret of ['pelican', 'what about', 'The answer to', team.botToken, serviceToken, people.ada, 'Ada']) {
      expect(sent).not.toContain(secret);
    }
    expect(sent).not.toMatch(/xox[a-z]-|sgp_/);
  });

  test('the address of an upload is a secret, and so is its path', async () => {
    const ts = await ask();
    service.answer(one(service.find(words)), { answer: 'A paragraph of the answer.\n\n'.repeat(2_500) });
    await eventually(() => expect(world.answersIn(ts).length).toBeGreaterThan(1));
    await eventually(() => expect(lines.join('')).toContain('question_closed'));
    await world.stopApp();
    const { origin } = new URL(world.slack.url);
    const upload = one(spansOfQuestion().spans.filter(({ name }) => name === 'POST'));
    expect(upload.attributes).toMatchObject({ 'url.full': `${origin}/REDACTED`, 'http.response.status_code': 200 });
    expect(collector.requests.map(({ text }) => text).join()).not.toContain('/upload/');
  });

  test('a collector that never replies delays no question and no stop', async () => {
    collector.reply('hangs');
    await answered(await ask());
    await world.stopApp();
    expect(collector.spans).toEqual([]);
  });
});
