/** What was done with a message, told to those who ask why. */
export type Disposition =
  | 'asked'
  | 'cancelled'
  /** A verb such as `status` was carried out. */
  | 'verbCarriedOut'
  /** The same message came again. */
  | 'duplicate'
  /** It begins by addressing another person. */
  | 'addressesAnother'
  | 'muted'
  /** It is thanks, an emoji or the like. */
  | 'asksNothing'
  /** A plain reply in a thread that people started, without a mention. */
  | 'peoplesThread'
  | 'fromBot'
  | 'edited'
  | 'noText'
  | 'tooLong'
  /** Too many questions wait in the thread. */
  | 'queueFull'
  /** It could not be stored; Slack was asked to deliver it again. */
  | 'notTaken';

/** One message and its fate; never its text. */
export interface MessageLogEntry {
  ts: string;
  threadTs?: string;
  userId: string;
  atMs: number;
  disposition: Disposition;
  /** The question it became, whose own state says the rest. */
  questionId?: string;
}

/** The latest fates of messages in one channel, newest first. */
export interface MessageLogRecord {
  version: 1;
  entries: MessageLogEntry[];
}
