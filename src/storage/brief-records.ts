import { z } from 'zod';
import type { Diary } from '../core/diary.ts';
import type { RefusedText } from '../core/refused-text.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { DAY_MS, type Shelf } from './records.ts';

/** How long a refused question's words are kept for the button that asks them in the direct messages. */
const REFUSED_TEXT_TTL_MS = DAY_MS / 24;
/** How long it can be told what was done with a message. */
const DIARY_TTL_MS = DAY_MS;

const refusedTextSchema = z.looseObject({ version: z.literal(1), text: z.string() });

const diarySchema = z.looseObject({
  version: z.literal(1),
  entries: z.array(
    z.looseObject({
      ts: z.string(),
      threadTs: z.string().exactOptional(),
      userId: z.string(),
      atMs: z.number(),
      fate: z.enum([
        'asked',
        'cancelled',
        'obeyed',
        'duplicate',
        'addressesAnother',
        'muted',
        'peoplesThread',
        'fromBot',
        'edited',
        'noText',
        'tooLong',
        'lineFull',
        'notTaken',
      ]),
      questionId: z.string().exactOptional(),
    }),
  ),
});

export const refusedTextShelf: Shelf<RefusedText> = {
  key: (questionId) => `ds:refused-text:${questionId}`,
  ttlMs: REFUSED_TEXT_TTL_MS,
  format: createFormat<RefusedText>(refusedTextSchema satisfies Exactly<typeof refusedTextSchema, RefusedText>),
};

export const diaryShelf: Shelf<Diary> = {
  key: (channel) => `ds:diary:${channel}`,
  ttlMs: DIARY_TTL_MS,
  format: createFormat<Diary>(diarySchema satisfies Exactly<typeof diarySchema, Diary>),
};
