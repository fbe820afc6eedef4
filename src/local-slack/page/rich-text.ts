import { richTextOf } from '../mrkdwn.ts';
import { type Fields, fieldsOf, Html, html, listOf, textOf } from './html.ts';
import { emojiOf, type Reader, renderChannel, renderCode, renderDate, renderLink, renderMention } from './text.ts';

/** A `rich_text` block, or a cell or attachment with the same elements. */
export function renderRichText({ elements }: Fields, reader: Reader): Html {
  return html`<div class="rich">${listOf(elements).map((part) => renderPart(part, reader))}</div>`;
}

/** Slack's mrkdwn, whose lines stand in no boxes of their own. */
export function renderMrkdwn(mrkdwn: string, reader: Reader): Html {
  return html`${richTextOf(mrkdwn).map((part) =>
    part.type === 'rich_text_section'
      ? listOf(part.elements).map((element) => renderElement(element, reader))
      : renderPart(part, reader),
  )}`;
}

function renderPart(part: Fields, reader: Reader): Html {
  const inner = () => listOf(part.elements).map((element) => renderElement(element, reader));
  switch (part.type) {
    case 'rich_text_section':
      return html`<div>${inner()}</div>`;
    case 'rich_text_quote':
      return html`<blockquote>${inner()}</blockquote>`;
    case 'rich_text_preformatted':
      return renderCode(
        listOf(part.elements)
          .map(({ text, url }) => textOf(text) || textOf(url))
          .join(''),
        textOf(part.language),
      );
    case 'rich_text_list': {
      // Slack writes a nested list as a sequence of lists with an indent; a few senders nest them.
      const items = listOf(part.elements).map((item) => html`<li>${renderPart(item, reader)}</li>`);
      const indent = `indent-${Math.min(Number(part.indent) || 0, 8)}`;
      if (part.style !== 'ordered') return html`<ul class="${indent}">${items}</ul>`;
      return html`<ol class="${indent}" start="${1 + (Number(part.offset) || 0)}">${items}</ol>`;
    }
    default:
      return renderElement(part, reader);
  }
}

const styleTags: Record<string, Html> = {
  bold: new Html('strong'),
  italic: new Html('em'),
  strike: new Html('s'),
  underline: new Html('u'),
  highlight: new Html('mark'),
  code: new Html('code'),
};

export function renderElement(element: Fields, reader: Reader): Html {
  const style = fieldsOf(element.style);
  return Object.entries(styleTags).reduce(
    (inner, [name, tag]) => (style[name] === true ? html`<${tag}>${inner}</${tag}>` : inner),
    renderPlain(element, reader),
  );
}

/** An element without its styles. The kinds that this page does not know show their text, or their name in a box. */
function renderPlain(element: Fields, reader: Reader): Html {
  const text = textOf(element.text);
  switch (element.type) {
    case 'text':
      return html`${text}`;
    case 'link':
      return renderLink(textOf(element.url), text, reader);
    case 'user':
    case 'usergroup':
    case 'team':
      return renderMention(textOf(element[`${element.type}_id`]), reader);
    case 'broadcast':
      return html`<span class="mention me">@${textOf(element.range)}</span>`;
    case 'channel':
      return renderChannel(textOf(element.channel_id), reader);
    case 'emoji':
      return html`${emojiText(element)}`;
    case 'date': {
      const time = html`<time>${renderDate(Number(element.timestamp), textOf(element.format), reader)}</time>`;
      return typeof element.url === 'string' ? renderLink(element.url, time, reader) : time;
    }
    case 'color':
      return html`${renderSwatch(textOf(element.value))}<code>${textOf(element.value)}</code>`;
    default:
      if (typeof element.url === 'string') return renderLink(element.url, text, reader);
      return text === '' ? renderUnknown(element) : html`${text}`;
  }
}

function emojiText({ name, unicode, skin_tone: tone }: Fields): string {
  if (typeof unicode === 'string' && /^[0-9a-f]{1,5}(?:-[0-9a-f]{1,5}){0,15}$/.test(unicode))
    return String.fromCodePoint(...unicode.split('-').map((code) => Number.parseInt(code, 16)));
  const [base = '', inName] = textOf(name).split('::skin-tone-');
  return emojiOf(base, inName ?? (tone === undefined ? undefined : Number(tone))) ?? `:${textOf(name)}:`;
}

/** A color as a picture: the page's policy allows no inline styles. */
export function renderSwatch(color: string): Html {
  const known: Record<string, string> = { good: '2eb886', warning: 'daa038', danger: 'a30200' };
  const [, hex = 'dddddd'] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(known[color] ?? color) ?? [];
  return html`<svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" fill="#${hex}"/></svg>`;
}

/** What this page can't show, so that nothing is missing without a sign. */
export function renderUnknown({ type }: Fields): Html {
  return html`<span class="unknown">${textOf(type) || 'unknown'}</span>`;
}
