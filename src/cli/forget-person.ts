import { setTimeout as wait } from 'node:timers/promises';
import { readCommandLine } from '../command-line.ts';
import { parseLifetimes } from '../config.ts';
import { openStoreBeside } from '../storage/open-storage.ts';
import { eraseFromAudit, noteInAudit } from '../storage/person-audit.ts';
import { cancelOpen, findQuestionsOf, type OwnQuestion, stillOpen } from '../storage/person-questions.ts';
import { erasePerson } from '../storage/person-records.ts';
import type { AdminCommand } from './admin-command.ts';
import { deleteConversations, upstreamConfig } from './forget-upstream.ts';
import { personOptions, readPerson } from './person-order.ts';
import { quietLog, storageLocation } from './program.ts';

/** How long the running app may take to close the person's cancelled questions: it waits 30 s for the service. */
const waitSeconds = 120;
const checkEveryMs = 500;
const dayMs = 24 * 60 * 60 * 1_000;

const help = `Erases everything that is stored about a person.

  npm run admin -- forget --user U… [--team T…] [--wait seconds] [--upstream]
  node dist/cli/admin.js forget --user U… [--team T…] [--wait seconds] [--upstream]

  --user  the person's id in Slack
  --team  only in the workspace with this id; left out: in all
  --wait  how many seconds the app may take to close the person's open questions; left out: ${waitSeconds}
  --upstream  also deletes the person's conversations at the service. Needs all settings of the app

Cancels the person's open questions first, and the running app closes their cards. Threads and questions of other
people stay, without the person's part. Messages in Slack stay. A conversation in
which other people asked too stays at the service. The app may run meanwhile.
Prints how many records were erased or changed, by kind. Safe to run again, also after it was interrupted.
Exit codes: 0 erased, 1 something is left (run it again) or the storage can't be used, 2 wrong arguments or settings.
`;

/** `forget`: erases everything stored about a person. */
export const forgetCommand: AdminCommand = {
  help,
  async run(args, environment) {
    const line = readCommandLine(args, {
      ...personOptions,
      wait: { takes: 'whole', least: 0, most: 3_600 },
      upstream: { takes: 'nothing' },
    });
    const person = readPerson(line);
    const { RETENTION_DAYS: retentionDays = Number.POSITIVE_INFINITY, AUDIT_DAYS: auditDays } =
      parseLifetimes(environment);
    const upstream = line.values.upstream ? upstreamConfig(environment) : undefined;
    const store = await openStoreBeside(storageLocation(environment), { clock: Date.now, log: quietLog });
    try {
      const { questions, subject } = await findQuestionsOf(store, person);
      const cancelled = await cancelOpen(store, questions, { userId: person.userId, nowMs: Date.now() });
      const open = await untilClosed(cancelled, (line.values.wait ?? waitSeconds) * 1_000);
      const deletion = upstream && (await deleteConversations(store, upstream, await ended(), person.userId));
      const { erased, inUse, unreadable } = await erasePerson(store, subject, {
        retentionMs: retentionDays * dayMs,
        kept: deletion?.kept ?? new Set(),
      });
      const audit = await eraseFromAudit(store, subject);
      const nowMs = Date.now();
      // Says that someone's data was erased, not whose.
      const entry = { id: `dataForgotten:${nowMs}`, atMs: nowMs, action: 'dataForgotten' as const };
      await noteInAudit(store, { ...entry, teamId: person.teamId ?? 'all' }, Math.min(auditDays, retentionDays));
      const atService = deletion && {
        conversationsDeleted: deletion.deleted,
        conversationsOfOthersToo: deletion.shared,
      };
      print({ cancelled: cancelled.length, ...atService, ...erased, audit });
      return report({
        open: open.length,
        inUse: inUse.length,
        unreadable: unreadable.length,
        failures: deletion?.failures ?? [],
      });
    } finally {
      await store.close();
    }

    /** The person's questions as they are now: one that was being asked has its conversation by now. */
    async function ended(): Promise<OwnQuestion[]> {
      return (await findQuestionsOf(store, person)).questions.filter(({ isOpen }) => !isOpen);
    }

    async function untilClosed(ids: string[], patienceMs: number): Promise<string[]> {
      const untilMs = performance.now() + patienceMs;
      let open = await stillOpen(store, ids);
      while (open.length > 0 && performance.now() < untilMs) {
        await wait(checkEveryMs);
        open = await stillOpen(store, open);
      }
      return open;
    }
  },
};

function print(counts: Record<string, number>): void {
  const lines = Object.entries(counts).map(([name, count]) => `${name}: ${count}\n`);
  process.stdout.write(lines.join(''));
}

interface Left {
  open: number;
  inUse: number;
  unreadable: number;
  failures: string[];
}

/** Says what is left. Returns the exit code. */
function report({ open, inUse, unreadable, failures }: Left): number {
  const left = [
    open > 0 && `still open: ${open} questions. Is the app running? Run the command again once they have ended.`,
    inUse > open && `still needed by open questions: ${inUse - open} records. Run the command again later.`,
    unreadable > 0 && `not erased because they can't be read: ${unreadable} records. RETENTION_DAYS ends their life.`,
    ...failures,
  ].filter((each) => each !== false);
  for (const each of left) process.stderr.write(`${each}\n`);
  return left.length === 0 ? 0 : 1;
}
