import { checkElement } from './limits-elements.ts';
import { checkLength, checkText, checkWellFormed, type Fields, isFields, list, parsed } from './limits-text.ts';

/**
 * Lists the reasons why Slack would refuse a payload, one sentence each. The limits are copied from Slack's reference
 * pages a second time, independent of the app's limits, so that tests find a wrong number there. Blocks may be an array
 * or JSON, as forms carry them.
 */
export function slackProblems(method: string, payload: Record<string, unknown>): string[] {
  const problems: string[] = [];
  switch (method) {
    case 'chat.postMessage':
    case 'chat.update':
    case 'chat.postEphemeral':
      checkMessage(method, payload, problems);
      break;
    case 'chat.unfurl':
      checkUnfurl(payload, problems);
      break;
    case 'views.open':
    case 'views.push':
    case 'views.update':
    case 'views.publish':
      checkView(payload, problems);
      break;
    default:
      break;
  }
  return problems;
}

type Surface = 'message' | 'preview' | 'modal' | 'home';

const MESSAGE_BLOCKS = new Set([
  'section',
  'header',
  'context',
  'actions',
  'context_actions',
  'markdown',
  'rich_text',
  'table',
  'image',
  'divider',
]);
const MODAL_BLOCKS = new Set(['section', 'header', 'context', 'actions', 'rich_text', 'input', 'image', 'divider']);
const BLOCKS: Record<Surface, Set<string>> = {
  message: MESSAGE_BLOCKS,
  preview: new Set(['section', 'header', 'context', 'actions', 'image', 'divider']),
  modal: MODAL_BLOCKS,
  home: new Set([...MODAL_BLOCKS, 'table']),
};

/** Maximum weight of a message and the weight of a block, both measured (slackapi/bolt-js issue 2509). */
const MESSAGE_WEIGHT = 13_297;
const BLOCK_WEIGHT = 125;

function checkMessage(method: string, payload: Fields, problems: string[]): void {
  const { text, markdown_text: markdownText, thread_ts: threadTs } = payload;
  const blocks = list(payload.blocks, 'blocks', problems);
  if (text !== undefined && typeof text !== 'string') problems.push('text is not a string');
  const length = typeof text === 'string' ? text.length : 0;
  if (method === 'chat.postMessage' && length > 40_000) problems.push(`text is cut off: ${length} > 40000`);
  if (method !== 'chat.postMessage') {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text).length : 0;
    if (bytes > 4_000) problems.push(`msg_too_long: text has ${bytes} > 4000 bytes`);
  }
  if (length === 0 && blocks === undefined && markdownText === undefined) problems.push('no_text');
  if (markdownText !== undefined) {
    if (text !== undefined || blocks !== undefined) problems.push('markdown_text_conflict');
    if (typeof markdownText !== 'string' || markdownText.length > 12_000) problems.push('markdown_text is over 12000');
  }
  if (threadTs !== undefined && typeof threadTs !== 'string') problems.push('thread_ts is not a string');
  if (typeof text === 'string') checkWellFormed('text', text, problems);
  checkMetadata(payload.metadata, problems);
  if (blocks !== undefined) {
    if (blocks.length > 50) problems.push(`invalid_blocks: ${blocks.length} > 50 blocks`);
    checkBlocks(blocks, 'message', problems);
    const markdown = blocks.reduce(
      (sum: number, block) => sum + (block.type === 'markdown' ? lengthOf(block.text) : 0),
      0,
    );
    if (markdown > 12_000) problems.push(`msg_blocks_too_long: ${markdown} > 12000 characters of markdown`);
    const weight = blocks.reduce((sum: number, block) => sum + BLOCK_WEIGHT + textWeight(block), 0);
    if (weight > MESSAGE_WEIGHT) problems.push(`msg_blocks_too_long: weighs ${weight} > ${MESSAGE_WEIGHT}`);
  }
}

/** Checks one link preview: blocks, or a legacy attachment. */
function checkUnfurl(payload: Fields, problems: string[]): void {
  const blocks = list(payload.blocks, 'blocks', problems);
  if (blocks === undefined) {
    if (typeof payload.text !== 'string' && typeof payload.title !== 'string') problems.push('an empty preview');
    return;
  }
  if (blocks.length === 0 || blocks.length > 50) problems.push(`${blocks.length} blocks in a preview`);
  checkBlocks(blocks, 'preview', problems);
  const weight = blocks.reduce((sum: number, block) => sum + BLOCK_WEIGHT + textWeight(block), 0);
  if (weight > MESSAGE_WEIGHT) problems.push(`msg_blocks_too_long: weighs ${weight} > ${MESSAGE_WEIGHT}`);
}

function checkMetadata(raw: unknown, problems: string[]): void {
  if (raw === undefined) return;
  const metadata = typeof raw === 'string' ? parsed(raw) : raw;
  if (!isFields(metadata)) {
    problems.push('invalid_metadata_format');
    return;
  }
  if (typeof metadata.event_type !== 'string' || metadata.event_type === '')
    problems.push('metadata has no event_type');
  if (!isFields(metadata.event_payload)) problems.push('metadata has no event_payload');
  const bytes = JSON.stringify(metadata).length;
  if (bytes > 8_000) problems.push(`metadata_too_large: ${bytes}`);
}

function checkView(payload: Fields, problems: string[]): void {
  const raw = payload.view;
  const view = typeof raw === 'string' ? parsed(raw) : raw;
  if (!isFields(view)) {
    problems.push('view is missing');
    return;
  }
  const type = view.type;
  if (type !== 'modal' && type !== 'home') problems.push(`view has unknown type ${String(type)}`);
  const blocks = list(view.blocks, 'view.blocks', problems) ?? [];
  if (view.blocks === undefined) problems.push('view has no blocks');
  if (blocks.length > 100) problems.push(`view has ${blocks.length} > 100 blocks`);
  if (type === 'modal') checkText(view.title, 'view.title', 1, 24, ['plain_text'], problems);
  if (type === 'home' && (view.title ?? view.submit ?? view.close) !== undefined)
    problems.push('a Home tab has no title and no buttons of its own');
  for (const name of ['submit', 'close']) {
    if (view[name] !== undefined) checkText(view[name], `view.${name}`, 1, 24, ['plain_text'], problems);
  }
  checkLength(view.private_metadata, 'view.private_metadata', 0, 3_000, problems, true);
  checkLength(view.callback_id, 'view.callback_id', 0, 255, problems, true);
  checkLength(view.external_id, 'view.external_id', 0, 255, problems, true);
  const bytes = new TextEncoder().encode(JSON.stringify(view)).length;
  if (bytes > 250 * 1024) problems.push(`view_too_large: ${bytes} bytes`);
  if (blocks.some((block) => block.type === 'input') && type === 'modal' && view.submit === undefined) {
    problems.push('a modal with an input needs submit');
  }
  checkBlocks(blocks, type === 'home' ? 'home' : 'modal', problems);
}

function checkBlocks(blocks: Fields[], surface: Surface, problems: string[]): void {
  const blockIds = new Set<unknown>();
  let tableText = 0;
  for (const [index, block] of blocks.entries()) {
    const at = `blocks[${index}]`;
    const type = block.type;
    const known = BLOCKS[surface];
    if (typeof type !== 'string' || !known.has(type))
      problems.push(`${at}: ${String(type)} is not possible in a ${surface}`);
    const id = block.block_id;
    if (id !== undefined) {
      checkLength(id, `${at}.block_id`, 1, 255, problems);
      if (blockIds.has(id)) problems.push(`${at}: block_id ${String(id)} appears twice`);
      blockIds.add(id);
    }
    checkBlock(block, at, problems);
    if (type === 'table') tableText += textWeight(block);
  }
  if (tableText > 10_000) problems.push(`tables have ${tableText} > 10000 characters`);
  checkActionIds(blocks, problems);
}

function checkBlock(block: Fields, at: string, problems: string[]): void {
  switch (block.type) {
    case 'section': {
      const fields = list(block.fields, `${at}.fields`, problems);
      if (block.text === undefined && fields === undefined) problems.push(`${at}: a section needs text or fields`);
      if (block.text !== undefined) checkText(block.text, `${at}.text`, 1, 3_000, ['mrkdwn', 'plain_text'], problems);
      if (fields !== undefined && (fields.length === 0 || fields.length > 10))
        problems.push(`${at}: ${fields.length} fields`);
      for (const field of fields ?? []) checkText(field, `${at}.fields`, 1, 2_000, ['mrkdwn', 'plain_text'], problems);
      if (block.accessory !== undefined) checkElement(block.accessory, `${at}.accessory`, 'section', problems);
      break;
    }
    case 'header':
      checkText(block.text, `${at}.text`, 1, 150, ['plain_text'], problems);
      break;
    case 'markdown':
      checkLength(block.text, `${at}.text`, 1, 12_000, problems);
      break;
    case 'context': {
      const elements = list(block.elements, `${at}.elements`, problems) ?? [];
      if (elements.length === 0 || elements.length > 10)
        problems.push(`${at}: ${elements.length} elements in a context`);
      for (const element of elements) {
        if (element.type === 'image') checkElement(element, `${at}.elements`, 'context', problems);
        else checkText(element, `${at}.elements`, 1, 3_000, ['mrkdwn', 'plain_text'], problems);
      }
      break;
    }
    case 'actions':
    case 'context_actions': {
      const limit = block.type === 'actions' ? 25 : 5;
      const elements = list(block.elements, `${at}.elements`, problems) ?? [];
      if (elements.length === 0 || elements.length > limit)
        problems.push(`${at}: ${elements.length} elements in actions`);
      for (const element of elements) checkElement(element, `${at}.elements`, block.type, problems);
      break;
    }
    case 'input':
      checkText(block.label, `${at}.label`, 1, 2_000, ['plain_text'], problems);
      if (block.hint !== undefined) checkText(block.hint, `${at}.hint`, 1, 2_000, ['plain_text'], problems);
      checkElement(block.element, `${at}.element`, 'input', problems);
      break;
    case 'image':
      checkElement(block, at, 'image', problems);
      break;
    case 'table': {
      const rows = Array.isArray(block.rows) ? block.rows : [];
      if (rows.length === 0 || rows.length > 100) problems.push(`${at}: ${rows.length} rows`);
      if (rows.some((row) => !Array.isArray(row) || row.length > 20)) problems.push(`${at}: a row has over 20 cells`);
      break;
    }
    default:
      break;
  }
}

function checkActionIds(blocks: Fields[], problems: string[]): void {
  for (const [index, block] of blocks.entries()) {
    const elements = Array.isArray(block.elements) ? block.elements.filter(isFields) : [];
    const all = [...elements, block.accessory, block.element].filter(isFields);
    const ids = all.flatMap((element) => (element.action_id === undefined ? [] : [element.action_id]));
    if (new Set(ids).size !== ids.length) problems.push(`blocks[${index}]: an action_id appears twice`);
  }
}

/** The weight of all text in a block, as Slack stores it. */
function textWeight(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + textWeight(each), 0);
  if (!isFields(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + (key === 'text' && typeof each === 'string' ? each.length : textWeight(each)),
    0,
  );
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
