import type { SlackBlock, SlackElement, SlackOption } from './messages.ts';
import type { SlackView } from './views.ts';

/** Input of a person: a text, the label or value of an option, a conversation's id, several of them, or a raw state. */
export type Entered = string | string[] | Record<string, unknown>;

/**
 * The state of a view after a person fills it in, by action id, block id or label; other fields keep their initial
 * value. Throws when Slack's form would not allow it: an empty required field, a text that is too long, an unknown
 * option, an unknown field.
 */
export function filledIn(view: SlackView, entered: Record<string, Entered>): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = {};
  const used = new Set<string>();
  for (const block of view.blocks) {
    for (const element of fieldsOf(block)) {
      const { action_id: actionId = 'action' } = element;
      const names = [actionId, block.block_id, textOf(block.label)].filter((name) => name !== undefined);
      const name = names.find((each) => entered[each] !== undefined);
      if (name !== undefined) used.add(name);
      const state = stateOf(element, name === undefined ? undefined : entered[name]);
      if (block.type === 'input' && block.optional !== true && isEmpty(state))
        throw new Error(`Slack does not send a form without ${names.join('/')}`);
      const blockId = block.block_id ?? '';
      values[blockId] = { ...values[blockId], [actionId]: state };
    }
  }
  const unused = Object.keys(entered).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`the form has no ${unused.join(', ')}`);
  return values;
}

function fieldsOf(block: SlackBlock): SlackElement[] {
  const all = [...(block.elements ?? []), block.accessory, block.element].filter((each) => each !== undefined);
  return all.filter(({ type }) => /_select$|_input$|^radio_buttons$|^checkboxes$/.test(type));
}

function stateOf(element: SlackElement, entered: Entered | undefined): Record<string, unknown> {
  const { type } = element;
  if (typeof entered === 'object' && !Array.isArray(entered)) return { type, ...entered };
  if (type === 'plain_text_input') {
    const value = String(entered ?? element.initial_value ?? '');
    const { max_length: most = 3_000, min_length: least = 0 } = element;
    if (value.length > most || (value !== '' && value.length < least))
      throw new Error(`Slack does not take ${value.length} characters, but ${least} to ${most}`);
    return { type, value: value === '' ? null : value };
  }
  if (type === 'conversations_select')
    return { type, selected_conversation: entered ?? element.initial_conversation ?? null };
  if (type === 'channels_select') return { type, selected_channel: entered ?? null };
  if (type === 'users_select') return { type, selected_user: entered ?? null };
  if (type === 'checkboxes' || type === 'multi_static_select') {
    const chosen = entered === undefined ? (element.initial_options ?? []) : [entered].flat().map(optionIn(element));
    return { type, selected_options: chosen };
  }
  const chosen = entered === undefined ? element.initial_option : optionIn(element)(String(entered));
  return { type, selected_option: chosen ?? null };
}

function optionIn({ options = [], action_id: actionId }: SlackElement): (name: string) => SlackOption {
  return (name) => {
    const found = options.find((option) => option.value === name || textOf(option.text) === name);
    if (found === undefined) throw new Error(`${actionId} has no option ${name}`);
    return found;
  };
}

function isEmpty(state: Record<string, unknown>): boolean {
  return Object.entries(state).every(
    ([key, value]) => key === 'type' || value === null || (Array.isArray(value) && value.length === 0),
  );
}

/** The text of a text object; undefined for anything else. */
function textOf(node: unknown): string | undefined {
  return typeof node === 'object' && node !== null && 'text' in node && typeof node.text === 'string'
    ? node.text
    : undefined;
}
