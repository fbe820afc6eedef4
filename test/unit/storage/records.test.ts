import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Outcome,
  type Question,
  questionType,
  type Thread,
  threadType,
} from '../../../src/core/question/question.ts';
import { refusedTextType } from '../../../src/core/question/refused-text.ts';

const KEY = 'ds:question:q1';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const timeMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
const count = fc.nat();
const conversationId = fc.oneof(count, text);

const failure = fc.record(
  {
    cause: fc.constantFrom(
      'service',
      'tooLong',
      'unauthorized',
      'unreachable',
      'limited',
      'gone',
      'refused',
      'internal',
    ),
    title: text,
    message: text,
  },
  { requiredKeys: ['cause'] },
);

const answer = fc.record(
  {
    title: text,
    markdown: text,
    sources: fc.array(fc.record({ url: text, label: text, repository: text }, { requiredKeys: ['url', 'label'] })),
    followUps: fc.array(text),
    durationMs: count,
    steps: count,
    credits: fc.double({ min: 0, max: 1e6, noNaN: true }).filter((credits) => !Object.is(credits, -0)),
    quota: fc.record({ used: count, limit: count, resetAtMs: timeMs }, { requiredKeys: ['used', 'limit'] }),
    citedOnly: fc.constant(true),
    stopped: failure,
  },
  { requiredKeys: ['title', 'markdown', 'sources', 'followUps', 'durationMs'] },
);

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant('answered'), answer }),
  fc.record({ kind: fc.constant('failed'), failure }),
  fc.record({ kind: fc.constantFrom('cancelled', 'gaveUp') }),
  fc.record({ kind: fc.constant('undeliverable'), canInvite: fc.boolean() }),
);

const question: fc.Arbitrary<Question> = fc.record(
  {
    version: fc.constant(1),
    id: text,
    place: fc.record({ teamId: text, channelId: text, threadTs: text }, { requiredKeys: ['teamId', 'channelId'] }),
    askerId: text,
    text,
    origin: fc.constantFrom('command', 'mention', 'reply', 'direct', 'followUp', 'retry'),
    beginsThread: fc.boolean(),
    fresh: fc.boolean(),
    acceptedMs: timeMs,
    phase: fc.constantFrom('waiting', 'running', 'parked', 'delivering', 'closed'),
    responseUrl: text,
    card: fc.record(
      { intentMs: timeMs, ts: text, shown: text, editedMs: timeMs, gone: fc.boolean() },
      { requiredKeys: [] },
    ),
    upstream: fc.record(
      {
        firstTriedMs: timeMs,
        intentMs: timeMs,
        intentConversationId: conversationId,
        conversationId,
        questionId: count,
        ordinal: count,
        askedMs: timeMs,
        watchedFromMs: timeMs,
        shareUrl: text,
        conversationLost: fc.boolean(),
        steps: count,
        lastStep: text,
        cancelSentMs: timeMs,
        earlierAttempts: fc.array(
          fc.record({ conversationId, questionId: count, ordinal: count }, { requiredKeys: ['conversationId'] }),
        ),
      },
      { requiredKeys: ['steps'] },
    ),
    trouble: fc.record({
      kind: fc.constantFrom('unreachable', 'limited', 'internal'),
      failures: count,
      sinceMs: timeMs,
      notBeforeMs: timeMs,
    }),
    parkedUntilMs: timeMs,
    cancel: fc.record({ byUserId: text, atMs: timeMs }),
    outcome,
    endedMs: timeMs,
    delivery: fc.record(
      { round: count, intentMs: timeMs, posted: fc.array(text), refused: fc.boolean() },
      { requiredKeys: ['round', 'posted'] },
    ),
  },
  {
    requiredKeys: [
      'version',
      'id',
      'place',
      'askerId',
      'text',
      'origin',
      'beginsThread',
      'fresh',
      'acceptedMs',
      'phase',
      'card',
      'upstream',
      'delivery',
    ],
  },
);

const thread: fc.Arbitrary<Thread> = fc.record(
  {
    version: fc.constant(1),
    teamId: text,
    channelId: text,
    threadTs: text,
    followsReplies: fc.boolean(),
    conversationId,
    ownConversations: fc.array(fc.record({ userId: text, conversationId })),
    queue: fc.array(text),
  },
  { requiredKeys: ['version', 'teamId', 'channelId', 'threadTs', 'followsReplies', 'queue'] },
);

describe('records', () => {
  it('are read from their text as they were written', () => {
    fc.assert(
      fc.property(question, (record) => {
        expect(questionType.format.decode(KEY, questionType.format.encode(KEY, record))).toEqual(record);
      }),
    );
    fc.assert(
      fc.property(thread, (record) => {
        expect(threadType.format.decode(KEY, threadType.format.encode(KEY, record))).toEqual(record);
      }),
    );
  });

  it('name a conversation by a number where its id is one', () => {
    const known: Thread = {
      version: 1,
      teamId: 'T1',
      channelId: 'C1',
      threadTs: '1.1',
      followsReplies: true,
      conversationId: 140,
      queue: [],
    };
    expect(threadType.format.encode(KEY, known)).toContain('"conversationId":140');
    expect(threadType.format.encode(KEY, { ...known, conversationId: 'abc' })).toContain('"conversationId":"abc"');
  });

  it('of refused questions last an hour, as docs/operations.md says', () => {
    expect(refusedTextType.ttlMs).toBe(60 * 60 * 1_000);
  });

  it('are reported as corrupt by their key, with any other JSON in their place', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(() => questionType.format.decode(KEY, json)).toThrow(
          expect.objectContaining({ kind: 'corrupt', message: expect.stringContaining(KEY) }),
        );
      }),
    );
  });

  it('are reported as corrupt without the texts of people', () => {
    for (const damaged of [
      'a secret question',
      '{"text":"a secret question"',
      '{"version":1,"text":["a secret question"]}',
    ]) {
      expect(() => questionType.format.decode(KEY, damaged)).toThrow(
        expect.objectContaining({ kind: 'corrupt', message: expect.not.stringContaining('secret') }),
      );
    }
  });

  it('are reported as corrupt when one field is missing or of another type', () => {
    fc.assert(
      fc.property(
        question,
        fc.constantFrom('version', 'id', 'place', 'text', 'phase', 'card', 'delivery'),
        (record, field) => {
          const { [field]: _, ...rest } = record;
          expect(() => questionType.format.decode(KEY, JSON.stringify(rest))).toThrow(
            expect.objectContaining({ kind: 'corrupt' }),
          );
          expect(() => questionType.format.decode(KEY, JSON.stringify({ ...rest, [field]: null }))).toThrow(
            expect.objectContaining({ kind: 'corrupt', message: expect.stringContaining(field) }),
          );
        },
      ),
    );
  });
});
