import type { ActionsBlock, ActionsBlockElement, Button, ContextBlock, KnownBlock, SectionBlock } from '@slack/types';
import type { Question } from '../core/question/question.ts';
import { type ButtonValue, buttonValue, type MarkerMetadata } from './ids.ts';
import { LIMITS } from './limits.ts';
import { cut, inertMrkdwn, oneLine, pieces } from './text.ts';

/** A section of mrkdwn (≤ 3,000 characters). Slack's automatic parsing of bare names and addresses is off. */
export function section(text: string, blockId?: string): SectionBlock {
  return {
    type: 'section',
    block_id: blockId,
    text: { type: 'mrkdwn', text, verbatim: true },
    expand: true,
  };
}

/** Lines of mrkdwn in as few sections as Slack allows. */
export function sections(lines: readonly string[]): SectionBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    const both = `${last}\n${line}`;
    if (last === undefined || both.length > LIMITS.sectionText) texts.push(line.slice(0, LIMITS.sectionText));
    else texts[texts.length - 1] = both;
  }
  return texts.map((text) => section(text));
}

/** Small mrkdwn: one text, or several that stand side by side where they have room. */
export function context(texts: string | readonly string[], blockId?: string): ContextBlock {
  return {
    type: 'context',
    block_id: blockId,
    elements: [texts].flat().map((text) => ({ type: 'mrkdwn', text, verbatim: true })),
  };
}

export function actions(elements: ActionsBlockElement[]): ActionsBlock {
  return { type: 'actions', elements };
}

/** A button with a plain label, cut at a word to Slack's 75 characters. */
export function button(label: string, actionId: string, value: ButtonValue, style?: 'primary' | 'danger'): Button {
  return {
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: cut(oneLine(label), LIMITS.buttonText), emoji: false },
    value: buttonValue(value),
    style,
  };
}

const QUOTE_MARK = '> ';
/** Room for a heading line in the first section, and for the "…" in the last one. */
const RESERVE = 200;
/** Leaves room in `messageWeight` for the blocks around the quote. */
const MAX_WRITTEN = 11_000;

/**
 * Quotes untrusted text, in full if Slack's limits allow it, otherwise its beginning with "…". Returns mrkdwn
 * sections of ≤ 3,000 characters.
 */
export function quote(heading: string, text: string): string[] {
  const sections: string[] = [];
  let written = 0;
  const all = pieces(text, LIMITS.sectionText - RESERVE - heading.length, quoted);
  for (const piece of all) {
    const section = quoted(piece.replace(/\n$/, ''));
    if (written + section.length > MAX_WRITTEN) {
      const last = sections.length - 1;
      sections[last] = `${sections[last]}…`;
      return withHeading(heading, sections);
    }
    sections.push(section);
    written += section.length;
  }
  return withHeading(heading, sections);
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `${QUOTE_MARK}${inertMrkdwn(line)}`)
    .join('\n');
}

function withHeading(heading: string, sections: string[]): string[] {
  return sections.length === 0
    ? [heading]
    : sections.map((section, index) => (index === 0 ? `${heading}\n${section}` : section));
}

/** A message for `chat.postMessage`, `chat.update` or `chat.postEphemeral`, without the channel. */
export interface RenderedMessage {
  /**
   * With blocks: the text of notifications and screen readers, of an answer all its words. Without blocks: the whole
   * message. Slack mrkdwn, no pings.
   */
  text: string;
  blocks?: KnownBlock[];
  metadata?: MarkerMetadata;
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
