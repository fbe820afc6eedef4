/** A file beside a message, as far as it matters to reading it. */
export interface HeardFile {
  id: string;
  name: string;
  /** Slack's `mimetype`. */
  type: string;
  bytes: number;
  /** Where its content is, for the bot's token only. */
  url?: string;
}

/** One message people wrote in a thread of the app that was not meant for the app. */
export interface HeardMessage {
  ts: string;
  userId: string;
  /** As Slack sent it. */
  text: string;
  files: HeardFile[];
}

/** What people said in a thread since the app was last asked there, oldest first. */
export interface Heard {
  version: 1;
  messages: HeardMessage[];
}
