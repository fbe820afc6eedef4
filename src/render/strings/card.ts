import type { Formats } from '../formats.ts';
import { wordStrings } from './words.ts';

/** What is known of a running question; `expected` is what answers usually take. */
interface Progress {
  elapsedMs: number;
  steps: number;
  expected?: { fromMs: number; toMs: number };
  isLate?: boolean;
}

const en = (f: Formats) => {
  const { steps } = wordStrings.en(f);
  return {
    /** `question` was asked before, elsewhere. */
    follows: (question: string) => `Continues from: “${question}”`,
    newConversation: () => 'New conversation',
    onlyIn: (names: string) => `Searches only in ${names}`,
    asked: (asker: string) => `*${asker} asked:*`,
    askedPlain: (question: string) => `Asked: ${question}`,
    queued: (place: number) =>
      place <= 1
        ? '🕓 Next in this thread, after the current question'
        : `🕓 Number ${f.number(place)} in line in this thread`,
    waitingForSlot: (ahead: number) =>
      ahead === 0
        ? '🕓 Many questions are running; this one is next'
        : `🕓 Many questions are running; ${f.count(ahead, { one: 'other is', other: 'others are' })} ahead of this one`,
    starting: () => '⏳ Starting',
    running: (progress: Progress) =>
      [
        '⏳ Searching',
        ...sofar(f, progress, steps),
        ...expectation(f, progress, 'usually', 'taking longer than usual'),
      ].join(' · '),
    unreachable: () => '📡 Deep Search is not reachable, still trying',
    noReply: () => '📡 No reply yet from Deep Search, still waiting',
    signInPage: () => '📡 A sign-in page answers in place of Deep Search, still trying',
    limited: () => '📡 Deep Search is limiting requests, still trying',
    cancelling: () => '⏹️ Cancelling',
    parked: (when: string) => `⏸️ Deep Search quota used up. I'll ask it automatically ${when}`,
    /** For a limit that names no end. */
    parkedFor: (minutes: number, when: string) =>
      `⏸️ Deep Search is limiting requests. I'll ask again in ${f.count(minutes, { one: 'minute', other: 'minutes' })}, ${when}`,
    awaitingAccount: () => '⏸️ Waiting until the person who asked connects their account again',
    /** The thread's other questions were asked with another account, or others can open their conversation by its link. */
    startsOwnConversation: () =>
      'A separate conversation: the earlier ones in this thread belong to other accounts, or others have their link. It got their questions as context.',
    answered: (durationMs: number) => `✅ Answered in ${f.duration(durationMs)}`,
    answeredInPart: (durationMs: number) => `⚠️ Answered in part, in ${f.duration(durationMs)}`,
    choosing: () => '🔒 Answered. The person who asked chooses who sees it',
    answeredPrivately: () => '✅ Answered privately',
    cancelled: (by: string | undefined) => (by === undefined ? '⏹️ Cancelled' : `⏹️ Cancelled by ${by}`),
    failed: (durationMs: number) => `⚠️ Failed after ${f.duration(durationMs)}`,
    gaveUp: (durationMs: number) => `⌛ Still running after ${f.duration(durationMs)}; I stopped watching`,
    sharedAnswer: (by: string) => `*${by} shared an answer:*`,
    notAllowed: () => '🚫 Not shown here. The person who asked was told why',
    shared: () => '✅ The answer is in the thread',
  };
};

const de = (f: Formats): ReturnType<typeof en> => {
  const { steps } = wordStrings.de(f);
  return {
    follows: (question) => `Knüpft an: „${question}“`,
    newConversation: () => 'Neue Unterhaltung',
    onlyIn: (names) => `Sucht nur in ${names}`,
    asked: (asker) => `*${asker} hat gefragt:*`,
    askedPlain: (question) => `Gefragt: ${question}`,
    queued: (place) =>
      place <= 1
        ? '🕓 In diesem Thread als Nächstes dran, nach der laufenden Frage'
        : `🕓 In diesem Thread auf Platz ${f.number(place)} der Warteschlange`,
    waitingForSlot: (ahead) =>
      ahead === 0
        ? '🕓 Gerade laufen viele Fragen; diese ist als Nächstes dran'
        : `🕓 Gerade laufen viele Fragen; ${f.count(ahead, { one: 'andere ist', other: 'andere sind' })} vor dieser dran`,
    starting: () => '⏳ Wird gestartet',
    running: (progress) =>
      [
        '⏳ Suche läuft',
        ...sofar(f, progress, steps),
        ...expectation(f, progress, 'meist', 'dauert länger als sonst'),
      ].join(' · '),
    unreachable: () => '📡 Deep Search ist nicht erreichbar, ich versuche es weiter',
    noReply: () => '📡 Noch keine Antwort von Deep Search, ich warte weiter',
    signInPage: () => '📡 Statt Deep Search antwortet eine Anmeldeseite, ich versuche es weiter',
    limited: () => '📡 Deep Search begrenzt gerade die Anfragen, ich versuche es weiter',
    cancelling: () => '⏹️ Wird abgebrochen',
    parked: (when) => `⏸️ Das Kontingent von Deep Search ist aufgebraucht. Ich stelle die Frage automatisch ${when}`,
    parkedFor: (minutes, when) =>
      `⏸️ Deep Search begrenzt gerade die Anfragen. Ich frage in ${f.count(minutes, { one: 'Minute', other: 'Minuten' })} wieder, ${when}`,
    awaitingAccount: () => '⏸️ Wartet, bis die Person, die gefragt hat, ihr Konto wieder verbindet',
    startsOwnConversation: () =>
      'Eine eigene Unterhaltung: Die früheren in diesem Thread gehören zu anderen Konten, oder andere haben ihren Link. Sie bekam deren Fragen als Kontext.',
    answered: (durationMs) => `✅ Beantwortet in ${f.duration(durationMs)}`,
    answeredInPart: (durationMs) => `⚠️ Teilweise beantwortet, in ${f.duration(durationMs)}`,
    choosing: () => '🔒 Beantwortet. Wer gefragt hat, wählt, wer es sieht',
    answeredPrivately: () => '✅ Privat beantwortet',
    cancelled: (by) => (by === undefined ? '⏹️ Abgebrochen' : `⏹️ Abgebrochen von ${by}`),
    failed: (durationMs) => `⚠️ Fehlgeschlagen nach ${f.duration(durationMs)}`,
    gaveUp: (durationMs) => `⌛ Läuft nach ${f.duration(durationMs)} immer noch; ich schaue nicht mehr nach`,
    sharedAnswer: (by) => `*${by} hat eine Antwort geteilt:*`,
    notAllowed: () => '🚫 Hier nicht gezeigt. Wer gefragt hat, weiß, warum',
    shared: () => '✅ Die Antwort steht im Thread',
  };
};

/** The card: one status sign each, here and nowhere else. */
export const cardStrings = { en, de };

function sofar(f: Formats, { elapsedMs, steps }: Progress, say: (steps: number) => string): string[] {
  return [...(elapsedMs < 1000 ? [] : [f.duration(elapsedMs)]), ...(steps === 0 ? [] : [say(steps)])];
}

function expectation(f: Formats, { expected, isLate }: Progress, usually: string, late: string): string[] {
  if (isLate === true) return [late];
  return expected === undefined ? [] : [`${usually} ${f.durationRange(expected.fromMs, expected.toMs)}`];
}
