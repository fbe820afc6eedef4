import type {
  BlockContent,
  Definition,
  Image,
  ImageReference,
  Link,
  LinkReference,
  List,
  ListItem,
  Paragraph,
  PhrasingContent,
  RootContent,
  Table,
  TableRow,
} from 'mdast';
import { isQuicklyParsed } from '../../core/markdown-guard.ts';
import { LIMITS } from '../limits.ts';
import { defuseWords, escapeMrkdwn, safeUrl, withoutDirections } from '../text.ts';
import {
  marksOfName,
  punctuationOutside,
  type ReadMarkdown,
  readInHtml,
  readMarkdown,
  textOfHtml,
  withTagsApplied,
} from './as-written.ts';
import { createDiagramNotes, type DiagramNotes } from './diagrams.ts';
import { textOf } from './words.ts';

/** Slack shows headings as header blocks (150 characters). Longer ones become a bold paragraph. */
const MAX_HEADING = 140;
/**
 * Deepest nesting of lists and quotations. Deeper ones are shown at this depth, because more would be mostly
 * indentation.
 */
const MAX_DEPTH = 8;
/**
 * Deepest nesting of formatting. Deeper formatting is removed and its text kept, because readers can't distinguish so
 * many kinds.
 */
const MAX_INLINE_DEPTH = 6;
/**
 * A row that is longer than this together with the header is shown as a list, which is easier to read and can be
 * divided.
 */
const MAX_ROW = 2_000;
/** Matches a language that Slack can highlight. Any other info string is shown as text. */
const LANGUAGE = /^[\w+#.-]{1,40}$/;

/**
 * Parses untrusted Markdown (GFM) into a tree of nodes that Slack can show. HTML becomes its text, images become links,
 * links that must not be followed become text, references are resolved, footnotes become readable paragraphs, tables
 * beyond Slack's size become lists, and bare broadcast words such as `@here` notify no one. No text is lost, and code
 * stays as it is, byte for byte. Text that would take long to parse is shown as written. With `diagrams`, a note after
 * each diagram says where to see it drawn.
 */
export function parseAnswer(markdown: string, diagrams?: DiagramNotes): RootContent[] {
  if (!isQuicklyParsed(markdown)) return asPlainText(markdown);
  try {
    return normalize(readMarkdown(markdown), diagrams);
  } catch {
    // If a text exhausts the parser's stack, its words are still worth showing.
    return asPlainText(markdown);
  }
}

/** Returns the source as paragraphs of plain text, for answers that can't be parsed or divided. */
export function asPlainText(markdown: string): RootContent[] {
  return markdown.split(/\n\s*\n/).flatMap((block) => paragraph(linesAsText(block.trim())));
}

function normalize({ root, source: whole }: ReadMarkdown, diagrams: DiagramNotes | undefined): RootContent[] {
  /** The text to which the positions of the nodes belong. In HTML it is the text of that. */
  let source = whole;
  let isInHtml = false;
  const noteOf = createDiagramNotes(diagrams);
  const definitions = new Map<string, Definition>();
  const used = new Set<string>();
  /** Footnotes can be anywhere in the document, and are shown at its end. */
  const footnotes: BlockContent[] = [];
  collectDefinitions(root.children, definitions);
  collectReferences(root.children, used);
  let depth = 0;
  let inlineDepth = 0;
  const body = inner(root.children);
  return [...body, ...footnotes];

  function block(node: RootContent): BlockContent[] {
    switch (node.type) {
      case 'paragraph':
        return paragraph(phrasing(node.children));
      case 'heading': {
        const children = oneLined(phrasing(node.children));
        if (children.length === 0) return [];
        if (textOf(children).length <= MAX_HEADING) return [{ ...node, children }];
        return paragraph([{ type: 'strong', children: withoutStrong(children) }]);
      }
      case 'blockquote': {
        const children = deeper(node.children);
        if (depth >= MAX_DEPTH) return children;
        return children.length === 0 ? [] : [{ type: 'blockquote', children }];
      }
      case 'list':
        return depth >= MAX_DEPTH ? node.children.flatMap((item) => deeper(item.children)) : list(node);
      case 'code': {
        const language = node.lang ?? '';
        const info = `${language} ${node.meta ?? ''}`.trim();
        const isHighlighted = LANGUAGE.test(info);
        const code: BlockContent = {
          type: 'code',
          lang: isHighlighted ? info : null,
          value: node.value,
        };
        const shown = [code, ...noteOf(language)];
        if (info === '' || isHighlighted) return shown;
        return [...paragraph([{ type: 'inlineCode', value: info }]), ...shown];
      }
      case 'table':
        return table(node);
      case 'thematicBreak':
        return [{ type: 'thematicBreak' }];
      case 'html':
        return html(node.value);
      case 'definition':
        return used.has(node.identifier)
          ? []
          : paragraph(phrasing([{ type: 'link', url: node.url, children: [text(node.label ?? node.url)] }]));
      case 'footnoteDefinition': {
        const label: PhrasingContent = text(`[${node.label ?? node.identifier}] `);
        const children = inner(node.children);
        const first = children[0];
        if (first?.type === 'paragraph') {
          footnotes.push({ ...first, children: merged([label, ...first.children]) }, ...children.slice(1));
        } else {
          footnotes.push(...paragraph([label]), ...children);
        }
        return [];
      }
      default:
        // A parsed document has no phrasing content between blocks.
        return [];
    }
  }

  /** Shows HTML as its text, which may be Markdown. Tags in that are text: their content was read once. */
  function html(value: string): BlockContent[] {
    if (isInHtml) return paragraph(linesAsText(value));
    isInHtml = true;
    const blocks = textOfHtml(value).flatMap(({ text: words, isSummary }): BlockContent[] => {
      const read = readInHtml(words);
      source = read.source;
      const children = inner(read.root.children);
      if (!isSummary) return children;
      const lines = children.flatMap((child) => (child.type === 'paragraph' ? child.children : []));
      return lines.length === 0 ? children : paragraph([{ type: 'strong', children: withoutStrong(lines) }]);
    });
    source = whole;
    isInHtml = false;
    return blocks;
  }

  function inner(nodes: readonly RootContent[]): BlockContent[] {
    return nodes.flatMap((node) => block(node));
  }

  function deeper(nodes: readonly RootContent[]): BlockContent[] {
    depth += 1;
    const children = inner(nodes);
    depth -= 1;
    return children;
  }

  /** Removes empty items, which say nothing and change the surrounding text when Markdown parses it again. */
  function list(node: List): List[] {
    const items: ListItem[] = node.children.map((item) => ({
      type: 'listItem',
      spread: false,
      checked: item.checked ?? null,
      children: deeper(item.children),
    }));
    const children = items.filter((item) => item.children.length > 0);
    const [first] = children;
    if (first === undefined) return [];
    const ordered = node.ordered === true;
    const start = ordered ? (node.start ?? 1) + items.indexOf(first) : 1;
    return [{ type: 'list', ordered, start, spread: false, children }];
  }

  function table(node: Table): BlockContent[] {
    const rows: TableRow[] = node.children.map((row) => ({
      type: 'tableRow',
      children: row.children.map((cell) => ({
        type: 'tableCell',
        children: oneLined(phrasing(cell.children)),
      })),
    }));
    const columns = Math.max(0, ...rows.map((row) => row.children.length));
    const sizes = rows.map((row) => row.children.reduce((sum, cell) => sum + writtenSize(cell), 0));
    const longest = (sizes[0] ?? 0) + Math.max(0, ...sizes.slice(1));
    // Markdown does not show cells beyond the header, so extend the header.
    const [header] = rows;
    while (header !== undefined && header.children.length < columns) {
      header.children.push({ type: 'tableCell', children: [] });
    }
    if (columns <= LIMITS.tableColumns && longest <= MAX_ROW) {
      const align = Array.from({ length: columns }, (_, column) => node.align?.[column] ?? null);
      return [{ ...node, align, children: rows }];
    }
    return tableAsList(rows);
  }

  function phrasing(nodes: readonly PhrasingContent[], inLink = false): PhrasingContent[] {
    inlineDepth += 1;
    const children = merged(withTagsApplied(nodes).flatMap((node) => inline(node, inLink)));
    inlineDepth -= 1;
    return children;
  }

  function inline(node: PhrasingContent, inLink: boolean): PhrasingContent[] {
    switch (node.type) {
      case 'text':
        return [text(node.value)];
      case 'inlineCode':
        return [{ type: 'inlineCode', value: node.value.replaceAll('\n', ' ') }];
      case 'break':
        return [{ type: 'break' }];
      case 'strong':
      case 'emphasis':
      case 'delete': {
        const marks = marksOfName(source, node);
        if (marks !== undefined) return [text(marks), ...phrasing(node.children, inLink), text(marks)];
        const formatted = phrasing(node.children, inLink);
        if (inlineDepth > MAX_INLINE_DEPTH) return formatted;
        const { before, children, after } = punctuationOutside(source, node, formatted);
        const shown: PhrasingContent[] = children.length === 0 ? [] : [{ type: node.type, children }];
        return [text(before), ...shown, text(after)];
      }
      case 'html':
        return /^<br\s*\/?>/i.test(node.value) ? [{ type: 'break' }] : [text(node.value)];
      case 'link':
        return link(node, inLink);
      case 'linkReference':
        return link({ url: addressOf(node), children: node.children }, inLink);
      case 'image':
        return image(node, inLink);
      case 'imageReference':
        return image({ url: addressOf(node), alt: node.alt }, inLink);
      case 'footnoteReference':
        return [text(`[${node.label ?? node.identifier}]`)];
    }
  }

  function addressOf(node: LinkReference | ImageReference): string {
    return definitions.get(node.identifier)?.url ?? '';
  }

  function link(node: Pick<Link, 'url' | 'children'>, inLink: boolean): PhrasingContent[] {
    const images: Image[] = [];
    const children = phrasing(
      node.children.map((child) => {
        if (child.type !== 'image') return child;
        images.push(child);
        return text(child.alt ?? '');
      }),
      true,
    );
    // A badge: the picture's address follows the link, because links can't be nested.
    const after = images.flatMap((picture) => [text(' '), ...image(picture, inLink)]);
    const url = safeUrl(node.url);
    if (inLink || url === undefined) {
      const label = textOf(children);
      const address = label === node.url || node.url === '' ? [] : [text(label === '' ? node.url : ` (${node.url})`)];
      return [...children, ...address, ...after];
    }
    return [{ type: 'link', url, children: children.length === 0 ? [text(node.url)] : children }, ...after];
  }

  function image(node: Pick<Image, 'url' | 'alt'>, inLink: boolean): PhrasingContent[] {
    return link({ url: node.url, children: [text(node.alt || node.url)] }, inLink);
  }
}

function collectDefinitions(nodes: readonly RootContent[], into: Map<string, Definition>): void {
  for (const node of nodes) {
    if (node.type === 'definition' && !into.has(node.identifier)) into.set(node.identifier, node);
    if ('children' in node) collectDefinitions(node.children, into);
  }
}

function collectReferences(nodes: readonly RootContent[], into: Set<string>): void {
  for (const node of nodes) {
    if (node.type === 'linkReference' || node.type === 'imageReference') into.add(node.identifier);
    if ('children' in node) collectReferences(node.children, into);
  }
}

function text(value: string): PhrasingContent & { type: 'text' } {
  return { type: 'text', value: defuseWords(withoutDirections(value)) };
}

function paragraph(children: PhrasingContent[]): Paragraph[] {
  return children.length === 0 ? [] : [{ type: 'paragraph', children }];
}

function linesAsText(value: string): PhrasingContent[] {
  const lines = value.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index): PhrasingContent[] =>
    index === 0 ? [text(line)] : line === '' ? [] : [{ type: 'break' }, text(line)],
  );
}

/** Joins adjacent texts and removes empty ones. */
function merged(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  let values: string[] = [];
  const flush = () => {
    if (values.length > 0) result.push(text(values.join('')));
    values = [];
  };
  for (const node of nodes) {
    if (node.type !== 'text') {
      flush();
      result.push(node);
    } else if (node.value !== '') values.push(node.value);
  }
  flush();
  return result;
}

function writtenSize(node: { children: readonly PhrasingContent[] }): number {
  return node.children.reduce((sum, child) => {
    if ('value' in child) return sum + escapeMrkdwn(child.value).length + 4;
    const own = child.type === 'link' ? escapeMrkdwn(child.url).length + 6 : 6;
    return sum + own + ('children' in child ? writtenSize(child) : 0);
  }, 0);
}

function tableAsList(rows: readonly TableRow[]): List[] | Paragraph[] {
  const header = rows[0]?.children ?? [];
  const body = rows.slice(1);
  if (body.length === 0) return header.flatMap((cell) => paragraph(cell.children));
  const items = body.map((row): ListItem => {
    const cells = row.children.flatMap((cell, column): Paragraph[] => {
      const name = header[column]?.children ?? [];
      const label: PhrasingContent[] =
        name.length === 0 ? [] : [{ type: 'strong', children: withoutStrong(name) }, text(': ')];
      return paragraph(merged([...label, ...cell.children]));
    });
    return { type: 'listItem', children: cells };
  });
  return [{ type: 'list', ordered: false, spread: false, children: items }];
}

/** The same content without bold, for places that are bold already. */
export function withoutStrong(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return merged(
    nodes.flatMap((node): PhrasingContent[] => {
      if (node.type === 'strong') return withoutStrong(node.children);
      if (node.type === 'link') return [{ ...node, children: withoutStrong(node.children) }];
      if (node.type === 'emphasis' || node.type === 'delete') {
        return [{ type: node.type, children: withoutStrong(node.children) }];
      }
      return [node];
    }),
  );
}

/** Replaces line breaks, for places with one line only. */
function oneLined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return merged(
    nodes.map((node): PhrasingContent => {
      if (node.type === 'break') return text(' ');
      if (node.type === 'text') return text(node.value.replaceAll('\n', ' '));
      if (node.type === 'link') return { ...node, children: oneLined(node.children) };
      if (node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete') {
        return { type: node.type, children: oneLined(node.children) };
      }
      return node;
    }),
  );
}
