import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/command-line.ts';

const options = {
  name: { takes: 'text' },
  tag: { takes: 'texts' },
  count: { takes: 'whole', least: 1, most: 10 },
  quiet: { takes: 'nothing' },
} as const;

const read = (line: string) => readCommandLine(line === '' ? [] : line.split(' '), options);

describe('a command line', () => {
  it('is read into the types that its options take', () => {
    expect(read('--name=a --tag x --tag y --count 10 --quiet')).toEqual({
      help: false,
      values: { name: 'a', tag: ['x', 'y'], count: 10, quiet: true },
      problems: [],
    });
  });

  it('may be empty', () => {
    expect(read('')).toEqual({
      help: false,
      values: { name: undefined, tag: [], count: undefined, quiet: false },
      problems: [],
    });
  });

  it.each(['--help', '-h', '--color --help'])('asks for help by "%s"', (line) => {
    expect(read(line).help).toBe(true);
  });

  it.each([
    ['loose', '"loose" is not an option'],
    ['--color', 'there is no option --color'],
    ['-x', 'there is no option -x'],
    ['--constructor', 'there is no option --constructor'],
    ['--name', '--name needs a value'],
    ['--name=', '--name needs a value'],
    ['--name --quiet', '--name needs a value'],
    ['--quiet=yes', '--quiet takes no value'],
    ['--name a --name b', '--name is given 2 times'],
    ['--count 0', '--count 0: not a whole number from 1 to 10'],
    ['--count 11', '--count 11: not a whole number from 1 to 10'],
    ['--count 1.5', '--count 1.5: not a whole number from 1 to 10'],
    ['--count 1e1', '--count 1e1: not a whole number from 1 to 10'],
  ])('"%s" is told to be wrong', (line, problem) => {
    expect(read(line).problems).toEqual([problem]);
  });

  it('has all its problems told at once', () => {
    expect(read('loose --color --count many --quiet=yes --name').problems).toHaveLength(5);
  });

  it('may give a value that looks like an option after an equals sign', () => {
    expect(read('--name=--quiet')).toMatchObject({ values: { name: '--quiet', quiet: false }, problems: [] });
  });
});
