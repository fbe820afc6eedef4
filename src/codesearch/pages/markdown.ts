import type { Nodes, Parents, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { Html, html } from './html.ts';

/** Renders GFM. HTML in the source is shown as text, images as links, and only http(s) and own links are links. */
export function renderMarkdown(markdown: string): Html {
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return children(root);
}

function children(node: Parents): Html {
  return html`${(node.children as RootContent[]).map(render)}`;
}

function render(node: Nodes): Html {
  switch (node.type) {
    case 'text':
    case 'html':
      return html`${node.value}`;
    case 'paragraph':
      return html`<p>${children(node)}</p>`;
    case 'heading': {
      const tag = new Html(`h${Math.min(6, node.depth + 2)}`);
      return html`<${tag}>${children(node)}</${tag}>`;
    }
    case 'strong':
      return html`<strong>${children(node)}</strong>`;
    case 'emphasis':
      return html`<em>${children(node)}</em>`;
    case 'delete':
      return html`<del>${children(node)}</del>`;
    case 'inlineCode':
      return html`<code>${node.value}</code>`;
    case 'code':
      return html`<pre><code>${node.value}</code></pre>`;
    case 'break':
      return html`<br>`;
    case 'thematicBreak':
      return html`<hr>`;
    case 'blockquote':
      return html`<blockquote>${children(node)}</blockquote>`;
    case 'list':
      return node.ordered === true
        ? html`<ol start="${node.start ?? 1}">${children(node)}</ol>`
        : html`<ul>${children(node)}</ul>`;
    case 'listItem':
      return html`<li>${node.spread === true ? children(node) : tight(node)}</li>`;
    case 'link':
      return isSafe(node.url) ? html`<a href="${node.url}" rel="noreferrer">${children(node)}</a>` : children(node);
    case 'image':
      return isSafe(node.url)
        ? html`<a href="${node.url}" rel="noreferrer">${node.alt ?? node.url}</a>`
        : html`${node.alt ?? ''}`;
    case 'table':
      return table(node);
    default:
      return 'children' in node ? children(node) : html``;
  }
}

/** A list item without the paragraphs Markdown puts around its text. */
function tight(node: Parents): Html {
  return html`${(node.children as RootContent[]).map((child) => (child.type === 'paragraph' ? children(child) : render(child)))}`;
}

function table(node: Table): Html {
  const rows = node.children.map((row, index) => {
    const cells = row.children.map((cell) =>
      index === 0 ? html`<th>${children(cell)}</th>` : html`<td>${children(cell)}</td>`,
    );
    return html`<tr>${cells}</tr>`;
  });
  return html`<table>${rows}</table>`;
}

function isSafe(url: string): boolean {
  return /^https?:\/\//i.test(url) || /^\/(?!\/)/.test(url);
}
