import type { Question } from './question.ts';

/** An address of a Slack message, as people paste it. `host`: with its port, in lower case. */
export interface Permalink {
  host: string;
  channelId: string;
  ts: string;
  /** The thread, if the message is a reply. */
  threadTs?: string;
}

/** Begins with the path, because a search for a host would begin at every letter of a text. */
const messagePath = /\/archives\/([CDG][A-Z0-9]{1,20})\/p(\d{10})(\d{6})(?!\d)(?:\?([\w.=&%-]{1,200}))?/g;

/** Finds the host at the end of the text before that path. A host within the path or the query of another address does not count. */
const hostBefore = /(?:^|https?:\/\/|[^\w./:@%?#&=-])([a-z0-9-]+(?:\.[a-z0-9-]+){0,6}(?::\d{1,5})?)$/i;

const longestHost = 120;

/** The Slack messages that a text links to, each once, in order. Runs in linear time. */
export function permalinksIn(text: string): Permalink[] {
  const found = new Map<string, Permalink>();
  for (const { index, 1: channelId = '', 2: seconds, 3: micros, 4: query = '' } of text.matchAll(messagePath)) {
    const [, host] = hostBefore.exec(text.slice(Math.max(0, index - longestHost), index)) ?? [];
    if (host === undefined) continue;
    const ts = `${seconds}.${micros}`;
    if (found.has(`${channelId}:${ts}`)) continue;
    const [, threadTs] = /(?:^|&)thread_ts=(\d{10}\.\d{6})(?:&|$)/.exec(query) ?? [];
    const link = { host: host.toLowerCase(), channelId, ts };
    found.set(`${channelId}:${ts}`, threadTs === undefined || threadTs === ts ? link : { ...link, threadTs });
  }
  return [...found.values()];
}

/** The messages that the asker linked to. Nothing is read for links that the service wrote. */
export function linksOf(question: Pick<Question, 'origin' | 'text' | 'isSuggested'>): Permalink[] {
  return question.origin === 'shared' || isSuggested(question) ? [] : permalinksIn(question.text);
}

/** Whether the service wrote the question, as a follow-up that it suggested, also if people ask it again. */
export function isSuggested({ origin, isSuggested }: Pick<Question, 'origin' | 'isSuggested'>): boolean {
  return origin === 'followUp' || isSuggested === true;
}
