import { describe, expect, it } from 'vitest';
import { highlightLines } from '../../../src/codesearch/pages/highlight.ts';

/** The colored parts of a file, as `kind:text`. */
function parts(path: string, text: string): string[] {
  const shown = (highlightLines(path, text.split('\n')) ?? []).map(({ text }) => text).join('\n');
  return [...shown.matchAll(/<span class="(\w+)">(.*?)<\/span>/gs)].map(([, kind, part]) => `${kind}:${part}`);
}

const SIGNS: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

describe('the colors of code', () => {
  it.each([
    ['a.ts', 'const a = 1; // b', ['keyword:const', 'number:1', 'comment:// b']],
    ['a.ts', 'return \'it\' + "b\\"c";', ['keyword:return', 'string:&#39;it&#39;', 'string:&quot;b\\&quot;c&quot;']],
    ['a.go', '/* a\nif */ if', ['comment:/*', 'comment: a', 'comment:if */', 'keyword:if']],
    ['a.js', '`a\\`\nb` + b', ['string:`', 'string:a\\`', 'string:b`']],
    [
      'a.py',
      'def f(): # x\n  """a\n  b"""',
      ['keyword:def', 'comment:# x', 'string:&quot;&quot;&quot;', 'string:a', 'string:  b&quot;&quot;&quot;'],
    ],
    ['a.rs', "fn f<'a>() {}", ['keyword:fn']],
    ['a.ts', '// <b>', ['comment:// &lt;b&gt;']],
  ])('of %s %j', (path, text, expected) => {
    expect(parts(path, text)).toEqual(expected);
  });

  it('keep every character of the file, also of unfinished and hostile ones', () => {
    for (const text of [
      "'\\",
      '`',
      '/*',
      '"""',
      'a\\',
      "'\\'\\'\\'",
      '🙂 "é" ',
      '<script>"</script>',
      '\t\0x',
      '#!/bin/sh',
    ]) {
      for (const path of ['a.ts', 'a.py', 'a.sh', 'a.c']) {
        const shown = (highlightLines(path, text.split('\n')) ?? []).map((line) => line.text).join('\n');
        const plain = shown
          .replaceAll(/<\/?span[^>]*>/g, '')
          .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => SIGNS[entity] ?? entity);
        expect(plain).toBe(text);
      }
    }
  });

  it('take time in proportion to the file, however its quotation marks are escaped', () => {
    const line = `'${"\\'".repeat(450)}`;
    const lines = highlightLines('a.ts', Array(300).fill(line));
    expect(lines).toHaveLength(300);
    expect(parts('a.ts', line)).toEqual([]);
  });

  it('are left out for other files, long lines and long files', () => {
    expect(highlightLines('a.txt', ['if'])).toBeUndefined();
    expect(highlightLines('a.ts', Array(3_001).fill('x'.repeat(100)))).toBeUndefined();
    expect(parts('a.ts', `${'if '.repeat(400)}`)).toEqual([]);
  });
});
