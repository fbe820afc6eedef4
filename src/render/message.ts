import type { KnownBlock } from '@slack/types';

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

/** What the renderings of a question depend on besides the question, which knows its asker's language. */
export interface RenderOptions {
  format: MessageFormat;
  /** Whom people are told to turn to, where the operator named someone. */
  contact?: string | undefined;
  /** The workspace's own address, which ends with a slash. */
  workspaceUrl?: string | undefined;
}
