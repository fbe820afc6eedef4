const ASIDE_LINE = /^\s*(\/\/|\/\*.*\*\/\s*$|#(?!include|define|!)|@\w|--\s|#?\[\w)/;
const LONGEST_COMMENT = 120;

/** First line of the comment, decorators or attributes directly above a line. */
function commentStart(lines: readonly string[], line: number): number {
  let start = line;
  while (start > 1) {
    const above = lines[start - 2] ?? '';
    if (ASIDE_LINE.test(above)) start -= 1;
    else if (/\*\/\s*$/.test(above)) {
      const from = Math.max(0, start - 2 - LONGEST_COMMENT);
      const opened = lines.slice(from, start - 1).findLastIndex((text) => text.includes('/*'));
      if (opened < 0 || !/^\s*\/\*/.test(lines[from + opened] ?? '')) break;
      start = from + opened + 1;
    } else break;
  }
  return start;
}

/** The comment of a definition as plain text without comment marks; empty without a comment. */
export function docComment(lines: readonly string[], line: number): string {
  const above = stripMarks(lines.slice(commentStart(lines, line) - 1, line - 1));
  const text = above || docstringBelow(lines, line);
  return text.replace(/(?:^|\n)\s*:\w+[^:\n]*:[\s\S]*$/, '').trim();
}

/** The text of comment lines, without comment marks and tags. */
export function stripMarks(comment: readonly string[]): string {
  return comment
    .filter(
      (line) => !/^\s*(@\w|#?\[\w|(\/\/|#)\s*(eslint|@ts-|biome|prettier|nolint|noqa|type:|pylint|go:))/.test(line),
    )
    .map((line) => line.replace(/^\s*(\/\*\*?|\*\/|\*(?=\s|$)|\/\/\/?!?|#+|--|"""|''')\s?/, '').trimEnd())
    .map((line) => line.replace(/(?:\*\/|"""|''')$/, '').trim())
    .filter((line) => !/^[-=*─━_#~\s]{3,}$/.test(line))
    .join('\n')
    .replace(/(?:\n|^)@\w[\s\S]*$/, '')
    .trim();
}

/** The docstring after a signature that may go over several lines. */
function docstringBelow(lines: readonly string[], line: number): string {
  for (let index = line; index < Math.min(lines.length, line + 12); index += 1) {
    const text = (lines[index] ?? '').trim();
    const quote = /^[rbu]?("""|''')/.exec(text)?.[1];
    if (quote !== undefined) {
      const rest = [text.slice(text.indexOf(quote) + 3), ...lines.slice(index + 1, index + 30)].join('\n');
      return (rest.split(quote)[0] ?? '').trim();
    }
    if (index > line ? !/[,(:]$|^\)/.test(text) : !/^[\w*)\],]/.test(text)) return '';
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
