import { describe, expect, it } from 'vitest';
import { quote } from '../../../src/render/blocks.ts';

describe('a quoted text of a person', () => {
  it('is under its heading, with a mark before each line', () => {
    expect(quote('*Asked:*', 'one\n\n<two>')).toEqual(['*Asked:*\n> one\n> \n> &lt;two&gt;']);
    expect(quote('*Asked:*', '')).toEqual(['*Asked:*']);
  });

  it('continues in further sections, which end at lines and lose none', () => {
    const lines = Array.from({ length: 90 }, (_, index) => `line ${index} ${'x'.repeat(60)}`);
    const sections = quote('*Asked:*', lines.join('\n'));
    expect(sections.length).toBeGreaterThan(1);
    expect(sections.join('\n')).toBe(['*Asked:*', ...lines.map((line) => `> ${line}`)].join('\n'));
  });

  it('is cut where it would fill too much of a message, with a mark at its end', () => {
    const sections = quote('*Asked:*', 'word '.repeat(4_000));
    const written = sections.join('\n');
    expect(written.endsWith('…')).toBe(true);
    expect(written.length).toBeLessThanOrEqual(11_050);
    expect(written.length).toBeGreaterThan(8_000);
    for (const section of sections) expect(section.length).toBeLessThanOrEqual(3_000);
  });
});
