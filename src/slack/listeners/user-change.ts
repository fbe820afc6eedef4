import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { AccessControl } from '../access/access-control.ts';

/** What is read of `user_change` events: the person, as `users.info` tells of them. */
const changeEvent = z.object({ user: z.unknown() });

export interface UserChangeDeps {
  noteChanged: AccessControl['noteChanged'];
}

/** Who is made a guest, or leaves, may not ask any more from that moment on. */
export function registerPeople(app: App, deps: UserChangeDeps): void {
  app.event('user_change', async ({ event }) => {
    const parsed = changeEvent.safeParse(event);
    if (parsed.success) deps.noteChanged(parsed.data.user);
  });
}
