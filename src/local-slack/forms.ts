import type { SlackBlock, SlackElement, SlackOption } from './messages.ts';
import type { SlackView } from './views.ts';

/** Input of a person: a text, the label or value of an option, a conversation's id, several of them, or a raw state. */
export type Entered = string | string[] | Record<string, unknown>;

/** What is wrong with the input of a block, as Slack's form says it. */
export class FormError extends Error {
  readonly blockId: string;
  constructor(blockId: string, message: string) {
    super(message);
    this.blockId = blockId;
  }
}

/**
 * The state of a view after a person fills it in, by action id, block id, both with a slash, or label; other fields keep
 * their initial value. Throws when Slack's form would not allow it: an empty required field (unless it is not complete
 * yet), a text that is too long, an unknown option, an unknown field.
 */
export function filledIn(
  view: SlackView,
  entered: Record<string, Entered>,
  { isComplete = true } = {},
): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = {};
  const used = new Set<string>();
  for (const block of view.blocks) {
    for (const element of fieldsOf(block)) {
      const { action_id: actionId = 'action' } = element;
      const { block_id: blockId = '' } = block;
      const names = [actionId, blockId, `${blockId}/${actionId}`, textOf(block.label)].filter(
        (name) => name !== undefined,
      );
      const name = names.find((each) => entered[each] !== undefined);
      if (name !== undefined) used.add(name);
      const state = stateOf(element, name === undefined ? undefined : entered[name], blockId);
      if (isComplete && block.type === 'input' && block.optional !== true && isEmpty(state))
        throw new FormError(blockId, 'Please complete this required field.');
      values[blockId] = { ...values[blockId], [actionId]: state };
    }
  }
  const unused = Object.keys(entered).filter((name) => !used.has(name));
  if (unused.length > 0) throw new FormError('', `the form has no ${unused.join(', ')}`);
  return values;
}

/** Reads the action of a person who uses an element; `choice`: what they choose, press or type. */
export function actionOf(element: SlackElement, choice: Entered | undefined): Record<string, unknown> {
  const { type, action_id, text, value } = element;
  if (type === 'button' || type === 'icon_button')
    return { type, action_id, text, ...(value === undefined ? {} : { value }) };
  if (type !== 'feedback_buttons') return { action_id, ...stateOf(element, choice, '') };
  const pressed = choice === 'negative' ? element.negative_button : element.positive_button;
  return { type, action_id, text: pressed?.text, value: pressed?.value };
}

export function elementsOf({ elements = [], accessory, element }: SlackBlock): SlackElement[] {
  return [...elements, accessory, element].filter((each) => each !== undefined);
}

function fieldsOf(block: SlackBlock): SlackElement[] {
  return elementsOf(block).filter(({ type }) => /_select$|_input$|^radio_buttons$|^checkboxes$/.test(type));
}

function stateOf(element: SlackElement, given: Entered | undefined, blockId: string): Record<string, unknown> {
  const isText = element.type.endsWith('_input');
  // An empty choice chooses nothing.
  const entered = given === '' && !isText ? [] : given;
  const { type } = element;
  if (typeof entered === 'object' && !Array.isArray(entered)) return { type, ...entered };
  if (type === 'plain_text_input') {
    const value = String(entered ?? element.initial_value ?? '');
    const { max_length: most = 3_000, min_length: least = 0 } = element;
    if (value.length > most || (value !== '' && value.length < least))
      throw new FormError(blockId, `This has ${value.length} characters; ${least} to ${most} are possible.`);
    return { type, value: value === '' ? null : value };
  }
  if (type === 'conversations_select')
    return { type, selected_conversation: one(entered ?? element.initial_conversation) };
  if (type === 'channels_select') return { type, selected_channel: one(entered) };
  if (type === 'users_select') return { type, selected_user: one(entered) };
  const options = entered === undefined ? undefined : [entered].flat().map((name) => optionIn(element, name, blockId));
  if (type === 'checkboxes' || type.startsWith('multi_'))
    return { type, selected_options: options ?? element.initial_options ?? [] };
  return { type, selected_option: one(options ?? element.initial_option) };
}

function one<Item>(value: Item | Item[] | undefined): Item | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

function optionIn({ options = [], action_id: actionId }: SlackElement, name: string, blockId: string): SlackOption {
  const found = options.find((option) => option.value === name || textOf(option.text) === name);
  if (found === undefined) throw new FormError(blockId, `${actionId} has no option ${name}`);
  return found;
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
