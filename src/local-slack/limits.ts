import { z } from 'zod';

/**
 * Slack's limits (docs.slack.dev/reference/block-kit), copied a second time, independent of the app's, so that tests
 * find a wrong number there.
 */

/** A text with so many UTF-16 units, without half surrogate pairs, which can't be sent. */
const chars = (least: number, most: number) =>
  z
    .string()
    .min(least)
    .max(most)
    .regex(/^\P{Cs}*$/u, 'half a surrogate pair');
const plain = (most: number) =>
  z.looseObject({ type: z.literal('plain_text'), text: chars(1, most), verbatim: z.never().optional() });
const anyText = (most: number) =>
  z.discriminatedUnion('type', [
    plain(most),
    z.looseObject({ type: z.literal('mrkdwn'), text: chars(1, most), emoji: z.never().optional() }),
  ]);
const few = <Item extends z.ZodType>(item: Item, most: number) => z.array(item).min(1).max(most);
/** Clients may send lists and objects as JSON. */
const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), schema);

const kind = <Fields extends z.ZodRawShape>(type: string, fields: Fields) =>
  z.looseObject({ type: z.literal(type), ...fields });
const oneOf = (kinds: readonly z.ZodObject[]) => z.discriminatedUnion('type', kinds as [z.ZodObject, ...z.ZodObject[]]);

const element = <Fields extends z.ZodRawShape>(type: string, fields: Fields) =>
  kind(type, {
    action_id: chars(1, 255).optional(),
    confirm: z.object({ title: plain(100), text: anyText(300), confirm: plain(30), deny: plain(30) }).optional(),
    placeholder: plain(150).optional(),
    ...fields,
  });

const option = z.looseObject({ text: anyText(75), value: chars(1, 150), description: anyText(75).optional() });
const choice = (type: string, most = 100) =>
  element(type, {
    options: z.array(option).optional(),
    option_groups: z.array(z.looseObject({ options: z.array(option) })).optional(),
    initial_option: option.optional(),
    initial_options: z.array(option).optional(),
  }).superRefine(
    ({ options, option_groups: groups, initial_option: first, initial_options: initial }, { addIssue }) => {
      const all = options ?? groups?.flatMap((group) => group.options) ?? [];
      const known = new Set(all.map((each) => JSON.stringify(each)));
      if (all.length < 1 || all.length > most) addIssue(`${all.length} options`);
      if (hasTwins(all.map(({ value }) => value))) addIssue('a value appears twice among the options');
      const chosen = [...(initial ?? []), ...(first === undefined ? [] : [first])];
      if (!chosen.every((each) => known.has(JSON.stringify(each)))) addIssue('what is chosen at first is no option');
    },
  );

const button = { text: plain(75), value: chars(0, 2_000).optional(), accessibility_label: chars(1, 75).optional() };
const feedback = z.looseObject({ ...button, value: chars(1, 2_000) });
const picture = { alt_text: chars(0, 2_000), image_url: chars(1, 3_000).optional() };
const hasPicture = ({ image_url: url, slack_file: file }: Record<string, unknown>) => (url ?? file) !== undefined;
const length = z.int().min(0).max(3_000);
const kinds = ['im', 'mpim', 'private', 'public'] as const;
const conversations = {
  filter: z
    .looseObject({ include: z.array(z.enum(kinds)).min(1).optional() })
    .refine((filter) => Object.keys(filter).length > 0, 'an empty filter')
    .optional(),
};

const choices = [
  ...['static_select', 'multi_static_select'].map((type) => choice(type)),
  ...['checkboxes', 'radio_buttons'].map((type) => choice(type, 10)),
  ...['users_select', 'channels_select', 'external_select', 'datepicker', 'timepicker', 'datetimepicker'].map((type) =>
    element(type, {}),
  ),
  ...['users', 'channels', 'external', 'conversations'].map((of) => element(`multi_${of}_select`, {})),
];
const pressed = [
  element('button', {
    ...button,
    url: chars(1, 3_000).optional(),
    style: z.enum(['primary', 'danger']).optional(),
  }),
  choice('overflow', 5),
  ...choices,
  element('conversations_select', { ...conversations, response_url_enabled: z.never().optional() }),
];
const image = element('image', picture).refine(hasPicture, 'no image_url');
const inputs = [
  ...choices,
  element('conversations_select', conversations),
  element('plain_text_input', {
    min_length: length.optional(),
    max_length: length.min(1).optional(),
    initial_value: chars(0, 3_000).optional(),
  }).refine(
    ({ initial_value: value = '', max_length: most = 3_000 }) => value.length <= most,
    'initial_value is over max_length',
  ),
  ...['rich_text', 'number', 'email_text', 'url_text', 'file'].map((of) => element(`${of}_input`, {})),
];

const block = <Fields extends z.ZodRawShape>(type: string, fields: Fields) =>
  kind(type, { block_id: chars(1, 255).optional(), ...fields }).refine(
    ({ elements, accessory, element: own }) =>
      !hasTwins(
        [elements, accessory, own]
          .flat()
          .map((each) => (each as { action_id?: unknown } | null | undefined)?.action_id),
      ),
    'an action_id appears twice',
  );

const common = [
  block('section', {
    text: anyText(3_000).optional(),
    fields: few(anyText(2_000), 10).optional(),
    accessory: oneOf([...pressed, image]).optional(),
  }).refine(({ text, fields }) => (text ?? fields) !== undefined, 'a section needs text or fields'),
  block('header', { text: plain(150) }),
  block('context', { elements: few(z.union([image, anyText(3_000)]), 10) }),
  block('actions', { elements: few(oneOf(pressed), 25) }),
  block('image', picture).refine(hasPicture, 'no image_url'),
  block('divider', {}),
];
const richText = block('rich_text', {});
const table = block('table', { rows: few(z.array(z.unknown()).max(20), 100) });
const own = [
  richText,
  table,
  block('markdown', { text: chars(1, 12_000) }),
  block('context_actions', {
    elements: few(
      oneOf([
        element('feedback_buttons', { positive_button: feedback, negative_button: feedback }),
        element('icon_button', { ...button, icon: z.literal('trash') }),
      ]),
      5,
    ),
  }),
];
const input = block('input', { label: plain(2_000), hint: plain(2_000).optional(), element: oneOf(inputs) });

const blocks = (known: readonly z.ZodObject[], most: number) =>
  json(
    z
      .array(oneOf(known))
      .max(most)
      .refine((all) => !hasTwins(all.map(({ block_id: id }) => id)), 'a block_id appears twice')
      .refine(
        (all) => weightOf(all.filter(({ type }) => type === 'table')) <= 10_000,
        'over 10000 characters in tables',
      ),
  );
/** The greatest weight of a message, and that of a block, both measured (slackapi/bolt-js issue 2509). */
const posted = (known: readonly z.ZodObject[]) =>
  blocks(known, 50).refine((all) => weightOf(all) + all.length * 125 <= 13_297, 'msg_blocks_too_long');

const metadata = z
  .looseObject({ event_type: z.string().min(1), event_payload: z.record(z.string(), z.unknown()) })
  .refine((all) => JSON.stringify(all).length <= 8_000, 'metadata_too_large');
const message = (isCutOff: boolean) =>
  z
    .object({
      text: chars(0, 40_000)
        .refine((text) => isCutOff || Buffer.byteLength(text) <= 4_000, 'msg_too_long: over 4000 bytes')
        .optional(),
      blocks: posted([...common, ...own])
        .refine(
          (all) => weightOf(all.filter(({ type }) => type === 'markdown')) <= 12_000,
          'msg_blocks_too_long: over 12000 characters of markdown',
        )
        .optional(),
      markdown_text: chars(0, 12_000).optional(),
      thread_ts: z.string().optional(),
      metadata: json(metadata).optional(),
    })
    .refine((all) => (all.text || all.blocks || all.markdown_text) !== undefined, 'no_text')
    .refine(
      (all) => all.markdown_text === undefined || (all.text ?? all.blocks) === undefined,
      'markdown_text_conflict',
    );
const unfurl = z.union([
  z.object({ blocks: posted(common).refine((all) => all.length > 0, 'no blocks') }),
  z.object({ blocks: z.undefined().optional(), text: z.string() }),
  z.object({ blocks: z.undefined().optional(), title: z.string() }),
]);

const none = z.undefined().optional();
const ofView = {
  private_metadata: chars(0, 3_000).optional(),
  callback_id: chars(0, 255).optional(),
  external_id: chars(0, 255).optional(),
};
const view = z
  .discriminatedUnion('type', [
    z.looseObject({
      ...ofView,
      type: z.literal('home'),
      blocks: blocks([...common, richText, input, table], 100),
      title: none,
      submit: none,
      close: none,
    }),
    z
      .looseObject({
        ...ofView,
        type: z.literal('modal'),
        blocks: blocks([...common, richText, input], 100),
        title: plain(24),
        submit: plain(24).optional(),
        close: plain(24).optional(),
      })
      .refine(
        ({ blocks: all, submit }) => submit !== undefined || all.every(({ type }) => type !== 'input'),
        'a modal with an input needs submit',
      ),
  ])
  .refine((all) => Buffer.byteLength(JSON.stringify(all)) <= 250 * 1_024, 'view_too_large');

const schemas: Record<string, z.ZodType> = {
  'chat.postMessage': message(true),
  'chat.update': message(false),
  'chat.postEphemeral': message(false),
  'chat.unfurl': unfurl,
  ...Object.fromEntries(
    ['open', 'push', 'update', 'publish'].map((name) => [`views.${name}`, z.object({ view: json(view) })]),
  ),
};

/** Lists the reasons why Slack would refuse a payload. Blocks may be an array or JSON, as forms carry them. */
export function slackProblems(method: string, payload: Record<string, unknown>): string[] {
  const issues = schemas[method]?.safeParse(payload).error?.issues ?? [];
  return issues.map(({ path, message: problem }) => `${path.join('.')}: ${problem}`);
}

function hasTwins(ids: readonly unknown[]): boolean {
  const given = ids.filter((id) => id !== undefined);
  return new Set(given).size < given.length;
}

/** The length of all text in blocks, as Slack stores it. */
function weightOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + (key === 'text' && typeof each === 'string' ? each.length : weightOf(each)),
    0,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
