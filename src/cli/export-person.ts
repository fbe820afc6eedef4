import { readCommandLine } from '../command-line.ts';
import { openStoreBeside } from '../storage/open-storage.ts';
import { findQuestionsOf } from '../storage/person-questions.ts';
import { exportPerson } from '../storage/person-records.ts';
import {
  type AdminCommand,
  noteInAudit,
  personOptions,
  quietLog,
  readPerson,
  storageLocation,
  writeOutput,
} from './program.ts';

const help = `Writes everything that is stored about a person as JSON.

  npm run admin -- export --user U… [--team T…] [--out file]
  node dist/cli/admin.js export --user U… [--team T…] [--out file]

  --user  the person's id in Slack
  --team  only in the workspace with this id; left out: in all
  --out   a file to write, in place of what it holds; left out: the standard output

Changes nothing; the app may run meanwhile. Writes a line for the audit log to the standard error. The
audit log itself is a part of the app's log, so its lines are not exported. The credential of a connected account is never written.
The file has questions and links about private code: only its owner may read it.
Exit codes: 0 written, 1 the storage or the file can't be used, 2 wrong arguments or settings.
`;

/** `export`: everything stored about a person. */
export const exportCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const line = readCommandLine(args, { ...personOptions, out: { takes: 'text' } });
    const person = readPerson(line);
    const store = await openStoreBeside(storageLocation(environment), { clock: Date.now, log: quietLog });
    try {
      const { subject } = await findQuestionsOf(store, person);
      const { parts, unreadable } = await exportPerson(store, subject);
      const written = { person, exportedAt: new Date().toISOString(), ...parts };
      writeOutput(`${JSON.stringify(written, null, 2)}\n`, line.values.out);
      const nowMs = Date.now();
      const entry = { id: `dataExported:${nowMs}`, atMs: nowMs, action: 'dataExported' as const };
      noteInAudit({ ...entry, teamId: person.teamId ?? 'all', detail: person.userId });
      if (unreadable.length > 0) {
        process.stderr.write(`left out because they can't be read: ${unreadable.length}\n`);
      }
      return 0;
    } finally {
      await store.close();
    }
  },
};
