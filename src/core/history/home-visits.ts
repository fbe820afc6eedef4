/** When someone last looked at the app's Home, so that it is kept fresh for those who do. */
export interface Visit {
  version: 1;
  openedMs: number;
  /** The person's conversation with the app, where it was opened. */
  channelId: string;
}

/** How long after somebody looked their Home is kept fresh. */
export const visitLifeMs = 7 * 24 * 60 * 60 * 1000;
