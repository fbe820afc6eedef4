import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/render/limits.ts';
import { DIAGRAM_LANGUAGES } from '../../../src/render/markdown/diagrams.ts';
import { layoutAnswer, type Surroundings } from '../../../src/render/markdown/layout.ts';
import { openingOf } from '../../../src/render/markdown/opening.ts';
import { expectGolden } from '../../support/golden.ts';

const around: Surroundings = { firstWeight: 300, lastWeight: 900, eachWeight: 60, blocks: 8 };
const diagrams = {
  url: 'https://search.example.com/x',
  label: 'Open in Deep Search',
  names: new Map(DIAGRAM_LANGUAGES.map((language) => [language, `A diagram in ${language}`])),
};

/** Pieces of Markdown between lines of dashes. Together they cover what people and models write. */
const snippets = readFileSync(new URL('../../fixtures/render/snippets.txt', import.meta.url), 'utf8')
  .split(/\n-{20,}\n/)
  .map((snippet) => snippet.replaceAll('␠', ' ').replaceAll('␤', '\n'));

describe('a piece of an answer', () => {
  it('matches its golden file as Markdown, as mrkdwn and as words', () => {
    expect(snippets.length).toBeGreaterThan(100);
    const written = snippets.map((snippet) => {
      const { parts, isWhole } = layoutAnswer(snippet, around, diagrams);
      expect([parts.length, isWhole]).toEqual([1, true]);
      const [{ markdown, sections, words } = { markdown: '', sections: [], words: '' }] = parts;
      const forms = { markdown, mrkdwn: sections.join('\n§\n'), words };
      // As it stands in snippets.txt, unless a form differs.
      return Object.fromEntries(Object.entries(forms).filter(([, form]) => form !== snippet));
    });
    expectGolden('render/written/snippets.txt', written);
  });

  it('matches its golden file where only its beginning is shown', () => {
    const opened = snippets.map((snippet) => openingOf(snippet, 60, 'Title').replaceAll('\n', '␤'));
    expectGolden('render/written/openings.txt', opened);
  });
});

describe('a long answer', () => {
  const numbered = (count: number, make: (index: number) => string, between = '\n\n') =>
    Array.from({ length: count }, (_, index) => make(index)).join(between);
  const sentence = 'All of it is in the retry policy, which counts. ';
  const documents: Record<string, string> = {
    paragraphs: numbered(120, (index) => `w${index} ${sentence.repeat(1 + (index % 7))}`),
    'paragraphs under headings': numbered(
      40,
      (index) => `${'#'.repeat(1 + (index % 4))} h${index}\n\n${sentence.repeat(9)}`,
    ),
    'one paragraph': sentence.repeat(700),
    'one word': 'x'.repeat(30_000),
    'one bold paragraph': `**${sentence.repeat(500).trim()}**`,
    'one struck and slanted paragraph': `~~*${sentence.repeat(300).trim()}*~~`,
    'a long label': `See [${sentence.repeat(120).trim()}](https://e.org/a) and ${sentence.repeat(200)}`,
    'a long inline code': `See \`${'const a = b; '.repeat(900)}\` there.`,
    'many links': numbered(
      400,
      (index) => `[file ${index}](https://x.example.com/src/${'d'.repeat(index % 90)}.ts)`,
      ' ',
    ),
    lines: numbered(900, (index) => `line ${index} of an answer\\`, '\n'),
    'escaped characters': '<&> '.repeat(4_000),
    'a list': numbered(500, (index) => `- item ${index} ${sentence.repeat(1 + (index % 3))}`, '\n'),
    'a loose list': numbered(200, (index) => `- item ${index}\n\n  ${sentence.repeat(3)}`),
    'a numbered list': numbered(300, (index) => `${index + 7}. ${sentence}`, '\n'),
    'a list in a list': numbered(
      60,
      (index) => `- outer ${index}\n  - inner ${sentence}\n    1. innermost ${sentence.repeat(3)}`,
      '\n',
    ),
    'tasks in a quotation': numbered(200, (index) => `> - [${index % 2 === 0 ? 'x' : ' '}] ${sentence}`, '\n'),
    quotations: numbered(80, (index) => `> ${sentence.repeat(4)}\n>\n> w${index}`),
    code: `\`\`\`ts\n${numbered(1_200, (index) => `const line${index} = ${index};`, '\n')}\n\`\`\``,
    'code in a list': `- first\n\n  ~~~sh\n${numbered(700, (index) => `  echo ${index} | tr a b`, '\n')}\n  ~~~\n- last`,
    'code of one line': `\`\`\`\n${'x = y + z; '.repeat(2_500)}\n\`\`\``,
    'small codes': numbered(90, (index) => `\`\`\`go\nfunc f${index}() {}\n\`\`\`\n\n${sentence}`),
    'a table': `| Name | Count | What |\n|:--|--:|:-:|\n${numbered(260, (index) => `| n${index} | ${index} | ${sentence} |`, '\n')}`,
    'small tables': numbered(30, (index) => `| A | B |\n|---|---|\n| ${index} | ${sentence} |\n\n${sentence}`),
    'a wide table': `|${' h |'.repeat(9)}\n|${'---|'.repeat(9)}\n${numbered(120, () => `|${` ${sentence}|`.repeat(9)}`, '\n')}`,
    'footnotes and rules': numbered(150, (index) => `Note[^${index}] ${sentence}\n\n[^${index}]: foot ${index}\n\n---`),
    'more than is shown': numbered(2_000, (index) => `w${index} ${sentence.repeat(4)}`),
    'more lines than are shown': 'a\n'.repeat(7_000),
    'as many lines as are shown': `${'a\n'.repeat(5_999)}b`,
    'one line more than is shown': `${'a\n'.repeat(6_000)}b`,
    'code with bars and escapes': numbered(
      300,
      (index) => `\`a|b${index}\` & <b> *star* | [x](https://e.org/?a=1&b=${index})`,
    ),
    'headings alone': numbered(400, (index) => `${'#'.repeat(1 + (index % 6))} heading ${index} of many & more`),
    'a table in a list': numbered(
      40,
      (index) => `- item ${index}\n\n  | A | B |\n  |---|---|\n  | ${index} | ${sentence} |`,
    ),
    'diagrams and notes': numbered(
      40,
      (index) => `\`\`\`mermaid\ngraph TD; A${index}-->B;\n\`\`\`\n\n${sentence.repeat(4)}`,
    ),
  };

  it.each(Object.entries(documents))('of %s keeps to the limits of Slack in each part', (_, markdown) => {
    const { parts } = layoutAnswer(
      markdown,
      { ...around, firstWeight: 9_000, lastWeight: 6_000, blocks: 30 },
      diagrams,
    );
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(part.markdown.length).toBeLessThanOrEqual(LIMITS.markdownText);
      for (const section of part.sections) expect(section.length).toBeLessThanOrEqual(LIMITS.sectionText);
    }
  });

  it('is divided as in its golden file', () => {
    const divided = Object.entries(documents).map(([name, markdown]) => {
      const { parts, isWhole } = layoutAnswer(markdown, around, diagrams);
      const ends = (text: string) => `${text.slice(0, 20)} … ${text.slice(-20)}`.replaceAll('\n', '␤');
      const shown = parts.map(({ markdown: text, sections, words }) =>
        [ends(text), text.length, words.length, ...sections.map(({ length }) => length)].join(' '),
      );
      return [`${name}${isWhole ? '' : ', cut'}`, shown];
    });
    expectGolden('render/written/divided.txt', Object.fromEntries(divided));
  });
});
