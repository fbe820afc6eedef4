import type { InlineCode, Link, Nodes, Parents, PhrasingContent, Root } from 'mdast';
import { commitPath, directoryPath, filePath, repositoryPath } from '../addresses.ts';
import { BASE_MARK, type SourceRecord } from '../ask/finding.ts';
import { readCommit } from '../git/commits.ts';
import { LIMITS } from '../limits.ts';
import { readLinkAddress } from './link-address.ts';
import type { Readable } from './readable.ts';

/** What the links of an answer name, in their order, and how many were removed because they name nothing. */
export interface CheckedLinks {
  sources: SourceRecord[];
  files: { repository: string; path: string }[];
  dropped: number;
}

/**
 * Keeps the links of an answer that name something the asker may read: a repository, a file with these lines, a folder or a
 * commit. Others, images and HTML become text. Addresses in the text become code, so that no reader makes links of them. Changes
 * the tree.
 */
export async function checkLinks(root: Root, readable: Readable): Promise<CheckedLinks> {
  const checked: CheckedLinks = { sources: [], files: [], dropped: 0 };
  const definitions = new Map<string, string>();
  visit(root, (node) => {
    if (node.type === 'definition') definitions.set(node.identifier.toLowerCase(), node.url);
  });
  let links = 0;

  async function checkLink(children: PhrasingContent[], address: string | undefined): Promise<PhrasingContent[]> {
    links += 1;
    const found = address === undefined || links > LIMITS.modelLinks ? undefined : await resolve(address, readable);
    if (found === undefined) {
      checked.dropped += 1;
      return withoutAddresses(children);
    }
    if (found.source !== undefined) checked.sources.push(found.source);
    if (found.file !== undefined) checked.files.push(found.file);
    return [{ type: 'link', url: `${BASE_MARK}${found.address}`, children: plainLabel(children) }];
  }

  /** Code such as `src/retry.ts:4-7` becomes a link, or loses its lines where the file has no such lines. */
  async function checkCode(code: InlineCode): Promise<PhrasingContent[]> {
    const [, path] = /^([^\s:]+\.[^\s:]+):\d{1,7}(?:[-–]\d{1,7})?$/.exec(code.value) ?? [];
    if (path === undefined || (await resolve(path, readable))?.file === undefined) return [code];
    return (await resolve(code.value, readable)) === undefined
      ? checkLink([{ ...code, value: path }], undefined)
      : checkLink([code], code.value);
  }

  async function check(parent: Parents): Promise<void> {
    const children: Nodes[] = [];
    for (const child of parent.children) {
      if (child.type === 'link') children.push(...(await checkLink(child.children, child.url)));
      else if (child.type === 'linkReference') {
        children.push(...(await checkLink(child.children, definitions.get(child.identifier.toLowerCase()))));
      } else if (child.type === 'image' || child.type === 'imageReference') {
        checked.dropped += 1;
        children.push({ type: 'text', value: child.alt ?? '' });
      } else if (child.type === 'html') {
        const text = withoutAddresses([{ type: 'text', value: child.value }]);
        children.push(...(isBlock(parent) ? [{ type: 'paragraph' as const, children: text }] : text));
      } else if (child.type === 'inlineCode') children.push(...(await checkCode(child)));
      else if (child.type !== 'definition') {
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

/** Calls a function for a node and all below it. */
export function visit(node: Nodes, call: (node: Nodes) => void): void {
  call(node);
  if ('children' in node) for (const child of node.children) visit(child, call);
}

interface Resolved {
  /** Relative to the service. */
  address: string;
  source?: SourceRecord;
  file?: { repository: string; path: string };
}

async function resolve(address: string, readable: Readable): Promise<Resolved | undefined> {
  const names = readable.repositories().map(({ name }) => name);
  const target = readLinkAddress(address, names);
  const repository = target === undefined ? undefined : readable.repository(target.repository);
  if (target === undefined || repository === undefined) return undefined;
  const { name } = repository;
  if (target.kind === 'repository') return { address: repositoryPath(name) };
  if (target.kind === 'folder') {
    return readable.paths(name, target.path).length === 0 ? undefined : { address: directoryPath(name, target.path) };
  }
  if (target.kind === 'commit') {
    if (!/^[0-9a-f]{7,64}$/i.test(target.commit)) return undefined;
    const commit = await readCommit(repository, target.commit);
    if (commit === undefined) return undefined;
    const link = commitPath(name, commit.oid);
    const label = `${commit.oid.slice(0, 8)} ${commit.subject}`;
    return { address: link, source: { type: 'Commit', link, label } };
  }
  const file = readable.remembered(name, target.path);
  if (file === undefined || !namesNewest(target.revision, file.commit)) return undefined;
  const { start, end } = target.lines ?? {};
  if (end !== undefined && (start === 0 || end > ((await readable.lines(file))?.length ?? 0))) return undefined;
  const link = filePath(file, start, end);
  const lines = start === undefined ? '' : `:${start}${end === start ? '' : `-${end}`}`;
  return {
    address: link,
    file: { repository: name, path: file.path },
    source: { type: 'File', link, label: `${file.path}${lines}` },
  };
}

/** The model reads the newest version only: another commit id than that of the file as it saw it was made up or is old. */
function namesNewest(revision: string | undefined, commit: string | undefined): boolean {
  if (revision === undefined || !/^[0-9a-f]{7,64}$/.test(revision)) return true;
  return commit?.startsWith(revision) === true;
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
