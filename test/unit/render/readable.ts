import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { gfm } from 'micromark-extension-gfm';

/** The text and code that a reader sees of Markdown, without white space. Does not use the code under test. */
export function readableMarkdown(markdown: string): string {
  return readable(markdown, [gfm()]);
}

/** The same of an answer: a single tilde strikes nothing through, and marks beside Chinese, Japanese and Korean format. */
export function readableAnswer(markdown: string): string {
  const singleTilde = false;
  return readable(markdown, [
    gfm({ singleTilde }),
    cjkFriendlyExtension(),
    gfmStrikethroughCjkFriendly({ singleTilde }),
  ]);
}

function readable(markdown: string, extensions: ReturnType<typeof gfm>[]): string {
  return squeeze(text(fromMarkdown(markdown, { extensions, mdastExtensions: [gfmFromMarkdown()] })));
}

function text(node: Nodes): string {
  if (node.type === 'html') return node.value;
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(text).join('') : '';
}

/** Roughly the text that a reader sees of mrkdwn: entities are decoded, links are replaced by their labels. */
export function readableMrkdwn(mrkdwn: string): string {
  return squeeze(
    mrkdwn
      .replace(/<(?:https?|mailto):[^|>]*\|([^>]*)>/g, '$1')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

export function squeeze(value: string): string {
  return value.replace(/[\s\u200B]+/gu, '');
}

/** The numbered words of a text, in order. They show which words are lost, moved or repeated. */
export function words(value: string): string[] {
  return value.match(/w\d+z/g) ?? [];
}

/** Whether every open code fence is closed. */
export function fencesAreBalanced(markdown: string): boolean {
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const fence = /^[\s>]*(?:(?:[-*]|\d+[.)]) +)*(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = fence?.[1];
    if (mark === undefined) continue;
    if (open === undefined) open = mark;
    else if (mark.startsWith(open) && fence?.[2]?.trim() === '') open = undefined;
  }
  return open === undefined;
}
