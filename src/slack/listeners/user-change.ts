import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { AccessControl } from '../access/access-control.ts';

/** What is read of `user_change` events: the same user object as in `users.info`. */
const changeEvent = z.object({ user: z.unknown() });

export interface UserChangeDeps {
  noteChanged: AccessControl['noteChanged'];
}

/** A person who becomes a guest or leaves may not ask from that moment on. */
export function registerPeople(app: App, deps: UserChangeDeps): void {
  app.event('user_change', async ({ event }) => {
    const parsed = changeEvent.safeParse(event);
    if (parsed.success) deps.noteChanged(parsed.data.user);
  });
}
