/** How deep elements are read: Slack nests lists and quotes no deeper. */
const deepest = 6;

/** What is read of an element of a `rich_text` block; every field may be missing or odd. */
interface RichElement {
  type?: unknown;
  text?: unknown;
  url?: unknown;
  name?: unknown;
  user_id?: unknown;
  channel_id?: unknown;
  usergroup_id?: unknown;
  range?: unknown;
  elements?: unknown;
}

/** Writes a `rich_text` block's elements in Slack's own markup. Each paragraph, item and quote is on its own line. */
export function richText(elements: unknown): string {
  return lines(elements, 0).join('\n');
}

function lines(elements: unknown, depth: number): string[] {
  return listed(elements).flatMap((element) => {
    if (depth >= deepest) return [];
    if (element.type === 'rich_text_list') return lines(element.elements, depth + 1).map((line) => `• ${line}`);
    const line = listed(element.elements).map(inline).join('');
    return line === '' ? [] : [line];
  });
}

/** A token as it stands in the text of messages (docs.slack.dev/messaging/formatting-message-text). */
function inline({ type, text, url, name, user_id, channel_id, usergroup_id, range }: RichElement): string {
  switch (type) {
    case 'text':
      return escaped(text);
    case 'link':
      return wordOf(text) === '' ? `<${wordOf(url)}>` : `<${wordOf(url)}|${escaped(text)}>`;
    case 'emoji':
      return `:${wordOf(name)}:`;
    case 'user':
      return `<@${wordOf(user_id)}>`;
    case 'channel':
      return `<#${wordOf(channel_id)}>`;
    case 'usergroup':
      return `<!subteam^${wordOf(usergroup_id)}>`;
    case 'broadcast':
      return `<!${wordOf(range)}>`;
    default:
      return '';
  }
}

function listed(elements: unknown): RichElement[] {
  return Array.isArray(elements) ? elements.filter((each) => typeof each === 'object' && each !== null) : [];
}

function escaped(text: unknown): string {
  return wordOf(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
