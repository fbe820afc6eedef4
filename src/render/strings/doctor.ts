import { checkNames, type FindingCode, type FindingValues } from '../../core/doctor.ts';
import type { Formats } from '../formats.ts';

const en = (f: Formats) => ({
  checking: () => 'I am checking Slack, the service and the storage. The result comes here within half a minute.',
  summary: (fails: number, warns: number, passes: number) =>
    `*Doctor:* ${f.number(fails)} fail, ${f.number(warns)} warn, ${f.number(passes)} pass`,
  eventMessage: (mark: string) =>
    `I am checking whether Slack sends me events. I delete this message in a few seconds. (${mark})`,
  notYours: () => 'Only the people in the setting `ADMINS` can use this. Nothing was checked.',
});

const de = (f: Formats): ReturnType<typeof en> => ({
  checking: () => 'Ich prüfe Slack, den Dienst und den Speicher. Das Ergebnis kommt hier in einer halben Minute.',
  summary: (fails, warns, passes) =>
    `*Doctor:* ${f.number(fails)} × fail, ${f.number(warns)} × warn, ${f.number(passes)} × pass`,
  eventMessage: (mark) =>
    `Ich prüfe, ob Slack mir Ereignisse schickt. Diese Nachricht lösche ich in ein paar Sekunden. (${mark})`,
  notYours: () => 'Das können nur die Personen in der Einstellung `ADMINS`. Es wurde nichts geprüft.',
});

/** What frames the lines of the doctor in Slack. */
export const doctorStrings = { en, de };

/** What a line says, and below it what to do about it. A line that passes has nothing to do. */
export type DoctorLines = { [Code in FindingCode]: (values: FindingValues[Code]) => string };

const linesEn = {
  noReply: ({ host, reason }: FindingValues['noReply']) =>
    `No usable reply from ${host}: ${reason}.\nCheck the address, firewall and proxy. If the code is about a certificate: see SRC_CA_FILE.`,
  refused: ({ reason, settings }: FindingValues['refused']) =>
    `${reason}.\nCheck ${settings}; docs/troubleshooting.md says more.`,
  notTold: ({ reason }: FindingValues['notTold']) => `Not known: ${reason}.\nSee docs/troubleshooting.md.`,
  notChecked: ({ because }: FindingValues['notChecked']) =>
    `Not checked, because of the line "${checkNames[because]}".\nMend that line first.`,
  checkFailed: ({ code }: FindingValues['checkFailed']) =>
    `The check itself did not end well (${code}).\nRun the doctor again. If this stays, report it with this line.`,

  configurationFine: () => 'The settings have no problem.',
  configurationWrong: ({ problem }: FindingValues['configurationWrong']) => `${problem}.\nSee docs/configuration.md.`,
  standIn: () =>
    'SLACK_STAND_IN is true: missing flags of people and channels count as "no".\nRemove it, unless SLACK_API_URL is a stand-in such as emulate.',
  accountsWithoutKeys: ({ mode }: FindingValues['accountsWithoutKeys']) =>
    `ACCOUNTS is ${mode} and ENCRYPTION_KEYS is not set: no one can connect an account.\nSet ENCRYPTION_KEYS, see docs/accounts.md.`,
  fewOpenFiles: ({ limit }: FindingValues['fewOpenFiles']) =>
    `This process may open only ${limit} files, sockets included.\nStart it after "ulimit -n 4096", or raise LimitNOFILE of its unit.`,
  serviceWithoutTls: () =>
    'SRC_ENDPOINT is not https: others on the way can read the token and the answers.\nUse https, unless that network is yours alone.',

  tokenAccepted: ({ botUserId, teamId }: FindingValues['tokenAccepted']) =>
    `Slack accepts it: bot ${botUserId} in workspace ${teamId}.`,
  tokenOfNoBot: () =>
    'Slack accepts it, but it belongs to no bot.\nSet SLACK_BOT_TOKEN to the token that begins with xoxb-.',
  tokenOfEachWorkspace: () =>
    'Not checked here: each workspace has its own token.\nWrite /deepsearch doctor there, as one of the people in ADMINS.',

  scopesGranted: ({ count }: FindingValues['scopesGranted']) => `All ${count} scopes of manifest.yml are granted.`,
  scopesMissing: ({ scopes }: FindingValues['scopesMissing']) =>
    `Not granted: ${scopes}.\nCompare the app with manifest.yml, and install it again; see docs/permissions.md.`,
  scopesOptionalMissing: ({ scopes }: FindingValues['scopesOptionalMissing']) =>
    `Not granted, and optional: ${scopes}.\nNothing, unless you want what docs/permissions.md says about them.`,

  socketOpens: ({ host }: FindingValues['socketOpens']) => `Socket Mode: Slack offers a connection at ${host}.`,
  endpointAnswers: ({ host }: FindingValues['endpointAnswers']) =>
    `Signed requests: the app answers at ${host}, with this signing secret.`,
  endpointNotGiven: () =>
    'Signed requests: not checked, because the doctor does not know the address that Slack uses.\nSet PUBLIC_URL, or run npm run doctor -- --url with the Request URL of the app.',

  eventArrived: () => 'Slack sent the event of a message that the doctor posted.',
  eventMissing: ({ seconds }: FindingValues['eventMissing']) =>
    `No event of the doctor's message came within ${seconds} s.\nTurn "Event Subscriptions" on in the settings of the app, with the bot event message.im.`,
  eventMessageLeft: ({ code }: FindingValues['eventMessageLeft']) =>
    `The event came, and the doctor's message could not be deleted (${code}).\nDelete it in your direct messages with the app.`,
  eventsNeedApp: () =>
    'Not checked here: only the running app gets events.\nWrite /deepsearch doctor in Slack, as one of the people in ADMINS.',

  clockRight: () => "This machine's clock agrees with Slack's.",
  clockOff: ({ seconds }: FindingValues['clockOff']) =>
    `This machine's clock differs from Slack's by ${seconds} s.\nSynchronize it (NTP). From 300 s on, signed requests are refused.`,
  clockFarOff: ({ seconds }: FindingValues['clockFarOff']) =>
    `This machine's clock differs from Slack's by ${seconds} s; from 300 s on, signed requests are refused.\nSynchronize it (NTP).`,

  serviceAnswers: ({ host, generation }: FindingValues['serviceAnswers']) =>
    `${host} answers over generation ${generation} of its API, and accepts the app's token.`,
  accountKnown: ({ username }: FindingValues['accountKnown']) => `The app asks as ${username}.`,
  accountIsOther: ({ username }: FindingValues['accountIsOther']) =>
    `The app asks as ${username}, and not as SRC_SUDO_USER.\nUse a token with site-admin:sudo, or remove SRC_SUDO_USER.`,

  quotaLeft: ({ percent }: FindingValues['quotaLeft']) => `${percent}% of the quota is used.`,
  quotaNearlyUsed: ({ percent }: FindingValues['quotaNearlyUsed']) =>
    `${percent}% of the quota is used.\nRaise the quota, or limit questions with QUESTIONS_PER_PERSON_PER_DAY.`,
  quotaUsedUp: () =>
    'The quota is used up: questions wait until it is reset.\nRaise the quota of the account at the service.',
  quotaNotTold: () => 'The service tells no quota. Answers show one when it is nearly used up.',

  redisReached: ({ where, version }: FindingValues['redisReached']) =>
    `Redis ${version} at ${where} takes writes, and drops nothing (noeviction).`,
  redisNotTold: ({ where }: FindingValues['redisNotTold']) =>
    `Redis at ${where} takes writes, and does not tell its version or maxmemory-policy.\nMake sure that they are 6.2 or later and noeviction.`,
  persistenceOn: ({ sync }: FindingValues['persistenceOn']) => `appendonly is on (appendfsync ${sync}).`,
  persistenceWeak: ({ setting }: FindingValues['persistenceWeak']) =>
    `${setting}: a restart or a power cut may lose questions.\nSet appendonly to yes and appendfsync to everysec, on a disk that stays.`,
  persistenceFails: () =>
    'Redis could not write its data to disk the last time it tried.\nFree or repair the disk of Redis.',

  diskFine: ({ free }: FindingValues['diskFine']) => `DATA_DIR can be written, and its disk has ${free} free.`,
  diskLow: ({ free }: FindingValues['diskLow']) =>
    `The disk of DATA_DIR has ${free} free.\nFree disk space. When it is full, the app takes no questions.`,
  diskFull: ({ free }: FindingValues['diskFull']) =>
    `The disk of DATA_DIR is full (${free} free): the app takes no questions.\nFree disk space.`,
  diskNotWritable: ({ code }: FindingValues['diskNotWritable']) =>
    `DATA_DIR can't be written (${code}).\nGive the user of the app the right to write there, or set another DATA_DIR.`,
} satisfies DoctorLines;

const linesDe: typeof linesEn = {
  noReply: ({ host, reason }) =>
    `Keine brauchbare Antwort von ${host}: ${reason}.\nPrüfe Adresse, Firewall und Proxy. Wenn der Code ein Zertifikat meint: siehe SRC_CA_FILE.`,
  refused: ({ reason, settings }) => `Abgelehnt: ${reason}.\nPrüfe ${settings}; mehr steht in docs/troubleshooting.md.`,
  notTold: ({ reason }) => `Nicht bekannt: ${reason}.\nSiehe docs/troubleshooting.md.`,
  notChecked: ({ because }) =>
    `Nicht geprüft, wegen der Zeile „${checkNames[because]}“.\nBringe zuerst diese Zeile in Ordnung.`,
  checkFailed: ({ code }) =>
    `Die Prüfung selbst ist gescheitert (${code}).\nStarte den Doctor noch einmal. Wenn es so bleibt, melde diese Zeile.`,

  configurationFine: () => 'Die Einstellungen haben keinen Fehler.',
  configurationWrong: ({ problem }) => `Falsch: ${problem}.\nSiehe docs/configuration.md.`,
  standIn: () =>
    'SLACK_STAND_IN ist true: Fehlende Angaben über Personen und Channels zählen als „nein“.\nEntferne es, außer SLACK_API_URL ist ein Ersatz wie emulate.',
  accountsWithoutKeys: ({ mode }) =>
    `ACCOUNTS ist ${mode}, und ENCRYPTION_KEYS fehlt: Niemand kann ein Konto verbinden.\nSetze ENCRYPTION_KEYS, siehe docs/accounts.md.`,
  fewOpenFiles: ({ limit }) =>
    `Dieser Prozess darf nur ${limit} Dateien öffnen, Sockets mitgezählt.\nStarte ihn nach „ulimit -n 4096“, oder erhöhe LimitNOFILE seiner Unit.`,
  serviceWithoutTls: () =>
    'SRC_ENDPOINT ist nicht https: Andere können unterwegs das Token und die Antworten lesen.\nNimm https, außer das Netz gehört dir allein.',

  tokenAccepted: ({ botUserId, teamId }) => `Slack akzeptiert es: Bot ${botUserId} im Workspace ${teamId}.`,
  tokenOfNoBot: () =>
    'Slack akzeptiert es, aber es gehört keinem Bot.\nSetze SLACK_BOT_TOKEN auf das Token, das mit xoxb- beginnt.',
  tokenOfEachWorkspace: () =>
    'Hier nicht geprüft: Jeder Workspace hat sein eigenes Token.\nSchreibe dort /deepsearch doctor, als eine der Personen in ADMINS.',

  scopesGranted: ({ count }) => `Alle ${count} Scopes aus manifest.yml sind erteilt.`,
  scopesMissing: ({ scopes }) =>
    `Nicht erteilt: ${scopes}.\nVergleiche die App mit manifest.yml, und installiere sie neu; siehe docs/permissions.md.`,
  scopesOptionalMissing: ({ scopes }) =>
    `Nicht erteilt, und nicht nötig: ${scopes}.\nNichts, außer du willst, was docs/permissions.md dazu sagt.`,

  socketOpens: ({ host }) => `Socket Mode: Slack bietet eine Verbindung bei ${host} an.`,
  endpointAnswers: ({ host }) => `Signierte Anfragen: Die App antwortet bei ${host}, mit diesem Signing Secret.`,
  endpointNotGiven: () =>
    'Signierte Anfragen: nicht geprüft, denn der Doctor kennt die Adresse nicht, die Slack benutzt.\nSetze PUBLIC_URL, oder starte npm run doctor -- --url mit der Request URL der App.',

  eventArrived: () => 'Slack hat das Ereignis einer Nachricht geschickt, die der Doctor geschrieben hat.',
  eventMissing: ({ seconds }) =>
    `Von der Nachricht des Doctors kam in ${seconds} s kein Ereignis.\nSchalte „Event Subscriptions“ in den Einstellungen der App ein, mit dem Bot-Ereignis message.im.`,
  eventMessageLeft: ({ code }) =>
    `Das Ereignis kam, und die Nachricht des Doctors ließ sich nicht löschen (${code}).\nLösche sie in deinen Direktnachrichten mit der App.`,
  eventsNeedApp: () =>
    'Hier nicht geprüft: Nur die laufende App bekommt Ereignisse.\nSchreibe /deepsearch doctor in Slack, als eine der Personen in ADMINS.',

  clockRight: () => 'Die Uhr dieses Rechners stimmt mit der von Slack überein.',
  clockOff: ({ seconds }) =>
    `Die Uhr dieses Rechners weicht von der von Slack um ${seconds} s ab.\nGleiche sie ab (NTP). Ab 300 s werden signierte Anfragen abgelehnt.`,
  clockFarOff: ({ seconds }) =>
    `Die Uhr dieses Rechners weicht von der von Slack um ${seconds} s ab; ab 300 s werden signierte Anfragen abgelehnt.\nGleiche sie ab (NTP).`,

  serviceAnswers: ({ host, generation }) =>
    `${host} antwortet über Generation ${generation} seiner API und akzeptiert das Token der App.`,
  accountKnown: ({ username }) => `Die App fragt als ${username}.`,
  accountIsOther: ({ username }) =>
    `Die App fragt als ${username}, und nicht als SRC_SUDO_USER.\nNimm ein Token mit site-admin:sudo, oder entferne SRC_SUDO_USER.`,

  quotaLeft: ({ percent }) => `${percent} % des Kontingents sind verbraucht.`,
  quotaNearlyUsed: ({ percent }) =>
    `${percent} % des Kontingents sind verbraucht.\nErhöhe das Kontingent, oder begrenze Fragen mit QUESTIONS_PER_PERSON_PER_DAY.`,
  quotaUsedUp: () =>
    'Das Kontingent ist verbraucht: Fragen warten, bis es erneuert wird.\nErhöhe das Kontingent des Kontos beim Dienst.',
  quotaNotTold: () => 'Der Dienst nennt kein Kontingent. Antworten zeigen eines, wenn es fast verbraucht ist.',

  redisReached: ({ where, version }) =>
    `Redis ${version} bei ${where} nimmt Daten an und wirft keine weg (noeviction).`,
  redisNotTold: ({ where }) =>
    `Redis bei ${where} nimmt Daten an und nennt seine Version oder maxmemory-policy nicht.\nAchte darauf, dass sie 6.2 oder neuer und noeviction sind.`,
  persistenceOn: ({ sync }) => `appendonly ist eingeschaltet (appendfsync ${sync}).`,
  persistenceWeak: ({ setting }) =>
    `${setting}: Bei einem Neustart oder Stromausfall können Fragen verloren gehen.\nSetze appendonly auf yes und appendfsync auf everysec, auf einer Platte, die bleibt.`,
  persistenceFails: () =>
    'Redis konnte seine Daten zuletzt nicht auf die Platte schreiben.\nSchaffe Platz auf der Platte von Redis, oder repariere sie.',

  diskFine: ({ free }) => `DATA_DIR ist beschreibbar, und auf der Platte sind ${free} frei.`,
  diskLow: ({ free }) =>
    `Auf der Platte von DATA_DIR sind ${free} frei.\nSchaffe Platz. Wenn sie voll ist, nimmt die App keine Fragen an.`,
  diskFull: ({ free }) =>
    `Die Platte von DATA_DIR ist voll (${free} frei): Die App nimmt keine Fragen an.\nSchaffe Platz.`,
  diskNotWritable: ({ code }) =>
    `DATA_DIR ist nicht beschreibbar (${code}).\nGib dem Benutzer der App dort Schreibrechte, oder setze ein anderes DATA_DIR.`,
};

/** The lines of the doctor, for terminal and Slack. */
export const doctorLineStrings = { en: linesEn, de: linesDe };
