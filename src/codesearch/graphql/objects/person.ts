import type { Person } from '../../git/commits.ts';
import type { GraphqlData } from '../data.ts';
import type { Work } from '../work.ts';

/** The object of the type `Signature`. `userOf` makes the object of a user. */
export function createSignature(
  { name, email, date }: Person,
  data: GraphqlData,
  userOf: (id: number) => object | undefined,
) {
  return {
    date,
    person: {
      name,
      email,
      displayName: name || email.replace(/@.*$/s, ''),
      avatarURL: null,
      user(_: unknown, { viewer }: Work) {
        if (!viewer.siteAdmin) return null;
        const user = data.users.users().find((other) => other.email?.toLowerCase() === email.toLowerCase());
        return user === undefined || email === '' ? null : userOf(user.id);
      },
    },
  };
}
