import { people } from './people.ts';
import type { State } from './state.ts';

/** Names and channels for people to look at, over those that the tests know. */
export function seed({ people: known, channels, messages }: State): void {
  const { ada, bob, gerd, mia, uma, olga, otto, robo } = people;
  const names = {
    [ada]: 'Ada Adams',
    [bob]: 'Bob Brown',
    [gerd]: 'Gerd Gruber',
    [mia]: 'Mia Moreno',
    [uma]: 'Uma Ueda',
    [olga]: 'Olga Orlova',
    [otto]: 'Otto Olsen',
    [robo]: 'Robo',
  };
  for (const [id, real_name] of Object.entries(names)) known.change(id, { real_name });
  known.change(ada, { is_admin: true });
  for (const id of [mia, uma]) known.change(id, { tz: 'Europe/London', tz_offset: 0 });

  const open = { isPrivate: false, botIsMember: true, isArchived: false };
  channels.map.clear();
  const seeded = {
    C0GENERAL: { ...open, name: 'general', members: [ada, bob, gerd], topic: 'Everyone, about everything' },
    C0PAYMENTS: { ...open, name: 'payments', members: [ada, bob], topic: 'Charges, refunds, invoices' },
    C0DESIGN: {
      ...open,
      name: 'design',
      members: [ada, gerd],
      botIsMember: false,
      topic: 'Deep Search is not here yet: /invite @deepsearch adds it',
    },
    C0PRIVATE: { ...open, name: 'incident-42', members: [ada, bob], isPrivate: true },
    C0LEADS: { ...open, name: 'leads', members: [ada, bob], isPrivate: true, botIsMember: false },
    C0GUESTS: { ...open, name: 'with-guests', members: [ada, bob, mia, uma], topic: 'Mia and Uma are guests' },
    C0SHARED: {
      ...open,
      name: 'with-partners',
      members: [ada, bob, olga],
      isExtShared: true,
      topic: 'Shared with another organization',
    },
    G0GROUP: { ...open, name: 'mpdm-ada--bob--deepsearch-1', members: [ada, bob], isPrivate: true, isMpim: true },
  };
  for (const [id, channel] of Object.entries(seeded)) channels.map.set(id, channel);
  for (const id of [ada, bob, gerd, mia, uma])
    channels.map.set(id.replace(/^U/, 'D'), { ...open, isPrivate: true, isIm: true, members: [id] });

  const hour = 3_600;
  const said: [string, string, string, number][] = [
    ['C0GENERAL', bob, 'Good morning! The release of this week is out.', 26 * hour],
    ['C0GENERAL', gerd, 'Danke! Ich schaue mir die Änderungen heute an.', 25 * hour],
    ['C0PAYMENTS', ada, 'Refunds of yesterday were booked twice. Does anyone know where we retry them?', 3 * hour],
    ['C0DESIGN', gerd, 'The new icons are ready for review.', 5 * hour],
    ['C0SHARED', olga, 'Hello from the other side :wave:', 4 * hour],
  ];
  const nowSeconds = Math.floor(Date.now() / 1_000);
  for (const [index, [channel, user, text, secondsAgo]] of said.entries())
    messages.add({ channel, user, text, ts: `${nowSeconds - secondsAgo}.00000${index}` });
}
