/** When a person last opened the app's Home. The app updates the Home of recent visitors only. */
export interface Visit {
  version: 1;
  openedMs: number;
  /** The person's direct message with the app. The person opened Home there. */
  channelId: string;
}

/** How long after a visit the app updates a Home. */
export const visitLifeMs = 7 * 24 * 60 * 60 * 1000;
