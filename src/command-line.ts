import { parseArgs } from 'node:util';

/** What an option takes: nothing, a text, any number of texts, or a whole number. */
type Option = { takes: 'nothing' | 'text' | 'texts' } | { takes: 'whole'; least: number; most: number };

/** Options of a program by their names without the two dashes. `--help` and `-h` need not be among them. */
type Options = Record<string, Option>;

interface Taken {
  nothing: boolean;
  text: string | undefined;
  texts: string[];
  whole: number | undefined;
}

export interface CommandLine<Known extends Options> {
  /** Whether help is asked for; the rest does not matter then. */
  help: boolean;
  /** Of an option that is absent or wrong: false, undefined or an empty list. */
  values: { [Name in keyof Known]: Taken[Known[Name]['takes']] };
  /** Everything that is wrong, each as a sentence for the person who typed it. */
  problems: string[];
}

/** Reads the arguments of a program. Never throws: all problems are found in one go. */
export function readCommandLine<const Known extends Options>(
  args: readonly string[],
  known: Known,
): CommandLine<Known> {
  const { given, help, problems } = split(args, known);

  const single = (name: string): string | undefined => {
    const [first, ...more] = given.get(name) ?? [];
    if (more.length > 0) problems.push(`--${name} is given ${more.length + 1} times`);
    return first;
  };
  const whole = (name: string, { least, most }: { least: number; most: number }): number | undefined => {
    const text = single(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    problems.push(`--${name} ${text}: not a whole number from ${least} to ${most}`);
    return undefined;
  };
  const read = (name: string, option: Option): Taken[Option['takes']] => {
    switch (option.takes) {
      case 'nothing':
        return given.has(name);
      case 'text':
        return single(name);
      case 'texts':
        return given.get(name) ?? [];
      case 'whole':
        return whole(name, option);
    }
  };

  const values = Object.fromEntries(Object.entries(known).map(([name, option]) => [name, read(name, option)]));
  // Each value has the type that its option takes, which Object.fromEntries can't tell.
  return { help, values: values as CommandLine<Known>['values'], problems };
}

/** The values given for each known option, in order; an empty list for one that takes nothing. */
function split(args: readonly string[], known: Options) {
  const given = new Map<string, string[]>();
  const problems: string[] = [];
  let help = false;
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(
        Object.entries(known).map(([name, { takes }]) => [
          name,
          { type: takes === 'nothing' ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    },
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" is not an option`);
    if (token.kind !== 'option') continue;
    if (token.name === 'help') {
      help = true;
      continue;
    }
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    const values = given.get(token.name) ?? [];
    if (option === undefined) problems.push(`there is no option ${token.rawName}`);
    else if (option.takes === 'nothing') {
      if (token.value !== undefined) problems.push(`--${token.name} takes no value`);
      given.set(token.name, values);
    }
    // A forgotten value makes the parser take the next option for it.
    else if (!token.value?.trim() || (!token.inlineValue && token.value.startsWith('--'))) {
      problems.push(`--${token.name} needs a value`);
    } else given.set(token.name, [...values, token.value]);
  }
  return { given, help, problems };
}
