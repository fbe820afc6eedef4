import type { Heading, Link, Nodes, Parents, PhrasingContent, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { commitPath, fileLabel, filePath } from '../addresses.ts';
import { BASE_MARK, type SourceRecord } from '../ask/finding.ts';
import { readCommit } from '../git/commits.ts';
import { LIMITS } from '../limits.ts';
import type { Readable } from './readable.ts';

/** What a model wrote, taken apart and checked. */
export interface WrittenAnswer {
  /** Empty when the model gave none. */
  title: string;
  /** Markdown; `BASE_MARK` stands for the service's address. Empty when there is no answer in the text. */
  answer: string;
  followUps: string[];
  /** What the links name, in their order. */
  sources: SourceRecord[];
  files: { repository: string; path: string }[];
  /** How many links and images were removed because they name nothing. */
  dropped: number;
  /** Whether the text was too long and its end is left out. */
  isCut: boolean;
}

/** Reads the last text of a model: a heading as title, the answer, and a heading with a list of follow-ups. */
export async function readWrittenAnswer(text: string, readable: Readable): Promise<WrittenAnswer> {
  const plain = withoutReasoning(text).replaceAll(BASE_MARK, '').trim();
  const root = withoutMarks(parse(plain.slice(0, LIMITS.modelAnswerCharacters)));
  const title = takeTitle(root);
  const followUps = takeFollowUps(root);
  const links = await checkLinks(root, readable);
  const answer = isToolCall(plain) ? '' : withoutForeignLinks(write(root).trim());
  return { ...links, title, answer, followUps, isCut: plain.length > LIMITS.modelAnswerCharacters };
}

/** Some models write what they think into the text. */
function withoutReasoning(text: string): string {
  return text
    .split('</think>')
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
  const [, list] = root.children.splice(at);
  return (list?.type === 'list' ? list.children : [])
    .map(textOf)
    .filter((text) => text !== '')
    .map((text) => text.slice(0, LIMITS.modelFollowUpCharacters))
    .slice(0, LIMITS.modelFollowUps);
}

function isFollowUpHeading(node: RootContent): node is Heading {
  return node.type === 'heading' && /^follow[\s-]?ups?(?: questions)?:?$/i.test(textOf(node));
}

/** The text of a node in one line. */
function textOf(node: Nodes): string {
  let text = '';
  visit(node, (one) => {
    if (one.type === 'text' || one.type === 'inlineCode') text += one.value;
  });
  return text.replace(/\s+/g, ' ').trim();
}

/** Calls a function for a node and all below it. */
export function visit(node: Nodes, call: (node: Nodes) => void): void {
  call(node);
  if ('children' in node) for (const child of node.children) visit(child, call);
}

/**
 * Keeps the links of an answer that name lines, a file or a commit that the asker may read, in the form that the model is told to
 * write. Others, images and HTML become text. Addresses in the text become code, so that no reader makes links of them. Changes
 * the tree.
 */
async function checkLinks(
  root: Root,
  readable: Readable,
): Promise<Pick<WrittenAnswer, 'sources' | 'files' | 'dropped'>> {
  const checked: Pick<WrittenAnswer, 'sources' | 'files' | 'dropped'> = { sources: [], files: [], dropped: 0 };
  let links = 0;

  async function checkLink({ url, children }: Link): Promise<PhrasingContent[]> {
    links += 1;
    const found = links > LIMITS.modelLinks ? undefined : await resolve(url, readable);
    if (found === undefined) {
      checked.dropped += 1;
      return withoutAddresses(children);
    }
    checked.sources.push(found.source);
    if (found.file !== undefined) checked.files.push(found.file);
    return [{ type: 'link', url: `${BASE_MARK}${found.source.link}`, children: plainLabel(children) }];
  }

  async function check(parent: Parents): Promise<void> {
    const children: Nodes[] = [];
    for (const child of parent.children) {
      if (child.type === 'link') children.push(...(await checkLink(child)));
      else if (child.type === 'linkReference') {
        checked.dropped += 1;
        children.push(...withoutAddresses(child.children));
      } else if (child.type === 'image' || child.type === 'imageReference') {
        checked.dropped += 1;
        children.push({ type: 'text', value: child.alt ?? '' });
      } else if (child.type === 'html') {
        const text = withoutAddresses([{ type: 'text', value: child.value }]);
        children.push(...(isBlock(parent) ? [{ type: 'paragraph' as const, children: text }] : text));
      } else if (child.type !== 'definition') {
        if ('children' in child) await check(child);
        children.push(child);
      }
    }
    const shown = joined(children).flatMap((node): Nodes[] =>
      node.type === 'text' ? withoutAddresses([node]) : [node],
    );
    parent.children = apart(shown) as typeof parent.children;
  }

  await check(root);
  return checked;
}

/** As the prompt says: `/repository/-/blob/path?L4-7` and `/repository/-/commit/id`; answers before and results of tools name a version too. */
const LINK =
  /^\/([^?#]+?)(?:@([0-9a-f]{7,64}))?\/-\/(?:blob\/([^?#]+)(?:\?L(\d{1,7})(?:-L?(\d{1,7}))?)?|commit\/([0-9a-f]{7,64}))$/;
const LONGEST_LINK = 1_000;

interface Resolved {
  /** With its link relative to the service. */
  source: SourceRecord;
  file?: { repository: string; path: string };
}

async function resolve(address: string, readable: Readable): Promise<Resolved | undefined> {
  const match = address.length > LONGEST_LINK ? null : LINK.exec(address);
  const [, name, revision, path, first, last = first, id] = match ?? [];
  const repository = name === undefined ? undefined : readable.repository(decode(name));
  if (repository === undefined) return undefined;
  if (id !== undefined) {
    const commit = await readCommit(repository, id);
    if (commit === undefined) return undefined;
    const label = `${commit.oid.slice(0, 8)} ${commit.subject}`;
    return { source: { type: 'Commit', link: commitPath(repository.name, commit.oid), label } };
  }
  const file = readable.remembered(repository.name, decode(path ?? ''));
  // The model reads the newest version only: another commit id than that of the file as it saw it was made up or is old.
  if (file === undefined || (revision !== undefined && file.commit?.startsWith(revision) !== true)) return undefined;
  const [start, end] = first === undefined ? [] : [Number(first), Number(last)].sort((a, b) => a - b);
  if (end !== undefined && (start === 0 || end > ((await readable.lines(file))?.length ?? 0))) return undefined;
  return {
    file: { repository: repository.name, path: file.path },
    source: { type: 'File', link: filePath(file, start, end), label: fileLabel(file, start, end) },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function isBlock(parent: Parents): boolean {
  return ['root', 'blockquote', 'listItem', 'footnoteDefinition'].includes(parent.type);
}

const ADDRESS = /((?:https?:\/\/|www\.|mailto:)[^\s<>]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)/i;

/** Texts with web and mail addresses as code. */
function withoutAddresses(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return nodes.flatMap((node): PhrasingContent[] => {
    if (node.type !== 'text') {
      if ('children' in node) node.children = withoutAddresses(node.children) as typeof node.children;
      return node.type === 'html' ? withoutAddresses([{ ...node, type: 'text' }]) : isImage(node) ? [] : [node];
    }
    return node.value
      .split(ADDRESS)
      .map(
        (value, index): PhrasingContent => (index % 2 === 0 ? { type: 'text', value } : { type: 'inlineCode', value }),
      )
      .filter((one) => 'value' in one && one.value !== '');
  });
}

/** Texts that stand side by side as one: where a link or an image was removed between them, they may form an address. */
function joined(nodes: readonly Nodes[]): Nodes[] {
  const all: Nodes[] = [];
  for (const node of nodes) {
    const last = all.at(-1);
    if (node.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { ...last, value: last.value + node.value };
    else all.push(node);
  }
  return all;
}

/** A space between neighbors that would run into each other when they are written. */
function apart(nodes: readonly Nodes[]): Nodes[] {
  return nodes.flatMap((node, index) =>
    node.type === 'inlineCode' && nodes[index - 1]?.type === 'inlineCode'
      ? [{ type: 'text', value: ' ' }, node]
      : [node],
  );
}

function isImage(node: PhrasingContent): boolean {
  return node.type === 'image' || node.type === 'imageReference';
}

/** The label of a link: text and code only. */
function plainLabel(children: Link['children']): Link['children'] {
  const parts: Link['children'] = [];
  for (const child of children) {
    visit(child, (node) => {
      if (node.type === 'text' || node.type === 'inlineCode') parts.push({ type: node.type, value: node.value });
      else if (node.type === 'html') parts.push({ type: 'text', value: node.value });
    });
  }
  return parts.length === 0 ? [{ type: 'text', value: 'link' }] : parts;
}
