import type { Formats } from '../formats.ts';
import { inBrackets } from './words.ts';

const en = (_: Formats) => ({
  // Whose access a person's questions use.
  usesApp: () => "Your questions use this app's access to Deep Search, which everyone here shares.",
  usesOwn: () => 'Your questions use your own access to Deep Search.',
  needsOwn: () => 'Everyone here asks with their own account at Deep Search.',
  usesNone: () => 'Deep Search no longer accepts your account, so your questions wait.',
  // The state of the account.
  none: () => 'You have not connected an account. With your own, your questions find what you may read there.',
  noneRequired: () => 'You have not connected yours yet, so you cannot ask.',
  connected: (name: string, since: string) => `Connected as ${name} since ${since}, with an access token.`,
  signedIn: (name: string, since: string) => `Connected as ${name} since ${since}, by signing in.`,
  refused: (name: string) =>
    `The account was ${name}. Connect again, and I'll ask the questions that wait. After 24 hours they end.`,
  lost: () => 'Your account was stored with a key that this app no longer has. Connect it again.',
  unreadable: () => 'I cannot read your account right now. Nothing is lost; try again in a minute.',
  noKeys: (contact: string | undefined) =>
    `No one can connect an account: this app has no key to encrypt it with. The operator of this app${inBrackets(contact)} can set \`ENCRYPTION_KEYS\`.`,
  // The ways to connect.
  connect: () => 'Connect',
  connectAgain: () => 'Connect again',
  disconnect: () => 'Disconnect',
  signIn: () => 'Sign in',
  useToken: () => 'Use an access token',
  signInNote: () => '*Sign in* opens Deep Search in your browser. The link works once, for ten minutes, only for you.',
  title: () => 'Connect your account',
  submit: () => 'Connect',
  token: () => 'Access token',
  tokenHint: () => 'It is encrypted before it is stored, and shown nowhere again.',
  tokenAbout: (link: string) =>
    `Create an access token in your settings at Deep Search: ${link}. It lets this app read all that you can read there. I use it only to ask, follow and cancel your own questions. On the same page you can revoke it at any time.`,
  /** The label of a link. */
  tokensPage: () => 'access tokens',
  // Errors at the field.
  empty: () => 'Paste an access token.',
  unusable: () => 'An access token has only letters, digits and signs, without spaces. Copy it again.',
  tooLong: () => 'This is too long for an access token. Copy it again.',
  tokenRefused: () => 'Deep Search does not accept this token: it is wrong, expired or revoked. Nothing was stored.',
  notChecked: () =>
    'Deep Search does not answer right now, so the token was not checked or stored. Try again in a minute.',
  slow: () => 'Deep Search takes long to check the token. I will tell you in a direct message if it accepts it.',
  notStored: () => 'This app cannot store your account right now. Try again in a minute.',
  // What came of it.
  done: (name: string) => `Connected as ${name}. From now on, your questions use your own access to Deep Search.`,
  doneNext: () => 'Questions that waited for your account are asked now.',
  disconnected: () => 'Disconnected. This app has removed your account and its token.',
  disconnectedPreferred: () =>
    "Your next questions use this app's access. Questions of yours that are still running end or wait until you connect again.",
  disconnectedRequired: () =>
    'To ask again, connect an account. Questions of yours that are still open wait for it, and end after 24 hours.',
  revoke: (link: string) => `At Deep Search the token stays valid until you revoke it: ${link}.`,
  notConnected: () => 'You have not connected an account, so there is nothing to disconnect.',
});

const de = (_: Formats): ReturnType<typeof en> => ({
  usesApp: () => 'Deine Fragen nutzen den Zugang dieser App zu Deep Search, den sich hier alle teilen.',
  usesOwn: () => 'Deine Fragen nutzen deinen eigenen Zugang zu Deep Search.',
  needsOwn: () => 'Hier fragen alle mit ihrem eigenen Konto bei Deep Search.',
  usesNone: () => 'Deep Search nimmt dein Konto nicht mehr an, deshalb warten deine Fragen.',
  none: () => 'Du hast kein Konto verbunden. Mit deinem eigenen finden deine Fragen, was du dort lesen darfst.',
  noneRequired: () => 'Deins ist noch nicht verbunden, deshalb kannst du nicht fragen.',
  connected: (name, since) => `Verbunden als ${name} seit ${since}, mit einem Zugriffstoken.`,
  signedIn: (name, since) => `Verbunden als ${name} seit ${since}, durch Anmeldung.`,
  refused: (name) =>
    `Das Konto war ${name}. Verbinde es noch einmal, dann stelle ich die wartenden Fragen. Nach 24 Stunden enden sie.`,
  lost: () =>
    'Dein Konto wurde mit einem Schlüssel gespeichert, den diese App nicht mehr hat. Verbinde es noch einmal.',
  unreadable: () =>
    'Ich kann dein Konto gerade nicht lesen. Es ist nichts verloren; versuch es in einer Minute noch einmal.',
  noKeys: (contact) =>
    `Niemand kann ein Konto verbinden: Dieser App fehlt ein Schlüssel, um es zu verschlüsseln. Wer diese App betreibt${inBrackets(contact)}, kann \`ENCRYPTION_KEYS\` setzen.`,
  connect: () => 'Verbinden',
  connectAgain: () => 'Noch einmal verbinden',
  disconnect: () => 'Trennen',
  signIn: () => 'Anmelden',
  useToken: () => 'Zugriffstoken verwenden',
  signInNote: () =>
    '*Anmelden* öffnet Deep Search in deinem Browser. Der Link gilt einmal, zehn Minuten lang und nur für dich.',
  title: () => 'Konto verbinden',
  submit: () => 'Verbinden',
  token: () => 'Zugriffstoken',
  tokenHint: () => 'Es wird verschlüsselt gespeichert und nirgends mehr angezeigt.',
  tokenAbout: (link) =>
    `Erstelle ein Zugriffstoken in deinen Einstellungen bei Deep Search: ${link}. Diese App kann damit alles lesen, was du dort lesen kannst. Ich nutze es nur, um deine eigenen Fragen zu stellen, zu verfolgen und abzubrechen. Auf derselben Seite kannst du es jederzeit widerrufen.`,
  tokensPage: () => 'Zugriffstokens',
  empty: () => 'Füge ein Zugriffstoken ein.',
  unusable: () => 'Ein Zugriffstoken hat nur Buchstaben, Ziffern und Zeichen ohne Leerzeichen. Kopiere es noch einmal.',
  tooLong: () => 'Das ist zu lang für ein Zugriffstoken. Kopiere es noch einmal.',
  tokenRefused: () =>
    'Deep Search nimmt dieses Token nicht an: Es ist falsch, abgelaufen oder widerrufen. Nichts wurde gespeichert.',
  notChecked: () =>
    'Deep Search antwortet gerade nicht, deshalb wurde das Token weder geprüft noch gespeichert. Versuch es in einer Minute noch einmal.',
  slow: () =>
    'Deep Search braucht lange, um das Token zu prüfen. Wenn es das Token annimmt, schreibe ich dir eine Direktnachricht.',
  notStored: () => 'Diese App kann dein Konto gerade nicht speichern. Versuch es in einer Minute noch einmal.',
  done: (name) => `Verbunden als ${name}. Ab jetzt nutzen deine Fragen deinen eigenen Zugang zu Deep Search.`,
  doneNext: () => 'Fragen, die auf dein Konto gewartet haben, stelle ich jetzt.',
  disconnected: () => 'Getrennt. Diese App hat dein Konto und sein Token entfernt.',
  disconnectedPreferred: () =>
    'Deine nächsten Fragen nutzen den Zugang dieser App. Deine Fragen, die noch laufen, enden oder warten, bis du wieder ein Konto verbindest.',
  disconnectedRequired: () =>
    'Um wieder zu fragen, verbinde ein Konto. Deine offenen Fragen warten darauf und enden nach 24 Stunden.',
  revoke: (link) => `Bei Deep Search bleibt das Token gültig, bis du es widerrufst: ${link}.`,
  notConnected: () => 'Du hast kein Konto verbunden, deshalb gibt es nichts zu trennen.',
});

/** What people read about their own accounts at the service. */
export const accountStrings = { en, de };
