import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const table = readFileSync('test/codesearch/api/specification.md', 'utf8');
const named = [...table.matchAll(/(?:\| |<br>)`([^`|]+\.test\.ts)`: (.+?)(?=<br>| \|$)/gm)].map(
  ([, file = '', title = '']) => ({ path: file.includes('/') ? file : `test/codesearch/api/${file}`, title }),
);

describe('the table of sentences and tests', () => {
  it('names tests that exist', () => {
    expect(named.length).toBeGreaterThan(80);
    const missing = named.filter(({ path, title }) => !readFileSync(path, 'utf8').includes(title));
    expect(missing).toEqual([]);
  });

  it('holds every test of the conversation API that names a section', () => {
    const text = readFileSync('test/codesearch/api/spec-conversations.test.ts', 'utf8');
    const titles = [...text.matchAll(/'(spec \d: [^']+)'/g)].map(([, title]) => title);
    const known = new Set(named.map(({ title }) => title));
    expect(titles.filter((title) => title !== undefined && !known.has(title))).toEqual([]);
  });
});
