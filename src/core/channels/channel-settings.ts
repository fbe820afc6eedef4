/** The rules of one channel, set by an admin. The operator's settings stay the outer limit. Times are epoch milliseconds. */
export interface ChannelSettings {
  version: 1;
  teamId: string;
  channelId: string;
  /** False: no one may ask here. */
  isOn: boolean;
  /** Who may ask. `guests`: full members and guests. */
  asking: 'members' | 'guests';
  /** Answers are shown although guests read here. Guests still may not ask unless `asking` says so. */
  guestsMayRead: boolean;
  /** The channel may have people of other organizations: ticked by an admin. */
  isExternalAllowed: boolean;
  /** Repositories to search, as the service names them. Empty: all. */
  repositories: string[];
  /** What a plain reply in a thread of the app is: a follow-up, or nothing unless it mentions the app. */
  replies: 'followUps' | 'mentions';
  /** Where answers go. `private`: to the asker's direct messages. */
  answers: 'thread' | 'private';
  /** The service gets the channel's name, topic and purpose, quoted as untrusted. */
  sendsContext: boolean;
  changedBy: string;
  changedMs: number;
}
