const ASIDE_LINE = /^\s*(\/\/|\/\*.*\*\/\s*$|#(?!include|define|!)|@\w|--\s|#?\[\w)/;
const LONGEST_COMMENT = 120;

/** First line of the comment, decorators or attributes directly above a line. */
export function commentStart(lines: readonly string[], line: number): number {
  let start = line;
  while (start > 1) {
    const above = lines[start - 2] ?? '';
    if (ASIDE_LINE.test(above)) start -= 1;
    else if (/\*\/\s*$/.test(above)) {
      const opened = blockCommentStart(lines, start - 2);
      if (opened === undefined) break;
      start = opened + 1;
    } else break;
  }
  return start;
}

function blockCommentStart(lines: readonly string[], end: number): number | undefined {
  for (let index = end; index >= Math.max(0, end - LONGEST_COMMENT); index -= 1) {
    const text = lines[index] ?? '';
    if (/^\s*\/\*/.test(text)) return index;
    if (text.includes('/*')) return undefined;
  }
  return undefined;
}

/** The comment of a definition as plain text without comment marks; empty without a comment. */
export function docComment(lines: readonly string[], line: number): string {
  const text = commentAbove(lines, line);
  return (text !== '' ? text : docstringBelow(lines, line)).replace(/(?:^|\n)\s*:\w+[^:\n]*:[\s\S]*$/, '').trim();
}

/** The comment directly above a line, as plain text. */
export function commentAbove(lines: readonly string[], line: number): string {
  return stripMarks(lines.slice(commentStart(lines, line) - 1, line - 1));
}

/** The comment at the top of a file, as plain text. */
export function fileComment(lines: readonly string[]): string {
  let start = 0;
  while (start < lines.length && /^(#!.*|\s*|['"]use strict['"];?)$/.test(lines[start] ?? '')) start += 1;
  if (/^\s*("""|''')/.test(lines[start] ?? '')) return docstringBelow(lines, start);
  const end = commentEnd(lines, start);
  const text = stripMarks(lines.slice(start, end));
  return /copyright|licen[sc]e|eslint|spdx/i.test(text.slice(0, 200)) ? '' : text;
}

/** Index after the comment that begins at `start`; `start` itself when there is none. */
function commentEnd(lines: readonly string[], start: number): number {
  let end = start;
  if (/^\s*\/\*/.test(lines[start] ?? '')) {
    while (end < Math.min(lines.length, start + LONGEST_COMMENT)) {
      end += 1;
      if ((lines[end - 1] ?? '').includes('*/')) return end;
    }
    return start;
  }
  while (end < Math.min(lines.length, start + 40) && /^\s*(\/\/|#(?!include|define))/.test(lines[end] ?? '')) end += 1;
  return end;
}

/** The text of comment lines, without comment marks and tags. */
export function stripMarks(comment: readonly string[]): string {
  return comment
    .filter(
      (line) => !/^\s*(@\w|#?\[\w|(\/\/|#)\s*(eslint|@ts-|biome|prettier|nolint|noqa|type:|pylint|go:))/.test(line),
    )
    .map((line) =>
      line
        .replace(/^\s*(\/\*\*?|\*\/|\*(?=\s|$)|\/\/\/?!?|#+|--)\s?/, '')
        .trimEnd()
        .replace(/\*\/$/, '')
        .trim(),
    )
    .filter((line) => !/^[-=*─━_#~\s]{3,}$/.test(line))
    .join('\n')
    .replace(/\n@\w[\s\S]*$/, '')
    .replace(/^@\w[\s\S]*$/, '')
    .trim();
}

function docstringBelow(lines: readonly string[], line: number): string {
  for (let index = line; index < Math.min(lines.length, line + 12); index += 1) {
    const text = (lines[index] ?? '').trim();
    const quote = /^[rbu]?("""|''')/.exec(text)?.[1];
    if (quote !== undefined) {
      const rest = [text.slice(text.indexOf(quote) + 3), ...lines.slice(index + 1, index + 30)].join('\n');
      return (
        (rest.split(quote)[0] ?? '')
          .trim()
          .split(/\n\s*\n\s*:/)[0]
          ?.trim() ?? ''
      );
    }
    if (!/[,(:]$|^\)/.test(text) && index > line) return '';
    if (index === line && !/^[\w*)\],]/.test(text)) return '';
  }
  return '';
}

/** The first sentence of a text, cut at a word to at most `most` characters. */
export function firstSentence(text: string, most = 220): string {
  const paragraph = (text.split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?](?=\s+[A-Z`"(]|$)/.exec(paragraph)?.[0] ?? paragraph;
  if (sentence.length <= most) return sentence.replace(/[\s:;,-]+$/, '');
  const cut = sentence.slice(0, most);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1))} …`;
}
