/** When a person last opened the app's Home. It is kept up to date for recent visitors only. */
export interface Visit {
  version: 1;
  openedMs: number;
  /** The person's conversation with the app, where it was opened. */
  channelId: string;
}

/** How long a Home is kept up to date after a visit. */
export const visitLifeMs = 7 * 24 * 60 * 60 * 1000;
