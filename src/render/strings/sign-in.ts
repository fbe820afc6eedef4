import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
  /** The title of every page, after its heading. */
  title: () => 'Deep Search for Slack',
  startHeading: () => 'Ask with your own account?',
  /** Arguments: the person's name in Slack, the service's host. */
  startWho: (name: string, host: string) => `${name} (Slack) wants to ask with your account at ${host}.`,
  /** People can choose their names in Slack, so the name alone does not show who made the link. */
  startWarning: () =>
    'Did someone send you this link, or is that not you? Then close this page: the questions of that person would use your access. Continue only if you chose Sign in in Slack yourself just now.',
  startNext: (host: string) => `${host} asks you next whether you allow it.`,
  continue: () => 'This is me, continue',
  connectedHeading: (username: string) => `Connected as ${username}`,
  connected: (name: string) =>
    `The questions of ${name} in Slack now use this account. You can close this page and return to Slack.`,
  backToSlack: () => 'Back to Slack',
  deniedHeading: () => 'Not connected',
  denied: () => 'You did not allow the access, so nothing was stored. To try again, choose Sign in again in Slack.',
  expiredHeading: () => 'This link has expired',
  expired: () => 'A link to sign in works for ten minutes. Choose Sign in again in Slack.',
  usedHeading: () => 'This link was already used',
  used: () =>
    'A link to sign in works once. Slack shows on the Home tab of the app whether you are connected. If not, choose Sign in there.',
  otherBrowserHeading: () => 'This sign-in belongs to another browser',
  otherBrowser: () => 'Finish it where you started it, or choose Sign in again in Slack.',
  foreignFormHeading: () => 'This page was opened under another address',
  foreignForm: (address: string) =>
    `The sign-in works under ${address} only. Choose Sign in again in Slack. If this stays so, tell the operator of this app.`,
  refusedHeading: () => 'The sign-in was refused',
  refused: () => 'Deep Search did not accept this sign-in, and nothing was stored. Choose Sign in again in Slack.',
  downHeading: () => 'Deep Search does not answer',
  down: () => 'Nothing was stored. Wait a minute, then choose Sign in again in Slack.',
  notStoredHeading: () => 'This app can not store anything right now',
  notStored: () => 'You are not connected. Wait a minute, then choose Sign in again in Slack.',
  tooOftenHeading: () => 'Too many attempts',
  tooOften: () => 'Wait a minute, then load this page again.',
  invalidHeading: () => 'This address is not complete',
  invalid: () => 'Choose Sign in again in Slack.',
});

const de = (_: Formats): ReturnType<typeof en> => ({
  title: () => 'Deep Search für Slack',
  startHeading: () => 'Mit dem eigenen Konto fragen?',
  startWho: (name, host) => `${name} (Slack) möchte mit deinem Konto bei ${host} fragen.`,
  startWarning: () =>
    'Hat dir jemand diesen Link geschickt, oder bist du das nicht? Dann schließ diese Seite: Die Fragen dieser Person würden deinen Zugang nutzen. Mach nur weiter, wenn du selbst gerade in Slack „Anmelden“ gewählt hast.',
  startNext: (host) => `${host} fragt dich als Nächstes, ob du das erlaubst.`,
  continue: () => 'Das bin ich, weiter',
  connectedHeading: (username) => `Verbunden als ${username}`,
  connected: (name) =>
    `Die Fragen von ${name} in Slack nutzen jetzt dieses Konto. Du kannst diese Seite schließen und zu Slack zurückkehren.`,
  backToSlack: () => 'Zurück zu Slack',
  deniedHeading: () => 'Nicht verbunden',
  denied: () =>
    'Du hast den Zugang nicht erlaubt, deshalb wurde nichts gespeichert. Wähl in Slack noch einmal Anmelden, um es erneut zu versuchen.',
  expiredHeading: () => 'Dieser Link ist abgelaufen',
  expired: () => 'Ein Link zum Anmelden gilt zehn Minuten. Wähl in Slack noch einmal Anmelden.',
  usedHeading: () => 'Dieser Link wurde schon benutzt',
  used: () =>
    'Ein Link zum Anmelden gilt einmal. Ob du verbunden bist, steht in Slack im Home-Tab der App. Wenn nicht, wähl dort Anmelden.',
  otherBrowserHeading: () => 'Diese Anmeldung gehört zu einem anderen Browser',
  otherBrowser: () => 'Beende sie dort, wo du sie begonnen hast, oder wähl in Slack noch einmal Anmelden.',
  foreignFormHeading: () => 'Diese Seite wurde unter einer anderen Adresse geöffnet',
  foreignForm: (address) =>
    `Die Anmeldung funktioniert nur unter ${address}. Wähl in Slack noch einmal Anmelden. Wenn es dabei bleibt, sag es denen, die diese App betreiben.`,
  refusedHeading: () => 'Die Anmeldung wurde abgelehnt',
  refused: () =>
    'Deep Search hat diese Anmeldung nicht angenommen, und es wurde nichts gespeichert. Wähl in Slack noch einmal Anmelden.',
  downHeading: () => 'Deep Search antwortet nicht',
  down: () => 'Es wurde nichts gespeichert. Warte eine Minute und wähl dann in Slack noch einmal Anmelden.',
  notStoredHeading: () => 'Diese App kann gerade nichts speichern',
  notStored: () => 'Du bist nicht verbunden. Warte eine Minute und wähl dann in Slack noch einmal Anmelden.',
  tooOftenHeading: () => 'Zu viele Versuche',
  tooOften: () => 'Warte eine Minute und lade diese Seite dann neu.',
  invalidHeading: () => 'Diese Adresse ist nicht vollständig',
  invalid: () => 'Wähl in Slack noch einmal Anmelden.',
});

/** What people read on the pages that they sign in with, in a browser. */
export const signInStrings = { en, de };

const enInstall = (_: Formats) => ({
  installedHeading: (name: string) => `Installed in ${name}`,
  installed: () =>
    'You can close this page and return to Slack. Type /deepsearch help there to see what the app can do.',
  openSlack: () => 'Open Slack',
  refusedHeading: () => 'This workspace may not install the app',
  /** Argument: the id of the workspace or organization. */
  refused: (id: string) =>
    `The operator of this app allows it in listed workspaces only, and ${id} is not one of them. Nothing was stored. Ask the operator to add it to SLACK_WORKSPACES, then install again.`,
  cancelledHeading: () => 'Not installed',
  cancelled: () =>
    'You did not allow the installation, so nothing was stored. Load the page of the installation to try again.',
  expiredHeading: () => 'This installation can not be continued',
  expired: () =>
    'It was begun more than ten minutes ago or in another browser. Nothing was stored. Begin again in this browser.',
  failedHeading: () => 'The installation failed',
  failed: () => 'Slack did not complete it, or it could not be stored. Wait a minute, then begin again.',
  tooOftenHeading: () => 'Too many attempts',
  tooOften: () => 'Wait a minute, then load this page again.',
  beginAgain: () => 'Begin again',
  /** The answer to a command, a shortcut, a form or a button from a workspace without an installation. */
  notInstalled: () => 'Deep Search is not installed in this workspace. Ask an admin of the workspace to install it.',
});

const deInstall = (_: Formats): ReturnType<typeof enInstall> => ({
  installedHeading: (name) => `In ${name} installiert`,
  installed: () =>
    'Du kannst diese Seite schließen und zu Slack zurückkehren. Was die App kann, zeigt dort /deepsearch help.',
  openSlack: () => 'Slack öffnen',
  refusedHeading: () => 'Dieser Workspace darf die App nicht installieren',
  refused: (id) =>
    `Die App ist nur in ausgewählten Workspaces erlaubt, und ${id} gehört nicht dazu. Es wurde nichts gespeichert. Bitte diejenigen, die diese App betreiben, die Kennung in SLACK_WORKSPACES aufzunehmen, und installiere dann noch einmal.`,
  cancelledHeading: () => 'Nicht installiert',
  cancelled: () =>
    'Du hast die Installation nicht erlaubt, deshalb wurde nichts gespeichert. Lade die Seite der Installation, um es noch einmal zu versuchen.',
  expiredHeading: () => 'Diese Installation geht nicht weiter',
  expired: () =>
    'Sie wurde vor mehr als zehn Minuten oder in einem anderen Browser begonnen. Es wurde nichts gespeichert. Beginne in diesem Browser noch einmal.',
  failedHeading: () => 'Die Installation ist fehlgeschlagen',
  failed: () =>
    'Slack hat sie nicht abgeschlossen, oder sie konnte nicht gespeichert werden. Warte eine Minute und beginne dann noch einmal.',
  tooOftenHeading: () => 'Zu viele Versuche',
  tooOften: () => 'Warte eine Minute und lade diese Seite dann neu.',
  beginAgain: () => 'Noch einmal beginnen',
  notInstalled: () =>
    'Deep Search ist in diesem Workspace nicht installiert. Bitte einen Admin des Workspace, die App zu installieren.',
});

/** What people read while they install the app, in a browser, and where it is not installed. */
export const installStrings = { en: enInstall, de: deInstall };
