import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  sources: (count: number) => f.count(count, { one: 'source', other: 'sources' }),
  cited: (count: number) => f.count(count, { one: 'cited source', other: 'cited sources' }),
  followUps: (count: number) => f.count(count, { one: 'follow-up', other: 'follow-ups' }),
});

const de = (f: Formats): ReturnType<typeof en> => ({
  sources: (count) => f.count(count, { one: 'Quelle', other: 'Quellen' }),
  cited: (count) => f.count(count, { one: 'zitierte Quelle', other: 'zitierte Quellen' }),
  followUps: (count) => f.count(count, { one: 'Folgefrage', other: 'Folgefragen' }),
});

/** Previews of share links. */
export const previewStrings = { en, de };
