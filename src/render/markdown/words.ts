import type { RootContent } from 'mdast';

/**
 * The text of an answer as one run of words: like `textOf`, with spaces between cells, items and blocks, and without
 * notes.
 */
export function wordsOf(nodes: readonly RootContent[]): string {
  return nodes
    .map((node) => {
      switch (node.type) {
        case 'blockquote':
        case 'list':
        case 'listItem':
        case 'table':
        case 'tableRow':
          return wordsOf(node.children);
        case 'paragraph':
          return node.data?.isNote === true ? '' : textOf(node.children);
        default:
          return textOf([node]);
      }
    })
    .filter((words) => words !== '')
    .join(' ');
}

/** All readable text of the content, without formatting and addresses. */
export function textOf(nodes: readonly RootContent[]): string {
  return nodes
    .map((node) => {
      if (node.type === 'break') return '\n';
      if ('value' in node) return node.value;
      return 'children' in node ? textOf(node.children) : '';
    })
    .join('');
}
