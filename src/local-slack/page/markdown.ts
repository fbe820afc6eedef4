import type { Nodes, Parents, Root, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { tokenOf } from '../mrkdwn.ts';
import { Html, html } from './html.ts';
import { renderElement } from './rich-text.ts';
import { type Reader, renderCode, renderLink, withEmoji } from './text.ts';

/** Longest text that is parsed. Slack takes no longer one. */
const longest = 12_000;
/** Most marks of emphasis, code, links and escapes. The parser's time grows with their square; real answers have hundreds. */
const mostMarks = 3_000;
/** A line that opens 30 quotations and lists in each other. The parser takes seconds for hundreds of them. */
const deep = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){30}/m;

/** A `markdown` block as HTML. HTML in it is shown as text, images are links, and headings have one size, as in Slack. */
export function renderMarkdown(markdown: string, reader: Reader): Html {
  const marks = markdown.match(/[*_~[\]`<&\\]/g)?.length ?? 0;
  if (markdown.length > longest || marks > mostMarks || deep.test(markdown)) return renderCode(markdown);
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return html`<div class="markdown">${childrenOf(root, root, reader)}</div>`;
}

function childrenOf(node: Parents, root: Root, reader: Reader): Html[] {
  return node.children.map((child) => render(child, root, reader));
}

function render(node: Nodes, root: Root, reader: Reader): Html {
  const inner = () => childrenOf(node as Parents, root, reader);
  switch (node.type) {
    case 'text':
    case 'html':
      return renderText(node.value, reader);
    case 'paragraph':
      return html`<p>${inner()}</p>`;
    case 'heading':
      return html`<p role="heading" aria-level="${node.depth}"><strong>${inner()}</strong></p>`;
    case 'strong':
      return html`<strong>${inner()}</strong>`;
    case 'emphasis':
      return html`<em>${inner()}</em>`;
    case 'delete':
      return html`<s>${inner()}</s>`;
    case 'inlineCode':
      return html`<code>${node.value}</code>`;
    case 'code':
      return renderCode(node.value, node.lang ?? '');
    case 'blockquote':
      return html`<blockquote>${inner()}</blockquote>`;
    case 'list':
      return node.ordered === true ? html`<ol start="${node.start ?? 1}">${inner()}</ol>` : html`<ul>${inner()}</ul>`;
    case 'listItem': {
      const { checked } = node;
      if (typeof checked !== 'boolean') return html`<li>${inner()}</li>`;
      return html`<li class="task"><input type="checkbox" disabled aria-label="${checked ? 'Done' : 'Open'}"${checked && new Html(' checked')}>${inner()}</li>`;
    }
    case 'table':
      return renderTable(node, root, reader);
    case 'link':
      return renderLink(node.url, html`${inner()}`, reader);
    case 'image':
      return renderLink(node.url, node.alt ?? '', reader);
    case 'linkReference':
    case 'imageReference': {
      const target = root.children.find((each) => each.type === 'definition' && each.identifier === node.identifier);
      const label = node.type === 'linkReference' ? html`${inner()}` : (node.alt ?? '');
      return renderLink(target?.type === 'definition' ? target.url : '', label, reader);
    }
    case 'footnoteReference':
      return html`<sup>${node.identifier}</sup>`;
    case 'footnoteDefinition':
      return html`<div class="quiet"><sup>${node.identifier}</sup>${inner()}</div>`;
    case 'break':
      return html`<br>`;
    case 'thematicBreak':
      return html`<hr>`;
    default:
      return html``;
  }
}

/** Text outside of code, in which Slack reads its own tokens and names of emoji. */
function renderText(text: string, reader: Reader): Html {
  const parts = text.split(/<([@#!][^<>\n]+)>/);
  return html`${parts.map((part, index) => {
    const element = index % 2 === 1 ? tokenOf(part) : undefined;
    if (element !== undefined) return renderElement(element, reader);
    return index % 2 === 1 ? `<${part}>` : withEmoji(part);
  })}`;
}

function renderTable({ children: [head, ...body], align }: Table, root: Root, reader: Reader): Html {
  const cellsOf = (row: Table['children'][number] | undefined, tag: Html): Html[] =>
    (row?.children ?? []).map(
      (cell, column) => html`<${tag} class="${align?.[column] ?? 'left'}">${childrenOf(cell, root, reader)}</${tag}>`,
    );
  const rows = body.map((row) => html`<tr>${cellsOf(row, new Html('td'))}</tr>`);
  return html`<div class="table" tabindex="0"><table><thead><tr>${cellsOf(head, new Html('th'))}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
