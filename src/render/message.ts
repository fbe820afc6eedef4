import type { KnownBlock } from '@slack/types';
import type { Question } from '../core/question/question.ts';

/** A message ready for `chat.postMessage`, `chat.update` or `chat.postEphemeral`, without its address. */
export interface RenderedMessage {
  /** With blocks: what notifications show (≤ 1,000 characters). Without: the whole message. Slack mrkdwn, no pings. */
  text: string;
  blocks?: KnownBlock[];
  metadata?: { event_type: string; event_payload: { question_id: string; marker: string } };
}

/** How answers are written: native `markdown` blocks, mrkdwn sections, or text without blocks. */
export type MessageFormat = 'markdown' | 'mrkdwn' | 'plain';

/** The formats in the order in which they are tried. */
export const FORMAT_LADDER: readonly MessageFormat[] = ['markdown', 'mrkdwn', 'plain'];

/** What the messages of a question depend on besides the question. */
export interface RenderOptions {
  format: MessageFormat;
  /** The contact that the operator named. */
  contact?: string | undefined;
  /** The workspace's own address, which ends with a slash. */
  workspaceUrl?: string | undefined;
}

/** An outcome divided into messages, the same in every format, so a part can be posted again in a simpler one. */
export interface PreparedMessages {
  parts: number;
  /** Renders one part. `question` may have changed since in what does not belong to its outcome. */
  render(question: Question, part: number, options: RenderOptions): RenderedMessage;
}
