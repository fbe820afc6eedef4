import { unescaped } from '../mrkdwn.ts';
import { type Fields, fieldsOf, Html, html, listOf, textOf } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { renderMrkdwn, renderRichText, renderUnknown } from './rich-text.ts';
import { type Reader, renderLink, withEmoji } from './text.ts';

/** Blocks of a message or view. */
export function renderBlocks(blocks: unknown, reader: Reader): Html {
  return html`${listOf(blocks).map((block) => renderBlock(block, reader))}`;
}

function renderBlock(block: Fields, reader: Reader): Html {
  const id = textOf(block.block_id);
  const elements = () => listOf(block.elements).map((element) => renderElement(element, id, reader));
  switch (block.type) {
    case 'markdown':
      return renderMarkdown(textOf(block.text), reader);
    case 'rich_text':
      return renderRichText(block, reader);
    case 'section': {
      const fields = listOf(block.fields).map((field) => html`<div>${renderText(field, reader)}</div>`);
      return html`<div class="bk-section"><div>${renderText(block.text, reader)}${
        fields.length > 0 && html`<div class="fields">${fields}</div>`
      }</div>${block.accessory !== undefined && renderElement(fieldsOf(block.accessory), id, reader)}</div>`;
    }
    case 'header':
      return html`<h3>${renderText(block.text, reader)}</h3>`;
    case 'divider':
      return html`<hr>`;
    case 'context':
      return html`<div class="bk-context">${elements()}</div>`;
    case 'actions':
    case 'context_actions':
      return html`<div class="bk-actions">${elements()}</div>`;
    case 'image':
      return renderElement(block, id, reader);
    case 'input':
      return renderInput(block, reader);
    case 'table':
    case 'data_table':
      return renderTable(block, reader);
    default:
      return html`<p>${renderUnknown(block)}</p>`;
  }
}

/** A text object. */
function renderText(value: unknown, reader: Reader): Html {
  const { type, text } = fieldsOf(value);
  return type === 'mrkdwn' ? renderMrkdwn(textOf(text), reader) : html`${plainOf(value)}`;
}

/** The text of a `plain_text` object. */
export function plainOf(value: unknown): string {
  const { text, emoji } = fieldsOf(value);
  return emoji === false ? textOf(text) : withEmoji(textOf(text));
}

function renderTable({ type, caption, rows }: Fields, reader: Reader): Html {
  const lines = (Array.isArray(rows) ? rows : []).map((row: unknown, index) => {
    const tag = new Html(type === 'data_table' && index === 0 ? 'th' : 'td');
    return html`<tr>${listOf(row).map((cell) => html`<${tag}>${renderCell(cell, reader)}</${tag}>`)}</tr>`;
  });
  return html`<div class="table" tabindex="0"><table>${
    caption !== undefined && html`<caption>${textOf(caption) || plainOf(caption)}</caption>`
  }${lines}</table></div>`;
}

function renderCell(cell: Fields, reader: Reader): Html {
  return cell.type === 'rich_text' ? renderRichText(cell, reader) : html`${textOf(cell.text) || textOf(cell.value)}`;
}

/** What the page's script needs to know of an element that a person uses. */
function useOf(element: Fields, blockId: string, choice?: string): Html {
  const { title, text } = fieldsOf(element.confirm);
  return html` data-block="${blockId}" data-action="${textOf(element.action_id)}"${
    choice !== undefined && html` data-choice="${choice}"`
  }${element.confirm !== undefined && html` data-confirm="${plainOf(title)}\n${unescaped(plainOf(text))}"`}`;
}

function renderElement(element: Fields, blockId: string, reader: Reader): Html {
  const label = textOf(element.accessibility_label) || plainOf(element.text);
  switch (element.type) {
    case 'mrkdwn':
    case 'plain_text':
      return html`<span>${renderText(element, reader)}</span>`;
    case 'image': {
      const words = plainOf(element.title) || textOf(element.alt_text) || 'Image';
      return html`<span class="picture">🖼 ${renderLink(textOf(element.image_url), words, reader)}</span>`;
    }
    case 'button':
    case 'icon_button': {
      const use = html`class="button ${textOf(element.style)}" aria-label="${label}"${useOf(element, blockId)}`;
      const words = `${element.type === 'icon_button' ? '🗑 ' : ''}${plainOf(element.text)}`;
      const url = textOf(element.url);
      if (!/^https?:/i.test(url)) return html`<button type="button" ${use}>${words}</button>`;
      return html`<a role="button" href="${url}" target="_blank" rel="noopener noreferrer" ${use}>${words}</a>`;
    }
    case 'feedback_buttons':
      return html`${['positive', 'negative'].map((choice) => {
        const button = fieldsOf(element[`${choice}_button`]);
        const words = plainOf(button.text);
        const use = html`title="${words}" aria-label="${textOf(button.accessibility_label) || words}"`;
        const sign = choice === 'positive' ? '👍' : '👎';
        return html`<button type="button" class="button" ${use}${useOf(element, blockId, choice)}>${sign}</button>`;
      })}`;
    case 'overflow': {
      const options = listOf(element.options).map((option) => renderOption(optionOf(option)));
      const use = useOf(element, blockId);
      return html`<select class="button bk-overflow" aria-label="More"${use}><option value="">⋯</option>${options}</select>`;
    }
    default:
      return renderField(element, {
        blockId,
        reader,
        label: plainOf(element.placeholder),
        use: useOf(element, blockId),
      });
  }
}

/** An input, with room for what is wrong with it. */
function renderInput(block: Fields, reader: Reader): Html {
  const blockId = textOf(block.block_id);
  const element = fieldsOf(block.element);
  const label = plainOf(block.label);
  const use = block.dispatch_action === true && useOf(element, blockId);
  const shown = html`<span class="label">${label}${block.optional === true && html` <small>(optional)</small>`}</span>`;
  return html`<div class="field" role="group" aria-label="${label}">${shown}${renderField(element, { blockId, reader, label, use })}${
    block.hint !== undefined && html`<small>${plainOf(block.hint)}</small>`
  }<p class="modal-error" role="alert" data-key="${blockId}" data-own></p></div>`;
}

interface Field {
  blockId: string;
  reader: Reader;
  label: string;
  use: Html | false;
}

/** An input, a menu or boxes. Its name in a form is `block/action`, and ends with `[]` where it has several values. */
function renderField(element: Fields, { blockId, reader, label, use }: Field): Html {
  const type = textOf(element.type);
  const several = /^multi_|^checkboxes$/.test(type) ? '[]' : '';
  const name = html`name="${blockId}/${textOf(element.action_id)}${several}"`;
  const none = several !== '' && html`<input type="hidden" ${name} value="">`;
  const chosen = initialOf(element, reader);
  if (type === 'plain_text_input') {
    const [value = ''] = chosen;
    const limits = html`minlength="${Number(element.min_length) || 0}" maxlength="${Number(element.max_length) || 3000}"`;
    const rest = html`class="bk-plain-input" ${name} ${limits} aria-label="${label}" placeholder="${plainOf(element.placeholder)}"${use}`;
    if (element.multiline !== true) return html`<input type="text" ${rest} value="${value}">`;
    return html`<textarea rows="4" ${rest}>\n${value}</textarea>`;
  }
  if (type === 'checkboxes' || type === 'radio_buttons') {
    const kind = type === 'checkboxes' ? 'checkbox' : 'radio';
    const options = listOf(element.options).map((option) => {
      const state = chosen.includes(textOf(option.value)) && new Html(' checked');
      const words = html`<span>${renderText(option.text, reader)} <small>${renderText(option.description, reader)}</small></span>`;
      return html`<label><input type="${kind}" ${name} value="${textOf(option.value)}"${state}${use}>${words}</label>`;
    });
    return html`${none}${options}`;
  }
  const [, source] = /^(?:multi_)?(static|users|conversations|channels)_select$/.exec(type) ?? [];
  if (source === undefined) return renderUnknown(element);
  const { include } = fieldsOf(element.filter);
  const options =
    source === 'static'
      ? [...listOf(element.options), ...listOf(element.option_groups).flatMap((group) => listOf(group.options))].map(
          optionOf,
        )
      : reader.choicesOf(source, Array.isArray(include) ? include.map(String) : []);
  const first = several === '' && html`<option value="">${plainOf(element.placeholder) || 'Choose…'}</option>`;
  const kind = several !== '' && new Html(' multiple');
  return html`${none}<select ${name} aria-label="${label}"${kind}${use}>${first}${options.map((option) => renderOption(option, chosen))}</select>`;
}

/** What an element shows until a person changes it: the values of its options, ids, or its text. */
function initialOf(element: Fields, { channel }: Reader): string[] {
  const initial = Object.entries(element).flatMap(([key, value]) => (key.startsWith('initial_') ? value : []));
  if (initial.length === 0 && element.default_to_current_conversation === true) return [channel];
  return initial.map((value) => textOf(value) || textOf(fieldsOf(value).value));
}

function optionOf(option: Fields): { id: string; name: string } {
  return { id: textOf(option.value), name: plainOf(option.text) };
}

function renderOption({ id, name }: { id: string; name: string }, chosen: readonly string[] = []): Html {
  return html`<option value="${id}"${chosen.includes(id) && new Html(' selected')}>${name}</option>`;
}

/** What hangs at a message: forwards, link previews, pasted tables and the older form of programs' messages. */
export function renderAttachment(attachment: Fields, reader: Reader): Html {
  const { author_name: author, title, text, fields, footer, from_url: url } = attachment;
  const copied = listOf(attachment.message_blocks).flatMap(({ message }) => listOf(fieldsOf(message).blocks));
  const blocks = [...listOf(attachment.blocks), ...copied];
  const heading = plainTitle(textOf(title) || textOf(attachment.service_name));
  const shortOnes = listOf(fields).map(
    (field) => html`<div><strong>${textOf(field.title)}</strong> ${renderMrkdwn(textOf(field.value), reader)}</div>`,
  );
  const isShare = attachment.is_share === true || attachment.is_msg_unfurl === true;
  return html`<div class="attachment">${
    author !== undefined && html`<p><strong>${textOf(author)}</strong></p>`
  }${textOf(attachment.pretext) !== '' && html`<p>${renderMrkdwn(textOf(attachment.pretext), reader)}</p>`}${
    heading !== '' &&
    html`<p><strong>${renderLink(textOf(attachment.title_link) || textOf(url), heading, reader)}</strong></p>`
  }${blocks.length > 0 ? renderBlocks(blocks, reader) : html`<div class="text">${renderMrkdwn(textOf(text), reader)}</div>`}${
    shortOnes.length > 0 && html`<div class="fields">${shortOnes}</div>`
  }${renderFiles(attachment.files)}${footer !== undefined && html`<small>${textOf(footer)}</small>`}${
    isShare && html` <small>${renderLink(textOf(url), 'View message', reader)}</small>`
  }</div>`;
}

function plainTitle(title: string): string {
  return withEmoji(unescaped(title));
}

export function renderFiles(files: unknown): Html[] {
  return listOf(files).map((file) => {
    const name = textOf(file.title) || textOf(file.name) || 'A file that is not there any more';
    return html`<p class="file">📄 <a href="/page/files/${encodeURIComponent(textOf(file.id))}" download>${name}</a> <small>${textOf(file.pretty_type) || textOf(file.filetype)}</small></p>`;
  });
}
