import { setTimeout as wait } from 'node:timers/promises';
import { createConversationDeletion } from '../app/accounts.ts';
import { readCommandLine } from '../command-line.ts';
import { type Config, parseConfig, parseRetentionDays } from '../config.ts';
import type { Person } from '../core/accounts/accounts.ts';
import { isAppError } from '../core/errors.ts';
import { type ConversationId, questionType } from '../core/question/question.ts';
import { createKeyRing } from '../storage/encryption.ts';
import type { KeyValueStore } from '../storage/key-value-store.ts';
import { createLocks } from '../storage/locks.ts';
import { openStoreBeside } from '../storage/open-storage.ts';
import { cancelOpen, findQuestionsOf, type OwnQuestion, stillOpen } from '../storage/person-questions.ts';
import { erasePerson } from '../storage/person-records.ts';
import { accountKey, createAccountStore } from '../storage/sealed-records.ts';
import {
  type AdminCommand,
  type Environment,
  noteInAudit,
  personOptions,
  quietLog,
  readPerson,
  storageLocation,
} from './program.ts';

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
people stay, without the person's part. Messages in Slack and lines of the app's
log stay. A conversation in
which other people asked too stays at the service. The app may run meanwhile.
Prints how many records were erased or changed, by kind, and to the standard error a line for
the audit log. Safe to run again, also after it was interrupted.
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
    const retentionDays = parseRetentionDays(environment);
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
      const nowMs = Date.now();
      // Says that someone's data was erased, not whose.
      const entry = { id: `dataForgotten:${nowMs}`, atMs: nowMs, action: 'dataForgotten' as const };
      noteInAudit({ ...entry, teamId: person.teamId ?? 'all' });
      const atService = deletion && {
        conversationsDeleted: deletion.deleted,
        conversationsOfOthersToo: deletion.shared,
      };
      print({ cancelled: cancelled.length, ...atService, ...erased });
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

/** What became of a person's conversations at the service. */
interface UpstreamDeletion {
  deleted: number;
  /** Other people asked in them too, so they stay. */
  shared: number;
  /** One line for each conversation that could not be deleted, with its id. */
  failures: string[];
  /** Keys of records that another try needs. */
  kept: Set<string>;
}

/** All settings of the app, because requests need those of the service. Throws `ConfigError`. */
function upstreamConfig(environment: Environment): Config {
  return parseConfig(environment);
}

/**
 * Deletes the conversations of a person's questions at the service: with the app's account those that were asked with
 * it, with their own account the others. Goes on after a failure. Throws `AppError` of kind `storage`.
 */
async function deleteConversations(
  store: KeyValueStore,
  config: Config,
  questions: readonly OwnQuestion[],
  userId: string,
): Promise<UpstreamDeletion> {
  const keyRing = createKeyRing(config.ENCRYPTION_KEYS ?? []);
  const service = createConversationDeletion(config, {
    accounts: createAccountStore(store, keyRing),
    locks: createLocks(store, quietLog),
    log: quietLog,
  });
  const result: UpstreamDeletion = { deleted: 0, shared: 0, failures: [], kept: new Set() };
  const seen = new Map<string, boolean>();
  try {
    for (const question of questions) {
      const { conversationId, access, teamId, id } = question;
      if (conversationId === undefined) continue;
      const person: Person = { teamId, userId };
      const name = `${access} ${teamId} ${conversationId}`;
      const known = seen.get(name);
      const mayRetry = known ?? (await deleteOne(access === 'own' ? person : 'app', question, conversationId));
      seen.set(name, mayRetry);
      if (!mayRetry) continue;
      result.kept.add(questionType.key(id));
      if (access === 'own') result.kept.add(accountKey(person));
    }
    return result;
  } finally {
    await service.close();
  }

  /** Returns whether another try may delete it. */
  async function deleteOne(
    account: 'app' | Person,
    { isShared }: OwnQuestion,
    conversationId: ConversationId,
  ): Promise<boolean> {
    if (isShared) {
      result.shared += 1;
      return false;
    }
    try {
      await service.remove(account, conversationId);
      result.deleted += 1;
      return false;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage') throw error;
      const whose = account === 'app' ? "the app's account" : "the person's own account";
      const isFinal = account !== 'app' && (error.kind === 'unauthorized' || error.kind === 'corrupt');
      const advice = isFinal ? 'delete it at the service' : 'run the command again';
      result.failures.push(`conversation ${conversationId} of ${whose} is not deleted (${error.kind}): ${advice}`);
      return !isFinal;
    }
  }
}
