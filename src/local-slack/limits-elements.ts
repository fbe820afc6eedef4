import { checkLength, checkText, type Fields, isFields, list } from './limits-text.ts';

type Place = 'section' | 'context' | 'actions' | 'context_actions' | 'input' | 'image';

const MENUS = ['static', 'external', 'users', 'conversations', 'channels'].flatMap((of) => [
  `${of}_select`,
  `multi_${of}_select`,
]);
const CHOICES = [...MENUS, 'checkboxes', 'radio_buttons', 'datepicker', 'timepicker'];

/** The elements that each kind of block allows (docs.slack.dev/reference/block-kit/block-elements). */
const PLACES: Record<Place, Set<string>> = {
  section: new Set([...CHOICES, 'button', 'overflow', 'image']),
  context: new Set(['image']),
  actions: new Set([...CHOICES, 'button', 'overflow', 'datetimepicker']),
  context_actions: new Set(['feedback_buttons', 'icon_button']),
  input: new Set([
    ...CHOICES,
    'plain_text_input',
    'rich_text_input',
    'number_input',
    'email_text_input',
    'url_text_input',
    'datetimepicker',
    'file_input',
  ]),
  image: new Set(['image']),
};

const MOST_OPTIONS: Record<string, number> = { overflow: 5, checkboxes: 10, radio_buttons: 10 };

/** Adds the problems for which Slack would refuse an element in a block of this kind. */
export function checkElement(raw: unknown, at: string, place: Place, problems: string[]): void {
  if (!isFields(raw)) {
    problems.push(`${at}: not an element`);
    return;
  }
  if (!PLACES[place].has(String(raw.type))) problems.push(`${at}: ${String(raw.type)} is not possible in ${place}`);
  if (raw.action_id !== undefined) checkLength(raw.action_id, `${at}.action_id`, 1, 255, problems);
  if (raw.confirm !== undefined) checkConfirm(raw.confirm, `${at}.confirm`, problems);
  if (raw.placeholder !== undefined) checkText(raw.placeholder, `${at}.placeholder`, 1, 150, ['plain_text'], problems);
  switch (raw.type) {
    case 'button':
      checkText(raw.text, `${at}.text`, 1, 75, ['plain_text'], problems);
      checkLength(raw.value, `${at}.value`, 0, 2_000, problems, true);
      checkLength(raw.url, `${at}.url`, 1, 3_000, problems, true);
      checkLength(raw.accessibility_label, `${at}.accessibility_label`, 1, 75, problems, true);
      if (raw.style !== undefined && raw.style !== 'primary' && raw.style !== 'danger') {
        problems.push(`${at}: unknown style`);
      }
      break;
    case 'image':
      checkLength(raw.image_url, `${at}.image_url`, 1, 3_000, problems, raw.slack_file !== undefined);
      checkLength(raw.alt_text, `${at}.alt_text`, 0, 2_000, problems);
      break;
    case 'overflow':
    case 'checkboxes':
    case 'radio_buttons':
    case 'static_select':
    case 'multi_static_select':
      checkOptions(raw, at, problems);
      break;
    case 'plain_text_input':
      checkInput(raw, at, problems);
      break;
    case 'feedback_buttons':
      for (const name of ['positive_button', 'negative_button']) checkFeedback(raw[name], `${at}.${name}`, problems);
      break;
    case 'icon_button':
      checkText(raw.text, `${at}.text`, 1, 75, ['plain_text'], problems);
      checkLength(raw.value, `${at}.value`, 0, 2_000, problems, true);
      if (raw.icon !== 'trash') problems.push(`${at}: unknown icon`);
      break;
    case 'conversations_select':
      if (raw.response_url_enabled !== undefined && place !== 'input')
        problems.push(`${at}: response_url_enabled belongs into an input`);
      checkFilter(raw.filter, `${at}.filter`, problems);
      break;
    default:
      break;
  }
}

function checkOptions(raw: Fields, at: string, problems: string[]): void {
  const groups = list(raw.option_groups, `${at}.option_groups`, problems);
  const options = list(raw.options, `${at}.options`, problems) ?? groups?.flatMap((group) => group.options as Fields[]);
  const limit = MOST_OPTIONS[String(raw.type)] ?? 100;
  if (options === undefined || options.length === 0 || options.length > limit)
    problems.push(`${at}: ${options?.length ?? 'no'} options`);
  for (const option of options ?? []) checkOption(option, `${at}.options`, problems);
  const values = (options ?? []).map(({ value }) => value);
  if (new Set(values).size !== values.length) problems.push(`${at}: a value appears twice among the options`);
  const initial = [raw.initial_option, ...(Array.isArray(raw.initial_options) ? raw.initial_options : [])];
  for (const each of initial.filter((option) => option !== undefined)) {
    const known = (options ?? []).some((option) => JSON.stringify(option) === JSON.stringify(each));
    if (!known) problems.push(`${at}: what is chosen at first is no option`);
  }
}

function checkOption(option: Fields, at: string, problems: string[]): void {
  checkText(option.text, `${at}.text`, 1, 75, ['plain_text', 'mrkdwn'], problems);
  checkLength(option.value, `${at}.value`, 1, 150, problems);
  if (option.description !== undefined)
    checkText(option.description, `${at}.description`, 1, 75, ['plain_text', 'mrkdwn'], problems);
}

function checkInput(raw: Fields, at: string, problems: string[]): void {
  const { max_length: max = 3_000, min_length: min = 0 } = raw;
  if (typeof max !== 'number' || max < 1 || max > 3_000) problems.push(`${at}: max_length`);
  if (typeof min !== 'number' || min < 0 || min > 3_000) problems.push(`${at}: min_length`);
  const most = typeof max === 'number' ? Math.min(max, 3_000) : 3_000;
  checkLength(raw.initial_value, `${at}.initial_value`, 0, most, problems, true);
}

function checkFeedback(raw: unknown, at: string, problems: string[]): void {
  if (!isFields(raw)) {
    problems.push(`${at}: missing`);
    return;
  }
  checkText(raw.text, `${at}.text`, 1, 75, ['plain_text'], problems);
  checkLength(raw.value, `${at}.value`, 1, 2_000, problems);
  checkLength(raw.accessibility_label, `${at}.accessibility_label`, 1, 75, problems, true);
}

function checkFilter(raw: unknown, at: string, problems: string[]): void {
  if (raw === undefined) return;
  const kinds = ['im', 'mpim', 'private', 'public'];
  if (!isFields(raw) || Object.keys(raw).length === 0) {
    problems.push(`${at}: empty`);
    return;
  }
  const { include } = raw;
  if (include === undefined) return;
  if (!Array.isArray(include) || include.length === 0 || include.some((kind) => !kinds.includes(String(kind))))
    problems.push(`${at}.include: unknown kinds`);
}

function checkConfirm(raw: unknown, at: string, problems: string[]): void {
  if (!isFields(raw)) {
    problems.push(`${at}: not a dialog`);
    return;
  }
  checkText(raw.title, `${at}.title`, 1, 100, ['plain_text'], problems);
  checkText(raw.text, `${at}.text`, 1, 300, ['plain_text', 'mrkdwn'], problems);
  checkText(raw.confirm, `${at}.confirm`, 1, 30, ['plain_text'], problems);
  checkText(raw.deny, `${at}.deny`, 1, 30, ['plain_text'], problems);
}
