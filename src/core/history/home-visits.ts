/** When a person last opened the app's Home. The app updates the Home of recent visitors only. */
export interface Visit {
  version: 1;
  openedMs: number;
  /** The person's direct message with the app. The person opened Home there. */
  channelId: string;
}
