import { LIMITS } from '../limits.ts';

/** A regular expression is not searched for; people read the message. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Makes a regular expression of a user safe for `git grep -P` and `git log -P --grep`; throws {@link PatternError} otherwise.
 *
 * Refused here: more than `LIMITS.patternCharacters`; a NUL or a line break (git takes each line for a pattern); verbs like
 * `(*LIMIT_MATCH=9)`; repetitions that multiply to more than `LIMITS.patternCopies` copies (`((a{1,255}){1,255}){1,255}` took
 * 1.5 GB with `git grep -E`). Then PCRE stops after `LIMITS.patternSteps` steps in one line: git fails with "match limit
 * exceeded", which means that the pattern is too slow, not that nothing matches. Everything else is bounded by the limits of
 * the git process: `LIMITS.gitMemoryBytes`, `LIMITS.gitTimeoutMs`, `LIMITS.gitOutputBytes`.
 *
 * Do not use it with `-E`: that matcher has no limit of steps, and `(a*)\1b` needs seconds for a few long lines.
 */
export function boundPattern(pattern: string): string {
  if (pattern.length > LIMITS.patternCharacters) {
    throw new PatternError(`The pattern is longer than ${LIMITS.patternCharacters} characters.`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters end a pattern or a parameter
  if (/[\x00\r\n]/.test(pattern)) throw new PatternError('The pattern contains a line break or a NUL.');
  if (copiesOf(pattern) > LIMITS.patternCopies) {
    throw new PatternError(`The repetitions of the pattern multiply to more than ${LIMITS.patternCopies}.`);
  }
  return `(*LIMIT_MATCH=${LIMITS.patternSteps})${pattern}`;
}

/** How many copies of its parts a pattern stands for: `(ab{3}){2}` for 8. Reads the pattern once, from left to right. */
function copiesOf(pattern: string): number {
  const groups: { sum: number; last: number }[] = [{ sum: 0, last: 0 }];
  const add = (size: number): void => {
    const group = groups.at(-1);
    if (group === undefined) return;
    group.sum += size;
    group.last = size;
  };
  for (const [token, repetition] of pattern.matchAll(TOKEN)) {
    if (token.startsWith('(*')) throw new PatternError('The pattern contains a verb: (*…).');
    if (token === '(') groups.push({ sum: 0, last: 0 });
    else if (token === ')') {
      const closed = groups.length > 1 ? groups.pop() : undefined;
      add(Math.max(1, closed?.sum ?? 1));
    } else if (repetition !== undefined) {
      const group = groups.at(-1);
      if (group === undefined) continue;
      const times = Math.max(1, ...repetition.split(',').map(Number));
      group.sum += group.last * (times - 1);
      group.last *= times;
    } else add(1);
  }
  return groups.reduce((sum, group) => sum + group.sum, 0);
}

/** An escaped sign, quoted text, a class, a repetition, a verb, or one sign. */
const TOKEN = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\{([\d, ]*)\}|\(\*|./gsu;
