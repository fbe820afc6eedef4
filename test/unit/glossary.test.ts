import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const glossary = sectionOf(readFileSync('docs/design.md', 'utf8'), '## Words of the code');
const retired = [...glossary.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(([, never = '']) =>
  [...never.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
);

describe('the glossary', () => {
  it('names the words that are not used any more', () => {
    expect(retired.length).toBeGreaterThan(30);
    expect(retired).toContain('gatehouse');
  });

  it.each(['src', 'test', 'docs', 'README.md', 'CONTRIBUTING.md', 'manifest.yml'])('is kept by %s', (place) => {
    const uses = filesIn(place).flatMap((path) => {
      const text = readFileSync(path, 'utf8').replace(glossary, '');
      return retired
        .filter((word) => new RegExp(`\\b${word}\\b`, flagsFor(word)).test(text))
        .map((word) => `${path}: ${word}`);
    });
    expect(uses).toEqual([]);
  });
});

/** A plain word is meant in any case; a name of the code only as it is written. */
function flagsFor(word: string): string {
  return /^[a-z]+$/.test(word) ? 'i' : '';
}

function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(heading);
  const end = text.indexOf('\n## ', start + heading.length);
  return text.slice(start, end < 0 ? undefined : end);
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => /\.(ts|mjs|md|yml)$/.test(name) && !name.startsWith(join('test', 'fixtures')))
    .filter((name) => name !== join('test', 'unit', 'glossary.test.ts'));
}
