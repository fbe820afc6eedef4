import { z } from 'zod';

export const quotaSchema = z.looseObject({
  used: z.number(),
  limit: z.number(),
  resetAtMs: z.number().exactOptional(),
});

export const sourceSchema = z.looseObject({
  url: z.string(),
  label: z.string(),
  repository: z.string().exactOptional(),
});

const failureSchema = z.looseObject({
  cause: z.enum([
    'service',
    'tooLong',
    'unauthorized',
    'accountRefused',
    'unreachable',
    'signInPage',
    'answerTooLong',
    'limited',
    'gone',
    'refused',
    'threadUnread',
    'internal',
  ]),
  mayBeAsked: z.literal(true).exactOptional(),
  title: z.string().exactOptional(),
  message: z.string().exactOptional(),
});

const answerSchema = z.looseObject({
  title: z.string(),
  markdown: z.string(),
  sources: z.array(sourceSchema),
  citedOnly: z.literal(true).exactOptional(),
  hasMore: z.literal(true).exactOptional(),
  followUps: z.array(z.string()),
  durationMs: z.number(),
  steps: z.number().exactOptional(),
  credits: z.number().exactOptional(),
  quota: quotaSchema.exactOptional(),
  stopped: failureSchema.exactOptional(),
});

/** How a question ended. Loose like every record: an older process keeps fields that a newer one added. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('answered'), answer: answerSchema }),
  z.looseObject({ kind: z.literal('failed'), failure: failureSchema }),
  z.looseObject({ kind: z.literal('cancelled') }),
  z.looseObject({ kind: z.literal('gaveUp') }),
  z.looseObject({
    kind: z.literal('undeliverable'),
    canInvite: z.boolean(),
    threadGone: z.literal(true).exactOptional(),
  }),
  z.looseObject({
    kind: z.literal('notAllowed'),
    reason: z.enum([
      'guest',
      'outsider',
      'unknownPerson',
      'unknownChannel',
      'channelTooLarge',
      'sharedChannel',
      'guestsInChannel',
      'channelRefused',
      'personCap',
      'channelCap',
      'notConnected',
      'tooManyWaiting',
      'noKeys',
      'channelOff',
      'repositoryRefused',
      'repositoryUnknown',
    ]),
    unknown: z.looseObject({ name: z.string(), total: z.number() }).exactOptional(),
  }),
]);
