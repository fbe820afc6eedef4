import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readWrittenAnswer, visit } from '../../../src/codesearch/agent/answer.ts';
import { createReadable } from '../../../src/codesearch/agent/readable.ts';
import { BASE_MARK } from '../../../src/codesearch/ask/finding.ts';
import { type Corpus, openCorpus } from '../../../src/codesearch/index/corpus.ts';
import { createHarbourRepository, createTestRepository, type TestRepository } from '../support/repository.ts';

const NAME = 'github.com/harbour-org/harbour';
const SECRET = 'github.com/harbour-org/secret';

let harbour: TestRepository;
let secret: TestRepository;
let corpus: Corpus;
let head: string;

beforeAll(async () => {
  harbour = createHarbourRepository();
  secret = createTestRepository({ 'plan.md': 'The plan.\n' });
  secret.origin(`git@${SECRET.replace('/', ':')}.git`);
  secret.commit('Plan');
  head = harbour.git('rev-parse', 'HEAD').trim();
  corpus = await openCorpus([harbour.path, secret.path]);
});
afterAll(() => {
  harbour.remove();
  secret.remove();
});

const read = (text: string) =>
  readWrittenAnswer(
    text,
    createReadable(corpus, (name) => name !== SECRET),
  );

describe('the links of an answer', () => {
  test('to lines, files and commits that exist are kept, with the newest commit', async () => {
    const written = await read(
      [
        `[a](/${NAME}/-/blob/src/retry.ts?L4-7)`,
        `[b](/${NAME}@${head.slice(0, 10)}/-/blob/src/queue.ts?L3)`,
        `[c](/${NAME}/-/blob/src/c%6Fnfig.ts)`,
        `[d](/${NAME}/-/commit/${head.slice(0, 8)})`,
      ].join(' and '),
    );
    expect(written.dropped).toBe(0);
    expect(written.answer.split(' and ')).toEqual([
      `[a](${BASE_MARK}/${NAME}@${head}/-/blob/src/retry.ts?L4-7)`,
      `[b](${BASE_MARK}/${NAME}@${head}/-/blob/src/queue.ts?L3)`,
      `[c](${BASE_MARK}/${NAME}@${head}/-/blob/src/config.ts)`,
      `[d](${BASE_MARK}/${NAME}/-/commit/${head})`,
    ]);
    expect(written.sources.map(({ type, label }) => [type, label])).toEqual([
      ['File', 'src/retry.ts:4-7'],
      ['File', 'src/queue.ts:3'],
      ['File', 'src/config.ts'],
      ['Commit', `${head.slice(0, 8)} Queue jobs in the order of arrival`],
    ]);
  });

  test.each([
    ['a file that does not exist', `[it](/${NAME}/-/blob/src/none.ts?L1)`, 'it'],
    ['lines after the end of a file', `[it](/${NAME}/-/blob/src/config.ts?L4-6)`, 'it'],
    ['line 0', `[it](/${NAME}/-/blob/src/config.ts?L0)`, 'it'],
    ['an older version of a file', `[it](/${NAME}@0123456789/-/blob/src/config.ts?L1)`, 'it'],
    ['a commit that does not exist', `[it](/${NAME}/-/commit/0123456789)`, 'it'],
    ['a branch as a commit', `[it](/${NAME}/-/commit/main)`, 'it'],
    ['a folder', `[it](/${NAME}/-/tree/src)`, 'it'],
    ['a repository', `[it](/${NAME})`, 'it'],
    ['the form of a code host', `[it](https://${NAME}/blob/main/src/retry.ts#L4)`, 'it'],
    ['a path alone', '[it](src/retry.ts:4-7)', 'it'],
    ['a branch', `[it](/${NAME}@main/-/blob/src/retry.ts)`, 'it'],
    ['an address that is not encoded well', `[it](/${NAME}/-/blob/%E0%A4%A)`, 'it'],
    ['an address without end', `[it](/${NAME}/-/blob/src/retry.ts?L4-${'4'.repeat(2_000)})`, 'it'],
    ['data', '[it](data:text/html,x)', 'it'],
    ['a repository that may not be read', `[it](/${SECRET}/-/blob/plan.md?L1)`, 'it'],
    ['a path that leaves the repository', `[it](/${NAME}/-/blob/../../etc/passwd)`, 'it'],
    ['another server', '[it](https://evil.example/?q=text)', 'it'],
    [
      'another server, by its address as label',
      '[https://evil.example](https://evil.example)',
      '`https://evil.example`',
    ],
    ['a bare address', 'see https://evil.example/x', 'see `https://evil.example/x`'],
    ['a bare host', 'see www.evil.example', 'see `www.evil.example`'],
    ['a bare mail address', 'ask a@evil.example', 'ask `a@evil.example`'],
    ['an address between signs', '<https://evil.example/x>', '`https://evil.example/x`'],
    ['a reference', '[it][1]\n\n[1]: https://evil.example', 'it'],
    ['a script', '[it](javascript:alert(1))', 'it'],
    ['an image', '![it](https://evil.example/pixel.png)', 'it'],
    ['an image in a link', `[![it](https://evil.example/pixel.png)](https://evil.example)`, ''],
  ])('are removed and counted: %s', async (_what, markdown, shown) => {
    const written = await read(markdown);
    expect(written).toMatchObject({ answer: shown, dropped: 1, sources: [] });
  });

  test.each([
    ['a removed image', 'see http![](x)s://evil.example/x'],
    ['a removed link', 'see http[](x)s://evil.example/x'],
    ['the label of a removed link', 'see ht[tps:](x)//evil.example/x'],
  ])('do not form in the text around %s', async (_what, markdown) => {
    expect(await read(markdown)).toMatchObject({ answer: 'see `https://evil.example/x`' });
  });

  test('do not form from the mark of the service, written as a reference', async () => {
    const mark = '&#xE0F0;';
    const written = await read(
      `# A ${mark}title\n\nSee ${mark}.evil.example/x, [${mark}it](/${NAME}/-/blob/src/retry.ts), ${mark}@evil.example/.\n\n\`\`\`${mark}x\ncode\n\`\`\`\n\n## Follow-ups\n\n- Where is ${mark}it?\n`,
    );
    expect(written.title).toBe('A title');
    expect(written.followUps).toEqual(['Where is it?']);
    expect(written.answer).toBe(
      `See .evil.example/x, [it](${BASE_MARK}/${NAME}@${head}/-/blob/src/retry.ts), @evil.example/.\n\n\`\`\`x\ncode\n\`\`\``,
    );
  });

  test('in HTML become text', async () => {
    const written = await read(
      '<a href="https://evil.example">x</a> and Promise<void>\n\n<img src="https://evil.example/x">',
    );
    expect(linksOf(written.answer)).toEqual([]);
    expect(written.answer).toContain('Promise\\<void>');
  });

  test('in title and follow-ups leave their text', async () => {
    const written = await read(
      '# [A](https://evil.example) title\n\nText.\n\n## Follow-up questions:\n\n1. Where is [it](https://evil.example)?\n',
    );
    expect(written).toMatchObject({ title: 'A title', answer: 'Text.', followUps: ['Where is it?'], dropped: 0 });
  });

  test('lead to the service only, whatever the model writes', async () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '\n',
      '\n\n',
      ' ',
      '`',
      '```',
      '*',
      '_',
      '|',
      '\\',
      '- ',
      '# ',
      '[1]: ',
      '[^1]',
      '&lt;',
      'https://evil.example',
      'www.evil.example',
      'a@evil.example',
      'javascript:x',
      `/${NAME}`,
      `/${NAME}/-/blob/src/retry.ts?L4`,
      '<a href="https://evil.example">',
      '<img src=x>',
      BASE_MARK,
      '&#xE0F0;',
      '![](x)',
      'http',
      's://',
      'word',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const { answer } = await read(pieces.join(''));
        expect(answer.split(BASE_MARK)).toHaveLength(linksOf(answer).length + 1);
        expect(linksOf(answer).filter((url) => !url.startsWith(`${BASE_MARK}/`))).toEqual([]);
        expect(await read(answer.replaceAll(BASE_MARK, ''))).toMatchObject({ dropped: 0 });
      }),
      { numRuns: 100 },
    );
  });

  test('stand after all that the model thought', async () => {
    expect(await read('A<think>one</think>B<think>two</think>C')).toMatchObject({ answer: 'ABC' });
    expect(await read('thought</think>C')).toMatchObject({ answer: 'C' });
    expect(await read('A<think>one</think>thought</think>C')).toMatchObject({ answer: 'AC' });
  });

  test('are checked in the time that a hostile text takes', async () => {
    for (const text of [
      '>'.repeat(12_000),
      '['.repeat(12_000),
      '*a _b '.repeat(2_000),
      '- '.repeat(6_000),
      '<think>'.repeat(9_000),
    ]) {
      await read(text).catch((error: unknown) => expect(error).toBeInstanceOf(RangeError));
    }
  });
});

/** Addresses that a reader of Markdown follows: links and images; HTML counts too. */
function linksOf(markdown: string): string[] {
  const found: string[] = [];
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }), (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') found.push(node.url);
    if (node.type === 'html') found.push(node.value);
  });
  return found;
}
