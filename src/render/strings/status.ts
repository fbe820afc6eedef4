import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  inThread: () => '*In this thread*',
  inChannel: () => '*In this channel*',
  inDirect: () => '*In our direct messages*',
  elsewhere: () => '*Your questions elsewhere*',
  nothing: () => 'Nothing is running or waiting.',
  more: (count: number) => `${f.count(count, { one: 'more is', other: 'more are' })} not listed here.`,
  askedBy: (asker: string) => `asked by ${asker}`,
  askedByYou: () => 'asked by you',
  directMessages: () => 'in our direct messages',
  queued: (place: number) => `queued, number ${f.number(place)} in line`,
  waitingForSlot: () => 'waiting for its turn',
  starting: () => 'starting',
  running: (elapsedMs: number) => `running for ${f.duration(elapsedMs)}`,
  noReply: () => 'no reply yet from Deep Search',
  unreachable: () => 'waiting until Deep Search is reachable',
  limited: () => 'waiting because Deep Search is limiting requests',
  cancelling: () => 'being cancelled',
  awaitingAccount: () => 'waiting until the person who asked connects their account',
  parked: (when: string) => `limit reached; I'll ask it automatically ${when}`,
  ending: () => 'about to finish',
  conversation: (link: string) => `Conversation: ${link}`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  inThread: () => '*In diesem Thread*',
  inChannel: () => '*In diesem Channel*',
  inDirect: () => '*In unseren Direktnachrichten*',
  elsewhere: () => '*Deine Fragen anderswo*',
  nothing: () => 'Es läuft und wartet nichts.',
  more: (count) => `${f.count(count, { one: 'weitere steht', other: 'weitere stehen' })} nicht in dieser Liste.`,
  askedBy: (asker) => `gefragt von ${asker}`,
  askedByYou: () => 'gefragt von dir',
  directMessages: () => 'in unseren Direktnachrichten',
  queued: (place) => `wartet auf Platz ${f.number(place)}`,
  waitingForSlot: () => 'wartet, bis sie dran ist',
  starting: () => 'wird gestartet',
  running: (elapsedMs) => `läuft seit ${f.duration(elapsedMs)}`,
  noReply: () => 'noch keine Antwort von Deep Search',
  unreachable: () => 'wartet, bis Deep Search erreichbar ist',
  limited: () => 'wartet, weil Deep Search die Anfragen begrenzt',
  cancelling: () => 'wird abgebrochen',
  awaitingAccount: () => 'wartet, bis die Person, die gefragt hat, ihr Konto verbindet',
  parked: (when) => `Grenze erreicht; ich stelle sie automatisch ${when}`,
  ending: () => 'gleich fertig',
  conversation: (link) => `Unterhaltung: ${link}`,
});

/** What runs and waits. */
export const statusStrings = { en, de };
