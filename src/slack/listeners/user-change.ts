import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Desk } from './desk.ts';

/** What is read of `user_change` events: the person, as `users.info` tells of them. */
const changeEvent = z.object({ user: z.unknown() });

/** Who is made a guest, or leaves, may not ask any more from that moment on. */
export function registerPeople(app: App, desk: Pick<Desk, 'noteChanged'>): void {
  app.event('user_change', async ({ event }) => {
    const parsed = changeEvent.safeParse(event);
    if (parsed.success) desk.noteChanged(parsed.data.user);
  });
}
