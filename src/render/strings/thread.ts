import type { Formats } from '../formats.ts';

/** What was read of a thread; `unreadable` are files. */
interface Reading {
  messages: number;
  total: number;
  /** Messages that the question's own message forwards. */
  forwarded: number;
  /** Messages that the question links to: read, and not read. */
  linked: number;
  linksUnread: number;
  files: number;
  unreadable: number;
  /** It is not the thread that the question stands in. */
  isElsewhere: boolean;
}

const en = (f: Formats) => {
  const files = (count: number) => f.count(count, { one: 'file', other: 'files' });
  const messages = ({ messages: read, total }: Pick<Reading, 'messages' | 'total'>) =>
    read < total
      ? `${f.number(read)} of ${f.count(total, { one: 'message', other: 'messages' })}`
      : f.count(read, { one: 'message', other: 'messages' });
  const forwarded = (count: number) => f.count(count, { one: 'forwarded message', other: 'forwarded messages' });
  const linked = (count: number) => f.count(count, { one: 'linked message', other: 'linked messages' });
  return {
    read: (reading: Reading) =>
      sentence(
        [
          ...(reading.messages > 0
            ? [`${messages(reading)} in ${reading.isElsewhere ? 'the thread it is about' : 'this thread'}`]
            : []),
          ...(reading.forwarded > 0 ? [forwarded(reading.forwarded)] : []),
          ...(reading.linked > 0 ? [linked(reading.linked)] : []),
          ...(reading.files > 0 ? [files(reading.files)] : []),
        ],
        (what) => `Read ${f.list(what)}`,
        [
          ...(reading.linksUnread > 0 ? [`${linked(reading.linksUnread)} could not be read`] : []),
          ...(reading.unreadable > 0 ? [`${files(reading.unreadable)} could not be read`] : []),
        ],
      ),
    refused: (isElsewhere: boolean): string =>
      isElsewhere ? 'The thread it is about could not be read' : 'This thread could not be read',
    /** As a part of the line that says how it ended. */
    readBriefly: (reading: Omit<Reading, 'isElsewhere'>) =>
      [
        ...(reading.messages > 0 ? [`read ${messages(reading)}`] : []),
        ...(reading.forwarded > 0 ? [`read ${forwarded(reading.forwarded)}`] : []),
        ...(reading.linked > 0 ? [`read ${linked(reading.linked)}`] : []),
        ...(reading.linksUnread > 0 ? [`${linked(reading.linksUnread)} not read`] : []),
        ...(reading.unreadable > 0 ? [`${files(reading.unreadable)} not read`] : []),
      ].join(' · '),
    refusedBriefly: () => 'thread not read',
    /** Stands for the question of a mention alone. */
    question: () => 'Answer what was asked above.',
    forwardQuestion: () => 'Answer what was forwarded.',
    fileQuestion: () => 'Answer what the file asks or shows.',
  };
};

const de = (f: Formats): ReturnType<typeof en> => {
  const files = (count: number) => f.count(count, { one: 'Datei', other: 'Dateien' });
  const messages = ({ messages: read, total }: Pick<Reading, 'messages' | 'total'>) =>
    read < total
      ? `${f.number(read)} von ${f.count(total, { one: 'Nachricht', other: 'Nachrichten' })}`
      : f.count(read, { one: 'Nachricht', other: 'Nachrichten' });
  const forwarded = (count: number) =>
    f.count(count, { one: 'weitergeleitete Nachricht', other: 'weitergeleitete Nachrichten' });
  const linked = (count: number) => f.count(count, { one: 'verlinkte Nachricht', other: 'verlinkte Nachrichten' });
  return {
    read: (reading) =>
      sentence(
        [
          ...(reading.messages > 0
            ? [`${messages(reading)} ${reading.isElsewhere ? 'im Thread, um den es geht,' : 'in diesem Thread'}`]
            : []),
          ...(reading.forwarded > 0 ? [forwarded(reading.forwarded)] : []),
          ...(reading.linked > 0 ? [linked(reading.linked)] : []),
          ...(reading.files > 0 ? [files(reading.files)] : []),
        ],
        (what) => `${f.list(what)} gelesen`,
        [
          ...(reading.linksUnread > 0 ? [`${linked(reading.linksUnread)} nicht lesbar`] : []),
          ...(reading.unreadable > 0 ? [`${files(reading.unreadable)} nicht lesbar`] : []),
        ],
      ),
    refused: (isElsewhere) =>
      isElsewhere
        ? 'Der Thread, um den es geht, konnte nicht gelesen werden'
        : 'Dieser Thread konnte nicht gelesen werden',
    readBriefly: (reading) =>
      [
        ...(reading.messages > 0 ? [`${messages(reading)} gelesen`] : []),
        ...(reading.forwarded > 0 ? [`${forwarded(reading.forwarded)} gelesen`] : []),
        ...(reading.linked > 0 ? [`${linked(reading.linked)} gelesen`] : []),
        ...(reading.linksUnread > 0 ? [`${linked(reading.linksUnread)} nicht gelesen`] : []),
        ...(reading.unreadable > 0 ? [`${files(reading.unreadable)} nicht lesbar`] : []),
      ].join(' · '),
    refusedBriefly: () => 'Thread nicht gelesen',
    question: () => 'Beantworte, was oben gefragt wurde.',
    forwardQuestion: () => 'Beantworte, was weitergeleitet wurde.',
    fileQuestion: () => 'Beantworte, was die Datei fragt oder zeigt.',
  };
};

/** What the card says about the thread it was asked in. */
export const threadStrings = { en, de };

function sentence(read: string[], say: (read: string[]) => string, unread: string[]): string {
  return [...(read.length === 0 ? [] : [say(read)]), ...unread].join('; ');
}

const enPreview = (f: Formats) => ({
  sources: (count: number) => f.count(count, { one: 'source', other: 'sources' }),
  cited: (count: number) => f.count(count, { one: 'cited source', other: 'cited sources' }),
  followUps: (count: number) => f.count(count, { one: 'follow-up', other: 'follow-ups' }),
});

const dePreview = (f: Formats): ReturnType<typeof enPreview> => ({
  sources: (count) => f.count(count, { one: 'Quelle', other: 'Quellen' }),
  cited: (count) => f.count(count, { one: 'zitierte Quelle', other: 'zitierte Quellen' }),
  followUps: (count) => f.count(count, { one: 'Folgefrage', other: 'Folgefragen' }),
});

/** Previews of share links. */
export const previewStrings = { en: enPreview, de: dePreview };
