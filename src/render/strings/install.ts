import type { Formats } from '../formats.ts';

const en = (_: Formats) => ({
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

const de = (_: Formats): ReturnType<typeof en> => ({
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
export const installStrings = { en, de };
