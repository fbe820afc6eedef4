import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  empty: () => 'Deep Search finished without writing an answer. Try asking in other words.',
  sources: () => 'Sources',
  /** After `sources` or `cited`, where the answer itself links to all of them. */
  linkedAbove: () => 'linked above',
  moreSources: (count: number) => `${f.number(count)} more`,
  noSources: () => 'This answer lists no sources.',
  /** Where the service tells only what the answer links to, not what it consulted. */
  cited: () => 'Cited',
  noneCited: () => 'This answer cites no sources.',
  citedTitle: () => 'Cited sources',
  incompleteTooLong: () => 'This answer is incomplete, because the conversation has grown too long for Deep Search.',
  incompleteLimited: () => 'This answer is incomplete, because Deep Search is limiting requests right now.',
  /** `reported`: the service's own words. Empty if it gave none. */
  incomplete: (reported: string) =>
    reported === ''
      ? 'This answer is incomplete, because Deep Search stopped early.'
      : `This answer is incomplete, because Deep Search reported: ${reported}`,
  part: (part: number, parts: number) => `Part ${f.number(part)} of ${f.number(parts)}`,
  attached: () => 'The full answer is attached as a Markdown file.',
  isLonger: (link: string | undefined, hasFile: boolean) => {
    const said = 'This answer is too long for Slack.';
    if (hasFile)
      return `${said} The full answer is in the attached file${link === undefined ? '' : ` and in ${link}`}.`;
    return link === undefined ? `${said} Only its beginning is shown.` : `${said} The full answer is in ${link}.`;
  },
  hasMore: (link: string | undefined) =>
    link === undefined
      ? 'This answer has parts that cannot be shown in Slack.'
      : `This answer has parts that cannot be shown in Slack. They are in ${link}.`,
  onlyIn: (names: string) => `searched only in ${names}`,
  /** `language` as the code names it. */
  diagram: (language: string) => `Diagram (${language})`,
  quota: (share: number, used: number, limit: number) =>
    `${f.share(share)} of the quota used (${f.number(used)} of ${f.number(limit)} credits)`,
  quotaResets: (when: string) => `resets ${when}`,
  usedFollowUp: (by: string, text: string) => `${by} asked: ${text}`,
  conversationLost: () =>
    'The earlier conversation can no longer be continued in Deep Search, so I asked this in a new one.',
  /** Of a modal: at most 24 characters. */
  sourcesTitle: () => 'Sources',
  sourcesLeftOut: (count: number) =>
    `${f.count(count, { one: 'more source does', other: 'more sources do' })} not fit here. Open the answer in Deep Search to see them all.`,
});

const de = (f: Formats): ReturnType<typeof en> => ({
  empty: () => 'Deep Search ist fertig, hat aber keine Antwort geschrieben. Frag mit anderen Worten.',
  sources: () => 'Quellen',
  linkedAbove: () => 'oben verlinkt',
  moreSources: (count) => `${f.number(count)} weitere`,
  noSources: () => 'Diese Antwort nennt keine Quellen.',
  cited: () => 'Zitiert',
  noneCited: () => 'Diese Antwort zitiert keine Quellen.',
  citedTitle: () => 'Zitierte Quellen',
  incompleteTooLong: () =>
    'Diese Antwort ist unvollständig, weil die Unterhaltung für Deep Search zu lang geworden ist.',
  incompleteLimited: () => 'Diese Antwort ist unvollständig, weil Deep Search gerade die Anfragen begrenzt.',
  incomplete: (reported) =>
    reported === ''
      ? 'Diese Antwort ist unvollständig, weil Deep Search vorzeitig aufgehört hat.'
      : `Diese Antwort ist unvollständig, weil Deep Search Folgendes gemeldet hat: ${reported}`,
  part: (part, parts) => `Teil ${f.number(part)} von ${f.number(parts)}`,
  attached: () => 'Die ganze Antwort ist als Markdown-Datei angehängt.',
  isLonger: (link, hasFile) => {
    const said = 'Diese Antwort ist zu lang für Slack.';
    if (hasFile)
      return `${said} Die ganze Antwort steht in der angehängten Datei${link === undefined ? '' : ` und in ${link}`}.`;
    return link === undefined ? `${said} Hier steht nur ihr Anfang.` : `${said} Die ganze Antwort steht in ${link}.`;
  },
  hasMore: (link) =>
    link === undefined
      ? 'Diese Antwort hat Teile, die Slack nicht zeigen kann.'
      : `Diese Antwort hat Teile, die Slack nicht zeigen kann. Sie stehen in ${link}.`,
  onlyIn: (names) => `nur durchsucht: ${names}`,
  diagram: (language) => `Diagramm (${language})`,
  quota: (share, used, limit) =>
    `${f.share(share)} des Kontingents verbraucht (${f.number(used)} von ${f.number(limit)} Credits)`,
  quotaResets: (when) => `neu ab ${when}`,
  usedFollowUp: (by, text) => `${by} hat gefragt: ${text}`,
  conversationLost: () =>
    'Die frühere Unterhaltung lässt sich in Deep Search nicht mehr fortsetzen, deshalb habe ich in einer neuen gefragt.',
  sourcesTitle: () => 'Quellen',
  sourcesLeftOut: (count) =>
    `${f.count(count, { one: 'weitere Quelle passt', other: 'weitere Quellen passen' })} nicht hierher. Öffne die Antwort in Deep Search, um alle zu sehen.`,
});

/** What stands around an answer, and the list of its sources. */
export const answerStrings = { en, de };

const enFile = (f: Formats) => ({
  untitled: () => 'Answer',
  question: () => 'Question',
  answeredAt: (when: string) => `Answered ${when}`,
  sources: (count: number) => `Sources (${f.number(count)})`,
  cited: (count: number) => `Cited sources (${f.number(count)})`,
});

const deFile = (f: Formats): ReturnType<typeof enFile> => ({
  untitled: () => 'Antwort',
  question: () => 'Frage',
  answeredAt: (when) => `Beantwortet ${when}`,
  sources: (count) => `Quellen (${f.number(count)})`,
  cited: (count) => `Zitierte Quellen (${f.number(count)})`,
});

/** What stands around an answer in its file. */
export const fileStrings = { en: enFile, de: deFile };
