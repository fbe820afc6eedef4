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

/** What frames the lines of the doctor in Slack. The lines are in `doctor-lines.ts`. */
export const doctorStrings = { en, de };
