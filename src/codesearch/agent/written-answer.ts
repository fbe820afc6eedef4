import type { Heading, List, Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { BASE_MARK } from '../ask/finding.ts';
import { LIMITS } from '../limits.ts';
import { type CheckedLinks, checkLinks, visit } from './check-links.ts';
import type { Readable } from './readable.ts';

/** What a model wrote, taken apart and checked. */
export interface WrittenAnswer extends CheckedLinks {
  /** Empty when the model gave none. */
  title: string;
  /** Markdown; `BASE_MARK` stands for the service's address. Empty when there is no answer in the text. */
  answer: string;
  followUps: string[];
  /** Whether the text was too long and its end is left out. */
  isCut: boolean;
}

const REASONING_END = '</think>';

/** Reads the last text of a model: a heading as title, the answer, and a heading with a list of follow-ups. */
export async function readWrittenAnswer(text: string, readable: Readable): Promise<WrittenAnswer> {
  const plain = withoutReasoning(text).replaceAll(BASE_MARK, '').trim();
  const root = withoutMarks(parse(plain.slice(0, LIMITS.modelAnswerCharacters)));
  const title = takeTitle(root);
  const followUps = takeFollowUps(root);
  const links = await checkLinks(root, readable);
  const markdown = isToolCall(plain) ? '' : withoutForeignLinks(write(root).trim());
  return { ...links, title, answer: markdown, followUps, isCut: plain.length > LIMITS.modelAnswerCharacters };
}

/** Some models write what they think into the text. */
function withoutReasoning(text: string): string {
  return text
    .split(REASONING_END)
    .map((part, index, parts) => {
      const start = part.indexOf('<think>');
      // The last part is followed by no end. An end without a start: all before it is reasoning.
      return index === parts.length - 1 ? part : part.slice(0, Math.max(0, start));
    })
    .join('');
}

/** A reference such as `&#xE0F0;` is read as the mark: in the text, it would become an address of the service. */
function withoutMarks(root: Root): Root {
  visit(root, (node) => {
    for (const [name, value] of Object.entries(node)) {
      if (typeof value === 'string') Object.assign(node, { [name]: value.replaceAll(BASE_MARK, '') });
    }
  });
  return root;
}

/** Models without a template for tools write their calls as text. */
function isToolCall(text: string): boolean {
  if (/^<(?:tool_call|function_call|function=)/.test(text)) return true;
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parse(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function write(root: Root): string {
  return toMarkdown(root, { extensions: [gfmToMarkdown()], bullet: '-', emphasis: '_', rule: '-', fences: true });
}

/** The text as it is read again: should a link have formed in it that was not checked, all of it is shown as code. */
function withoutForeignLinks(markdown: string): string {
  let isForeign = false;
  visit(parse(markdown), (node) => {
    if (node.type === 'link' || node.type === 'definition') isForeign ||= !node.url.startsWith(`${BASE_MARK}/`);
    else isForeign ||= node.type === 'image' || node.type === 'html';
  });
  if (!isForeign) return markdown;
  return write({ type: 'root', children: [{ type: 'code', value: markdown.replaceAll(BASE_MARK, '') }] });
}

function takeTitle(root: Root): string {
  const [first] = root.children;
  if (first?.type !== 'heading' || first.depth !== 1) return '';
  root.children.shift();
  const title = textOf(first);
  const most = LIMITS.modelTitleCharacters;
  return title.length > most ? `${title.slice(0, most - 1).trimEnd()}…` : title;
}

function takeFollowUps(root: Root): string[] {
  const at = root.children.findLastIndex(isFollowUpHeading);
  if (at < 0) return [];
  const list = root.children[at + 1];
  root.children.splice(at);
  if (list?.type !== 'list') return [];
  return (list satisfies List).children
    .map(textOf)
    .filter((text) => text !== '')
    .map((text) => text.slice(0, LIMITS.modelFollowUpCharacters))
    .slice(0, LIMITS.modelFollowUps);
}

function isFollowUpHeading(node: RootContent): node is Heading {
  const isTitle = node.type === 'heading' || (node.type === 'paragraph' && node.children[0]?.type === 'strong');
  return isTitle && /^(?:suggested |possible )?follow[\s-]?ups?(?: questions)?:?$/i.test(textOf(node));
}

/** The text of a node in one line. */
function textOf(node: Nodes): string {
  let text = '';
  visit(node, (one) => {
    if (one.type === 'text' || one.type === 'inlineCode') text += one.value;
  });
  return text.replace(/\s+/g, ' ').trim();
}
