import type { KnownBlock } from '@slack/types';
import type { Question } from '../core/question/question.ts';

/** A message for `chat.postMessage`, `chat.update` or `chat.postEphemeral`, without the channel. */
export interface RenderedMessage {
  /**
   * With blocks: the text of notifications and screen readers, of an answer all its words. Without blocks: the whole
   * message. Slack mrkdwn, no pings.
   */
  text: string;
  blocks?: KnownBlock[];
  metadata?: { event_type: string; event_payload: { question_id: string; marker: string } };
}

/** Format of messages: native `markdown` blocks, mrkdwn sections, or text without blocks. */
export type MessageFormat = 'markdown' | 'mrkdwn' | 'plain';

/** The formats in the order in which the app tries them. */
export const FORMAT_LADDER: readonly MessageFormat[] = ['markdown', 'mrkdwn', 'plain'];

/** What rendering a question needs besides the question, which includes its asker's language. */
export interface RenderOptions {
  format: MessageFormat;
  /** The contact that the operator set, if any. */
  contact?: string;
  /** The workspace's address, which ends with a slash. */
  workspaceUrl?: string;
}

/** An outcome divided into messages, the same in every format, so a part can be posted again in a simpler one. */
export interface PreparedMessages {
  parts: number;
  /** Renders one part. `question` may have changed since in what does not belong to its outcome. */
  render(question: Question, part: number, options: RenderOptions): RenderedMessage;
}
