import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACTIONS,
  buttonValue,
  cardMarker,
  FOLLOW_UP_PATTERN,
  followUpAction,
  hasMarker,
  METADATA_EVENT_TYPE,
  markerBlockId,
  markerMetadata,
  markerOf,
  parseButtonValue,
  partMarker,
} from '../../../src/render/ids.ts';
import { exampleQuestion, QUESTION_ID } from './example.ts';

describe('the values of buttons', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^q[0-9a-f]{24}$/),
        fc.option(fc.nat(99), { nil: undefined }),
        (questionId, index) => {
          const value = index === undefined ? { questionId } : { questionId, index };
          expect(parseButtonValue(buttonValue(value))).toEqual(value);
        },
      ),
    );
  });

  it('carry the question of a command, whatever its words', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\w.]{1,60}$/),
        fc.string({ minLength: 1, maxLength: 1_900 }),
        (triggerId, text) => {
          const value = { questionId: QUESTION_ID, command: { triggerId, text } };
          expect(parseButtonValue(buttonValue(value))).toEqual(value);
        },
      ),
    );
  });

  it('carry what is chosen from the menu under an answer', () => {
    for (const value of [
      { questionId: QUESTION_ID, index: 2, choice: 'edit' },
      { questionId: QUESTION_ID, choice: 'mute' },
      { questionId: QUESTION_ID, message: { channelId: 'C1', ts: '1700000000.000100' } },
      {
        questionId: QUESTION_ID,
        message: { channelId: 'D0A1', ts: '1700000000.000100', threadTs: '1700000000.000001' },
      },
    ] as const)
      expect(parseButtonValue(buttonValue(value))).toEqual(value);
  });

  it.each([
    `${QUESTION_ID}.1:mute`,
    `${QUESTION_ID}:edit`,
    undefined,
    null,
    7,
    '',
    'q123',
    `${QUESTION_ID} `,
    `${QUESTION_ID}\n`,
    `x${QUESTION_ID}`,
    QUESTION_ID.toUpperCase(),
    `${QUESTION_ID}.`,
    `${QUESTION_ID}.-1`,
    `${QUESTION_ID}.01`,
    `${QUESTION_ID}.100`,
    `${QUESTION_ID}.1.2`,
    '{"questionId":"x"}',
    `${QUESTION_ID}=1.2.3`,
    `${QUESTION_ID}=1.2.3 `,
    `${QUESTION_ID}= x`,
    `${QUESTION_ID}=1.2.3 ${'x'.repeat(2_001)}`,
  ])('are refused where the app did not write them: %j', (raw) => {
    expect(parseButtonValue(raw)).toBeUndefined();
  });
});

describe('action ids', () => {
  it('are all different, including those of follow-ups', () => {
    const ids = [...Object.values(ACTIONS), followUpAction(0), followUpAction(1), followUpAction(2)];
    expect(new Set(ids).size).toBe(ids.length);
    expect(followUpAction(2)).toMatch(FOLLOW_UP_PATTERN);
    expect(ACTIONS.followUp).not.toMatch(FOLLOW_UP_PATTERN);
  });
});

describe('markers', () => {
  const question = exampleQuestion();
  const card = cardMarker(question);

  it('are found in a block id with any revision, and in metadata', () => {
    expect(hasMarker({ blocks: [{}, { block_id: markerBlockId(card, 'one') }] }, card)).toBe(true);
    expect(hasMarker({ blocks: [{ block_id: card }] }, card)).toBe(true);
    expect(hasMarker({ metadata: markerMetadata(question, card) }, card)).toBe(true);
  });

  it('change their revision with the content', () => {
    expect(markerBlockId(card, 'one')).not.toBe(markerBlockId(card, 'two'));
    expect(markerBlockId(card, 'one')).toBe(markerBlockId(card, 'one'));
  });

  it('are not mistaken for each other', () => {
    const first = { blocks: [{ block_id: markerBlockId(partMarker(question, 1), 'x') }] };
    expect(hasMarker(first, partMarker(question, 1))).toBe(true);
    expect(hasMarker(first, partMarker(question, 10))).toBe(false);
    expect(hasMarker(first, card)).toBe(false);
    expect(hasMarker(first, partMarker(exampleQuestion({ delivery: { round: 1, posted: [] } }), 1))).toBe(false);
    expect(
      hasMarker({ blocks: [{ block_id: markerBlockId(partMarker(question, 10), 'x') }] }, partMarker(question, 1)),
    ).toBe(false);
  });

  it('of other apps and other events are ignored', () => {
    expect(hasMarker({}, card)).toBe(false);
    expect(hasMarker({ metadata: { event_type: 'other', event_payload: { marker: card } } }, card)).toBe(false);
    expect(hasMarker({ metadata: {} }, card)).toBe(false);
  });
});

describe('the marker of a message about a question', () => {
  const id = 'q0123456789abcdef01234567';
  const question = { id };
  const card = `ds:${id}:card`;
  const metadata = (marker: unknown, event_type = METADATA_EVENT_TYPE) => ({
    event_type,
    event_payload: { question_id: id, marker },
  });

  it.each<[string, Parameters<typeof markerOf>[0], string | undefined]>([
    ['in its metadata', { metadata: metadata(card) }, card],
    ['in a block id, with a revision', { blocks: [{}, { block_id: `${card}:1x2y` }] }, card],
    ['in a block id, without a revision', { blocks: [{ block_id: `ds:${id}:0:12` }] }, `ds:${id}:0:12`],
    ['in its metadata before its blocks', { metadata: metadata(card), blocks: [{ block_id: `ds:${id}:0:1` }] }, card],
    ['nowhere', { blocks: [{ block_id: 'other' }, {}] }, undefined],
    ['of another question in its metadata', { metadata: metadata('ds:q76543210fedcba9876543210:card') }, undefined],
    ['of another question in a block id', { blocks: [{ block_id: 'ds:q76543210fedcba9876543210:card' }] }, undefined],
    ['of another kind of metadata', { metadata: metadata(card, 'other') }, undefined],
    ['that is no text', { metadata: metadata(7) }, undefined],
    ['in metadata without a marker', { metadata: { event_type: METADATA_EVENT_TYPE, event_payload: {} } }, undefined],
    ['that only begins like one', { blocks: [{ block_id: `${card}s` }, { block_id: `ds:${id}:0:` }] }, undefined],
    ['not at the beginning of a block id', { blocks: [{ block_id: `x${card}` }] }, undefined],
    ['without metadata and blocks', {}, undefined],
  ])('is found where it stands: %s', (_where, message, expected) => {
    expect(markerOf(message, question)).toBe(expected);
  });
});
