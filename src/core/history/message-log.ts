/** What the app did with a message. The verb `why` shows it. */
export type Disposition =
  | 'asked'
  | 'cancelled'
  /** The app carried out a verb, for example `status`. */
  | 'verbCarriedOut'
  /** Slack delivered the same message again. */
  | 'duplicate'
  /** It begins with a mention of another person. */
  | 'addressesAnother'
  | 'muted'
  /** The channel's settings take only mentions. */
  | 'onlyMentions'
  /** It is thanks, an emoji or another courtesy. */
  | 'asksNothing'
  /** A plain reply in a thread that people started, without a mention. */
  | 'peoplesThread'
  | 'fromBot'
  | 'edited'
  | 'noText'
  | 'tooLong'
  /** Too many questions wait in the thread. */
  | 'queueFull'
  /** It could not be stored. The app asked Slack to deliver it again. */
  | 'notTaken';

/** One message and its disposition. Never contains its text. */
export interface MessageLogEntry {
  ts: string;
  threadTs?: string;
  userId: string;
  atMs: number;
  /** How the message reached the app. Absent for an edit, which says nothing about it. */
  reached?: 'mention' | 'reply' | 'direct';
  disposition: Disposition;
  /** The question that the message became. Its state shows the rest. */
  questionId?: string;
}

/** The latest messages of one channel and their dispositions, newest first. */
export interface MessageLogRecord {
  version: 1;
  entries: MessageLogEntry[];
}
