import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  untitled: () => 'Answer',
  question: () => 'Question',
  answeredAt: (when: string) => `Answered ${when}`,
  sources: (count: number) => `Sources (${f.number(count)})`,
  cited: (count: number) => `Cited sources (${f.number(count)})`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  untitled: () => 'Antwort',
  question: () => 'Frage',
  answeredAt: (when) => `Beantwortet ${when}`,
  sources: (count) => `Quellen (${f.number(count)})`,
  cited: (count) => `Zitierte Quellen (${f.number(count)})`,
});

/** What stands around an answer in its file. */
export const fileStrings = { en, de };
