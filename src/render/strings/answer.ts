import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  empty: () => 'Deep Search finished without writing an answer.',
  sources: () => 'Sources',
  moreSources: (count: number) => `${f.number(count)} more`,
  noSources: () => 'No sources were named for this answer.',
  part: (part: number, parts: number) => `Part ${f.number(part)} of ${f.number(parts)}`,
  attached: () => 'The whole answer is attached as a Markdown file.',
  isLonger: (link: string | undefined, hasFile: boolean) => {
    const said = 'The answer is longer than can be shown in Slack';
    if (hasFile)
      return `${said}; all of it is in the attached Markdown file${link === undefined ? '' : ` and there: ${link}`}`;
    return link === undefined ? `${said}; it ends here.` : `${said}; it goes on there: ${link}`;
  },
  /** `language` as the code names it. */
  diagram: (language: string) => `Diagram (${language})`,
  quota: (share: number, used: number, limit: number) =>
    `${f.share(share)} of the quota used (${f.number(used)} of ${f.number(limit)} credits)`,
  quotaResets: (when: string) => `resets ${when}`,
  usedFollowUp: (by: string, text: string) => `${by} asked: ${text}`,
  conversationLost: () => 'The earlier conversation no longer exists in Deep Search, so this started a new one.',
  /** Of a modal: at most 24 characters. */
  sourcesTitle: () => 'Sources',
  sourcesLeftOut: (count: number) =>
    `${f.count(count, { one: 'more source does', other: 'more sources do' })} not fit here. Open the answer in Deep Search to see all.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  empty: () => 'Deep Search ist fertig, hat aber keine Antwort geschrieben.',
  sources: () => 'Quellen',
  moreSources: (count) => `${f.number(count)} weitere`,
  noSources: () => 'Zu dieser Antwort wurden keine Quellen genannt.',
  part: (part, parts) => `Teil ${f.number(part)} von ${f.number(parts)}`,
  attached: () => 'Die ganze Antwort hängt als Markdown-Datei an.',
  isLonger: (link, hasFile) => {
    const said = 'Die Antwort ist länger, als Slack zeigen kann';
    if (hasFile)
      return `${said}; ganz steht sie in der angehängten Markdown-Datei${link === undefined ? '' : ` und dort: ${link}`}`;
    return link === undefined ? `${said}; sie endet hier.` : `${said}; dort geht sie weiter: ${link}`;
  },
  diagram: (language) => `Diagramm (${language})`,
  quota: (share, used, limit) =>
    `${f.share(share)} des Kontingents verbraucht (${f.number(used)} von ${f.number(limit)} Credits)`,
  quotaResets: (when) => `neu ab ${when}`,
  usedFollowUp: (by, text) => `${by} hat gefragt: ${text}`,
  conversationLost: () =>
    'Die frühere Unterhaltung gibt es in Deep Search nicht mehr, deshalb hat hier eine neue begonnen.',
  sourcesTitle: () => 'Quellen',
  sourcesLeftOut: (count) =>
    `${f.count(count, { one: 'weitere Quelle passt', other: 'weitere Quellen passen' })} nicht hierher. Öffne die Antwort in Deep Search, um alle zu sehen.`,
});

/** What stands around an answer, and the list of its sources. */
export const answerStrings = { en, de };
