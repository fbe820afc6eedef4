import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  empty: () => 'Deep Search finished without writing an answer.',
  sources: (count: number, repositories: number) =>
    repositories > 1
      ? `*Sources* · ${f.number(count)} in ${f.count(repositories, { one: 'repository', other: 'repositories' })}`
      : `*Sources* · ${f.number(count)}`,
  noSources: () => 'No sources were named for this answer.',
  part: (part: number, parts: number) => `Part ${f.number(part)} of ${f.number(parts)}`,
  isLonger: (link: string | undefined) =>
    link === undefined
      ? 'The answer is longer than can be shown in Slack; it ends here.'
      : `The answer is longer than can be shown in Slack; it goes on there: ${link}`,
  quota: (share: number, used: number, limit: number) =>
    `${f.share(share)} of the quota used (${f.number(used)} of ${f.number(limit)} credits)`,
  quotaResets: (when: string) => `resets ${when}`,
  conversationLost: () => 'The earlier conversation no longer exists in Deep Search, so this started a new one.',
  /** Of a modal: at most 24 characters. */
  sourcesTitle: () => 'Sources',
  sourcesLeftOut: (count: number) =>
    `${f.count(count, { one: 'more source does', other: 'more sources do' })} not fit here. Open the answer in Deep Search to see all.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  empty: () => 'Deep Search ist fertig, hat aber keine Antwort geschrieben.',
  sources: (count, repositories) =>
    repositories > 1
      ? `*Quellen* · ${f.number(count)} in ${f.count(repositories, { one: 'Repository', other: 'Repositorys' })}`
      : `*Quellen* · ${f.number(count)}`,
  noSources: () => 'Zu dieser Antwort wurden keine Quellen genannt.',
  part: (part, parts) => `Teil ${f.number(part)} von ${f.number(parts)}`,
  isLonger: (link) =>
    link === undefined
      ? 'Die Antwort ist länger, als Slack zeigen kann; sie endet hier.'
      : `Die Antwort ist länger, als Slack zeigen kann; dort geht sie weiter: ${link}`,
  quota: (share, used, limit) =>
    `${f.share(share)} des Kontingents verbraucht (${f.number(used)} von ${f.number(limit)} Credits)`,
  quotaResets: (when) => `neu ab ${when}`,
  conversationLost: () =>
    'Die frühere Unterhaltung gibt es in Deep Search nicht mehr, deshalb hat hier eine neue begonnen.',
  sourcesTitle: () => 'Quellen',
  sourcesLeftOut: (count) =>
    `${f.count(count, { one: 'weitere Quelle passt', other: 'weitere Quellen passen' })} nicht hierher. Öffne die Antwort in Deep Search, um alle zu sehen.`,
});

/** What stands around an answer, and the list of its sources. */
export const answerSentences = { en, de };
