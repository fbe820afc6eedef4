import type { Records } from '../ports.ts';
import type { ReaderChoices } from '../question/reader-choices.ts';
import { type Accounts, type Person, personName } from './accounts.ts';

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
