import type { Formats } from '../formats.ts';
import { inBrackets } from './words.ts';

const en = (f: Formats) => ({
  service: () => 'Deep Search could not answer this question.',
  serviceDo: () => 'Try again, or ask in other words.',
  tooLong: () => 'This conversation has grown too long for Deep Search.',
  tooLongDo: () => 'Ask the same question in a new conversation.',
  unauthorized: () => "Deep Search does not accept this app's access token.",
  unauthorizedDo: (contact: string | undefined) =>
    `The operator of this app${inBrackets(contact)} can fix this: the token is missing, wrong, expired, or not allowed to ask questions.`,
  accountRefused: () => 'Deep Search does not accept the account that this question was asked with.',
  accountRefusedDo: () => 'The person who asked can connect it again with `/deepsearch connect`. Then try again.',
  unreachable: () => 'Deep Search could not be reached.',
  unreachableDo: () => 'Try again in a few minutes.',
  signInPage: () => 'A sign-in page answered in place of Deep Search.',
  signInPageDo: (contact: string | undefined) =>
    `The operator of this app${inBrackets(contact)} can fix this: something between the app and Deep Search asks it to sign in.`,
  answerTooLong: () => 'The answer is too long to be read here.',
  answerTooLongDo: () => 'Read it in Deep Search, or ask in a new conversation.',
  mayBeAsked: () => 'I could not find out whether Deep Search has the question, so I did not ask it a second time.',
  limited: () => 'Deep Search is limiting requests right now.',
  limitedDo: () => 'Try again in a few minutes.',
  refused: () => 'Deep Search rejected this question as invalid.',
  refusedDo: () => 'Ask it in other words, or in a new conversation.',
  gone: () => 'The conversation was deleted in Deep Search while this question was running.',
  goneDo: () => 'Ask the question in a new conversation.',
  answerGone: () => 'This answer is no longer in Deep Search.',
  answerGoneDo: () => 'Ask the question again.',
  threadUnread: () => 'I could not read this thread, so I do not know what to answer.',
  threadUnreadDo: () => 'Try again, or mention me together with your question.',
  internal: () => 'This app failed while working on the question.',
  internalDo: (contact: string | undefined) =>
    `Try again. If it fails again, send the reference below to the operator of this app${inBrackets(contact)}.`,
  reference: (reference: string) => `Reference \`${reference}\``,
  /** Where marks are shown as they are. */
  referencePlain: (reference: string) => `Reference ${reference}`,
  gaveUp: (waitedMs: number | undefined) =>
    waitedMs === undefined
      ? 'Deep Search is still running; I stopped watching.'
      : `Deep Search is still running after ${f.duration(waitedMs)}; I stopped watching.`,
  gaveUpDo: () => 'Check again later, or follow it in Deep Search.',
  gaveUpDoNoLink: () => 'Check again later.',
  askedAgain: (by: string) => `${by} asked again.`,
  checkedAgain: (by: string) => `${by} asked me to check again.`,
  cancelled: (by: string | undefined) =>
    by === undefined ? 'This question was cancelled.' : `This question was cancelled by ${by}.`,
  undeliverable: () => 'The answer could not be posted where the question was asked.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  service: () => 'Deep Search konnte diese Frage nicht beantworten.',
  serviceDo: () => 'Versuch es noch einmal oder frag mit anderen Worten.',
  tooLong: () => 'Diese Unterhaltung ist für Deep Search zu lang geworden.',
  tooLongDo: () => 'Stell dieselbe Frage in einer neuen Unterhaltung.',
  unauthorized: () => 'Deep Search nimmt das Zugriffstoken dieser App nicht an.',
  unauthorizedDo: (contact) =>
    `Wer diese App betreibt${inBrackets(contact)}, kann das beheben: Das Token fehlt, ist falsch, ist abgelaufen oder darf keine Fragen stellen.`,
  accountRefused: () => 'Deep Search nimmt das Konto nicht an, mit dem diese Frage gestellt wurde.',
  accountRefusedDo: () =>
    'Wer gefragt hat, kann es mit `/deepsearch connect` wieder verbinden. Versuch es dann noch einmal.',
  unreachable: () => 'Deep Search war nicht erreichbar.',
  unreachableDo: () => 'Versuch es in ein paar Minuten noch einmal.',
  signInPage: () => 'Statt Deep Search hat eine Anmeldeseite geantwortet.',
  signInPageDo: (contact) =>
    `Wer diese App betreibt${inBrackets(contact)}, kann das beheben: Zwischen der App und Deep Search verlangt etwas eine Anmeldung.`,
  answerTooLong: () => 'Die Antwort ist zu lang, um hier gelesen zu werden.',
  answerTooLongDo: () => 'Lies sie in Deep Search oder frag in einer neuen Unterhaltung.',
  mayBeAsked: () =>
    'Ich konnte nicht herausfinden, ob Deep Search die Frage hat, deshalb habe ich sie nicht ein zweites Mal gestellt.',
  limited: () => 'Deep Search begrenzt gerade die Anfragen.',
  limitedDo: () => 'Versuch es in ein paar Minuten noch einmal.',
  refused: () => 'Deep Search hat diese Frage als ungültig abgelehnt.',
  refusedDo: () => 'Frag mit anderen Worten oder in einer neuen Unterhaltung.',
  gone: () => 'Die Unterhaltung wurde in Deep Search gelöscht, während diese Frage lief.',
  goneDo: () => 'Stell die Frage in einer neuen Unterhaltung.',
  answerGone: () => 'Diese Antwort gibt es in Deep Search nicht mehr.',
  answerGoneDo: () => 'Stell die Frage noch einmal.',
  threadUnread: () => 'Ich konnte diesen Thread nicht lesen und weiß deshalb nicht, was ich beantworten soll.',
  threadUnreadDo: () => 'Versuch es noch einmal oder erwähne mich zusammen mit deiner Frage.',
  internal: () => 'In dieser App ist bei der Arbeit an der Frage ein Fehler aufgetreten.',
  internalDo: (contact) =>
    `Versuch es noch einmal. Klappt es wieder nicht, schick die Referenz unten an die Leute, die diese App betreiben${inBrackets(contact)}.`,
  reference: (reference) => `Referenz \`${reference}\``,
  referencePlain: (reference) => `Referenz ${reference}`,
  gaveUp: (waitedMs) =>
    waitedMs === undefined
      ? 'Deep Search läuft immer noch; ich schaue nicht mehr nach.'
      : `Deep Search läuft nach ${f.duration(waitedMs)} immer noch; ich schaue nicht mehr nach.`,
  gaveUpDo: () => 'Sieh später noch einmal nach oder verfolge die Frage in Deep Search.',
  gaveUpDoNoLink: () => 'Sieh später noch einmal nach.',
  askedAgain: (by) => `${by} hat noch einmal gefragt.`,
  checkedAgain: (by) => `${by} hat mich gebeten, noch einmal nachzusehen.`,
  cancelled: (by) => (by === undefined ? 'Diese Frage wurde abgebrochen.' : `Diese Frage wurde von ${by} abgebrochen.`),
  undeliverable: () => 'Die Antwort konnte nicht dort gepostet werden, wo gefragt wurde.',
});

/** Ends without an answer: what happened, then (`…Do`) what to do. */
export const failureStrings = { en, de };
