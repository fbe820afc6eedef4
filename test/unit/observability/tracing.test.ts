import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Span } from '../../../src/core/tracing.ts';
import { startTracing, type Tracing } from '../../../src/observability/tracing.ts';
import { eventually } from '../../support/eventually.ts';
import { one } from '../../support/one.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const questionId = 'q0123456789abcdef01234567';
const longMs = 60_000;

let collector: OtlpReceiver;
let tracing: Tracing;
let recorded: ReturnType<typeof createRecordingLog>;

function start(endpoint = collector.url): void {
  recorded = createRecordingLog();
  tracing = startTracing({ endpoint, version: '1.2.3', scheduler: 'timers', log: recorded.log });
}

beforeEach(async () => {
  collector = await startOtlpReceiver();
  start();
});
afterEach(async () => {
  await tracing.stop(0);
  await collector.stop();
});

async function received(): Promise<ReceivedSpan[]> {
  await tracing.stop(longMs);
  return collector.spans;
}

const contextIn = async (span: Span): Promise<string> => span.context ?? 'none';

describe('tracing', () => {
  it('sends a trace of a step with its requests, as OTLP with protobuf', async () => {
    const step = { name: 'advance', questionId, fields: { phase: 'running', teamId: 'T1' } } as const;
    await tracing.tracer.step(step, async (span) => {
      tracing.tracer.event('watch');
      const request = { method: 'GET', origin: 'https://code.example', path: '/.api/deepsearch/v1/{id}' };
      await tracing.tracer.request(request, async (inner) => inner.note({ status: 200 }));
      await tracing.tracer.request({ method: 'POST', origin: 'http://127.0.0.1:8080' }, async () => {});
      span.note({ nextRunMs: 250 });
    });
    const spans = await received();
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
    const [read, post, advance] = spans;
    expect(advance).toMatchObject({
      name: 'advance question',
      kind: 'consumer',
      parentSpanId: '',
      events: ['watch'],
      isError: false,
      attributes: {
        'messaging.system.name': 'timers',
        'messaging.operation.name': 'advance',
        'messaging.operation.type': 'process',
        'messaging.message.id': questionId,
        'slack.team.id': 'T1',
        'deepsearch_slack.question.phase': 'running',
        'deepsearch_slack.next_run_ms': 250,
      },
      resource: { 'service.name': 'deepsearch-slack', 'service.version': '1.2.3', 'telemetry.sdk.language': 'nodejs' },
    });
    expect(advance?.resource['service.instance.id']).toMatch(/^[0-9a-f-]{36}$/);
    const parentSpanId = advance?.spanId;
    const traceId = advance?.traceId;
    expect(read).toMatchObject({ traceId, parentSpanId, kind: 'client', name: 'GET /.api/deepsearch/v1/{id}' });
    expect(read?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': 'code.example',
      'server.port': 443,
      'url.full': 'https://code.example/.api/deepsearch/v1/{id}',
      'url.template': '/.api/deepsearch/v1/{id}',
    });
    expect(post).toMatchObject({ traceId, parentSpanId, name: 'POST' });
    expect(post?.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': 8080,
      'url.full': 'http://127.0.0.1:8080/REDACTED',
    });
  });

  it('continues a stored trace, and links to the trace of a repeated delivery', async () => {
    const stored = await tracing.tracer.step({ name: 'accept', questionId }, contextIn);
    expect(stored).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await tracing.tracer.step({ name: 'advance', questionId, parent: stored }, async () => {});
    await tracing.tracer.step({ name: 'accept', questionId }, async (span) => {
      span.note({ outcome: 'duplicate' });
      span.link(stored);
    });
    const [accepted, advanced, again] = await received();
    expect(advanced).toMatchObject({ traceId: accepted?.traceId, parentSpanId: accepted?.spanId });
    expect(again?.traceId).not.toBe(accepted?.traceId);
    expect(again?.links).toEqual([{ traceId: accepted?.traceId, spanId: accepted?.spanId }]);
  });

  it('begins a new trace after a text that is no context', async () => {
    for (const parent of ['', 'none', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, `01-${'a'.repeat(32)}-b-01`]) {
      await tracing.tracer.step({ name: 'advance', questionId, parent }, async () => {});
    }
    const spans = await received();
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(['', '', '', '']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(4);
  });

  it('sends nothing of a trace that was not sampled when it began', async () => {
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    const context = await tracing.tracer.step({ name: 'advance', questionId, parent }, contextIn);
    expect(context).toMatch(new RegExp(`^00-${'a'.repeat(32)}-[0-9a-f]{16}-00$`));
    expect(await received()).toEqual([]);
  });

  it('sends no request outside of a step', async () => {
    const request = { method: 'GET', origin: 'https://slack.example', path: '/api/users.list' };
    expect(await tracing.tracer.request(request, contextIn)).toBe('none');
    tracing.tracer.event('nothing');
    expect(tracing.traceId()).toBeUndefined();
    expect(await received()).toEqual([]);
  });

  it.each([
    [new AppError('refused', 'the secret', { code: 'channel_not_found' }), { 'error.type': 'channel_not_found' }],
    [
      new AppError('unavailable', 'the secret', { code: 503 }),
      { 'error.type': '503', 'http.response.status_code': 503 },
    ],
    [new AppError('badReply', 'the secret'), { 'error.type': 'badReply' }],
    [new Error('the secret'), { 'error.type': '_OTHER' }],
  ])('notes the kind of %s, throws it, and does not quote it', async (error, attributes) => {
    const step = tracing.tracer.step({ name: 'advance', questionId }, async () => {
      throw error;
    });
    await expect(step).rejects.toBe(error);
    expect(one(await received())).toMatchObject({ isError: true, attributes });
    expect(collector.requests.map(({ text }) => text).join()).not.toContain('secret');
  });

  it('counts a reply with a status of an error as an error of the request', async () => {
    const request = { method: 'GET', origin: 'https://code.example', path: '/' };
    await tracing.tracer.step({ name: 'advance', questionId }, () =>
      tracing.tracer.request(request, async (span) => span.note({ status: 404 })),
    );
    const [read, advance] = await received();
    expect(read).toMatchObject({ isError: true, attributes: { 'error.type': '404' } });
    expect(advance?.isError).toBe(false);
  });

  it('names the trace of a step to the log, also after a wait', async () => {
    const context = await tracing.tracer.step({ name: 'advance', questionId }, async (span) => {
      await new Promise((resolve) => setImmediate(resolve));
      return `${tracing.traceId()} ${span.context}`;
    });
    const [traceId, traceparent] = context.split(' ');
    expect(traceparent).toContain(`-${traceId}-`);
    expect(tracing.traceId()).toBeUndefined();
  });
});

describe('a collector that fails', () => {
  const advanceOften = async (count: number): Promise<void> => {
    for (let run = 0; run < count; run += 1) await tracing.tracer.step({ name: 'advance', questionId }, async () => {});
  };

  it('holds no step and no stop of the app if it never replies', async () => {
    collector.reply('hangs');
    // More than the queue of the SDK holds.
    await advanceOften(5_000);
    await tracing.stop(50);
    expect(collector.spans).toEqual([]);
    // The exporter goes on with its batches. It must end before another test's server gets the collector's port.
    collector.reply(400);
    await tracing.stop(longMs);
  });

  it('is logged once when traces are lost, and once when they arrive again', async () => {
    collector.reply(400);
    const batch = 512;
    await advanceOften(batch);
    const lines = () => recorded.lines.filter(({ event }) => event === 'traces.export');
    await eventually(() => expect(lines()).toHaveLength(1));
    await advanceOften(batch);
    await eventually(() => expect(collector.requests).toHaveLength(2));
    collector.reply('takes');
    await advanceOften(batch);
    await received();
    expect(lines()).toMatchObject([{ outcome: 'lost', code: '400' }, { outcome: 'back' }]);
    expect(collector.spans).toHaveLength(batch);
  });

  it('delays nothing if it is not there', async () => {
    // No test listens at the port of the discard protocol (RFC 863).
    await tracing.stop(0);
    start('http://127.0.0.1:9');
    await advanceOften(1);
    await tracing.stop(50);
  });
});
