import type { Overview } from '../history/overview.ts';
import type { Requests } from '../intake/requests.ts';
import type { Log, Records } from '../ports.ts';
import type { Question } from '../question/question.ts';
import type { ReaderChoices } from '../question/reader-choices.ts';
import { mostDepartedKnown } from '../settings.ts';
import { type Accounts, type Person, personName } from './accounts.ts';

/**
 * Ends what a person who left, or is no full member any more, had by their own account: removes the account first, then
 * cancels their open questions that use it or wait for it. Safe to repeat. Throws `AppError`: then it is not done.
 */
export function createEndDeparted(deps: {
  accounts: Pick<Accounts, 'mode' | 'remove'>;
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  requests: Pick<Requests, 'cancelOwn'>;
  log: Log;
}): (person: Person) => Promise<void> {
  const { accounts, overviewOf, requests, log } = deps;
  /** People whose questions this process has ended. The same person is seen as often as Slack is asked about them. */
  const known = new Set<string>();

  return async function endDeparted(person) {
    const { teamId, userId } = person;
    const hadOne = await accounts.remove(person, 'departed');
    if (hadOne) log.info({ event: 'account_removed', outcome: 'departed', userId });
    if (!hadOne && (accounts.mode === 'shared' || known.has(userId))) return;
    const { open } = await overviewOf(teamId, userId);
    for (const { question } of open) {
      if (!needsAccount(question)) continue;
      await requests.cancelOwn(question.id, person);
      log.info({ event: 'question_ended', outcome: 'departed', questionId: question.id });
    }
    if (known.size >= mostDepartedKnown) known.clear();
    known.add(userId);
  };
}

function needsAccount({ access, awaitsAccount }: Question): boolean {
  return access === 'own' || awaitsAccount !== undefined;
}

/**
 * Forgets where a person agreed to show their answers, once they have no account any more. So a person who disconnects and
 * connects again is asked again everywhere. Throws `AppError` of kind `storage` or `corrupt`.
 */
export function createForgetChoices(ports: {
  accounts: Pick<Accounts, 'statusOf'>;
  readerChoices: Records<ReaderChoices>;
}): (person: Person) => Promise<void> {
  const { accounts, readerChoices } = ports;
  return async function forgetChoices(person) {
    if ((await accounts.statusOf(person)).state !== 'none') return;
    const name = personName(person);
    if ((await readerChoices.get(name)) === undefined) return;
    await readerChoices.update(name, () => ({ version: 1, threads: [], channels: [] }));
  };
}
