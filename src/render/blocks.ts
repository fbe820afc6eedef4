import type { ActionsBlock, ActionsBlockElement, Button, ContextBlock, SectionBlock } from '@slack/types';
import { type ButtonValue, buttonValue } from './ids.ts';
import { LIMITS } from './limits.ts';
import { cut, oneLine } from './text.ts';

/** A section of mrkdwn (≤ 3,000 characters). Slack's automatic parsing of bare names and addresses is off. */
export function section(text: string, blockId?: string): SectionBlock {
  return {
    type: 'section',
    ...(blockId === undefined ? {} : { block_id: blockId }),
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
    ...(blockId === undefined ? {} : { block_id: blockId }),
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
    ...(style === undefined ? {} : { style }),
  };
}
