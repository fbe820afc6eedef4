/** Markdown that takes a naive link parser seconds to minutes, named by its content. */
export const hostileLinkMarkdown: [name: string, markdown: string][] = [
  ['nested emphasis', '*a '.repeat(20_000) + 'b* '.repeat(20_000)],
  ['emphasis of two kinds', '_a*'.repeat(8_000)],
  ['lists in one line', '- '.repeat(5_000)],
  ['quotations', '>'.repeat(50_000)],
  ['lists in lists', Array.from({ length: 400 }, (_, i) => `${' '.repeat(2 * i)}- a`).join('\n')],
  ['open brackets', '['.repeat(90_000)],
  ['nested links', `${'['.repeat(5_000)}x${'](/y)'.repeat(5_000)}`],
  ['comments without end', `x ${'<!--'.repeat(20_000)}`],
  ['a megabyte of ordinary Markdown', '## Title\n\nSome *text* and [link](/a/b).\n\n- x\n- y\n\n'.repeat(18_000)],
];

/** Markdown that takes a naive renderer seconds to minutes, named by its content. */
export const hostileAnswers: [name: string, markdown: string][] = [
  ['nested emphasis', '*a '.repeat(500) + 'b* '.repeat(500)],
  ['a little nested emphasis', '*a '.repeat(150) + 'b* '.repeat(150)],
  ['emphasis of two kinds', '*a_'.repeat(8_000)],
  ['many stars', '*'.repeat(100_000)],
  ['lists in one line', `${'- '.repeat(5_000)}x`],
  ['numbered lists in one line', `${'1. '.repeat(3_000)}x`],
  ['quotations', `${'>'.repeat(100_000)}x`],
  ['lists in quotations in many lines', `${'> - '.repeat(50)}x\n`.repeat(200)],
  ['lists in lists', linesOf(400, (i) => `${' '.repeat(2 * i)}- a`).join('\n')],
  ['blank lines in deep lists', `${'- '.repeat(30)}x\n${'\n'.repeat(90_000)}`],
  ['footnotes in footnotes', '[^a]: '.repeat(10_000)],
  ['open brackets', '['.repeat(100_000)],
  ['open images', '!['.repeat(50_000)],
  ['nested images', `${'!['.repeat(3_000)}x${'](/y)'.repeat(3_000)}`],
  ['labels without end', '[a]('.repeat(25_000)],
  ['comments without end', `x ${'<!--'.repeat(20_000)}`],
  ['tags without end', '<a '.repeat(30_000)],
  ['backticks of all lengths', linesOf(400, (i) => `${'`'.repeat(i + 1)}a`).join('')],
  ['addresses without an at sign', `x ${'a.'.repeat(49_000)}`],
  ['an address that ends in punctuation', `http://a/${'!'.repeat(90_000)}a`],
  ['an address that ends in parentheses', `http://a/${'('.repeat(40_000)}${')'.repeat(50_000)}`],
  ['mail addresses', 'a@b.'.repeat(25_000)],
  [
    'a table of 2,000 columns',
    `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n${`|${'b|'.repeat(2_000)}\n`.repeat(10)}`,
  ],
  ['a table of 30,000 rows', `|a|\n|-|\n${'|b|\n'.repeat(30_000)}`],
  [
    'records of 1,000 rows',
    `|${'a|'.repeat(20)}\n|${'-|'.repeat(20)}\n${`|${'`b` **c**|'.repeat(20)}\n`.repeat(1_000)}`,
  ],
  ['2,000 diagrams', '```mermaid\ngraph TD; a-->b\n```\n\n'.repeat(2_000)],
  ['entities', '&amp;'.repeat(20_000)],
  ['100,000 lines', 'a\n'.repeat(100_000)],
  ['100,000 lines of code', `\`\`\`\n${'a\n'.repeat(100_000)}\`\`\``],
  ['a fence that is none', `\`\`\` \`\n${'*a_'.repeat(8_000)}`],
  ['a fence in a comment', `<!--\n\`\`\`\n-->\n\n${'*a_'.repeat(8_000)}\n\n\`\`\``],
  ['a fence in a list', `- \`\`\`\n\n${'*a_'.repeat(8_000)}\n\n\`\`\``],
  ['a heading that goes on', `${'a\n'.repeat(40_000)}===`],
  ['dashes', `-${'-'.repeat(90_000)}x`],
  [
    'a megabyte of ordinary Markdown',
    '## Title\n\nSome *text* with `code` and [link](/a/b).\n\n- x\n- y\n\n'.repeat(16_000),
  ],
  ['a megabyte of words', 'word '.repeat(200_000)],
  ['a megabyte of brackets', '<'.repeat(1_000_000)],
];

/** Answers whose first words take a naive parser long to find. */
export const hostileOpenings: [name: string, markdown: string][] = [
  ['9,000 empty list items', '-\n'.repeat(9_000)],
  ['emphasis of two kinds', '*a_'.repeat(30_000)],
  ['300,000 paragraphs', 'a\n\n'.repeat(300_000)],
];

function linesOf(count: number, line: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => line(index));
}
