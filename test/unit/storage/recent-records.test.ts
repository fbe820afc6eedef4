import { describe, expect, it, vi } from 'vitest';
import { createRecentRecords } from '../../../src/storage/repositories.ts';

interface Named {
  name: string;
  tags?: string[];
}

function countingFormat() {
  const decode = vi.fn((_key: string, text: string): Named => JSON.parse(text));
  return { decode, format: { encode: (_key: string, record: Named) => JSON.stringify(record), decode } };
}

describe('records that were read or written lately', () => {
  it('are decoded once for each text, and again when the text changed', () => {
    const { decode, format } = countingFormat();
    const recent = createRecentRecords(format);
    const first = recent.decode('a', '{"name":"one"}');
    expect(recent.decode('a', '{"name":"one"}')).toBe(first);
    expect(decode).toHaveBeenCalledTimes(1);
    expect(recent.decode('a', '{"name":"two"}')).toEqual({ name: 'two' });
    expect(decode).toHaveBeenCalledTimes(2);
  });

  it('are not decoded again after they were encoded', () => {
    const { decode, format } = countingFormat();
    const recent = createRecentRecords(format);
    const text = recent.encode('a', { name: 'one' });
    expect(decode).toHaveBeenCalledTimes(1);
    expect(recent.decode('a', text)).toEqual({ name: 'one' });
    expect(decode).toHaveBeenCalledTimes(1);
    expect(recent.latest('a')).toEqual({ text, record: { name: 'one' } });
  });

  it('are frozen at any depth, because all readers share them', () => {
    const { format } = countingFormat();
    const record = createRecentRecords(format).decode('a', '{"name":"one","tags":["x"]}');
    expect(() => record.tags?.push('y')).toThrow(TypeError);
    expect(() => Object.assign(record, { name: 'two' })).toThrow(TypeError);
  });

  it('are known to be absent until one is read or written', () => {
    const { format } = countingFormat();
    const recent = createRecentRecords(format);
    expect(recent.latest('a')).toBeUndefined();
    recent.noteAbsent('a');
    expect(recent.latest('a')).toEqual({ text: undefined, record: undefined });
    recent.encode('a', { name: 'one' });
    expect(recent.latest('a')?.record).toEqual({ name: 'one' });
  });

  it('that cannot be encoded leave what was known as it was', () => {
    const recent = createRecentRecords<Named>({
      encode: (_key, record) => JSON.stringify(record),
      decode(_key, text) {
        const parsed: Named = JSON.parse(text);
        if (parsed.name === '') throw new Error('corrupt');
        return parsed;
      },
    });
    recent.encode('a', { name: 'one' });
    expect(() => recent.encode('a', { name: '' })).toThrow('corrupt');
    expect(recent.latest('a')?.record).toEqual({ name: 'one' });
  });

  it('leave memory some minutes after they were read, also if nothing else is read', () => {
    vi.useFakeTimers();
    try {
      const { format } = countingFormat();
      const recent = createRecentRecords(format);
      recent.decode('a', '{"name":"one"}');
      vi.advanceTimersByTime(10 * 60_000);
      expect(recent.latest('a')).toBeUndefined();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('drop the oldest ones when they become too long together', () => {
    const { format } = countingFormat();
    const recent = createRecentRecords(format);
    const long = 'x'.repeat(3_000_000);
    for (const key of ['a', 'b', 'c']) recent.encode(key, { name: long });
    expect(['a', 'b', 'c'].map((key) => recent.latest(key) !== undefined)).toEqual([false, true, true]);
  });
});
