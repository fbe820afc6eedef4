import { LIMITS } from '../../limits.ts';
import { type CharacterSet, containsFolded } from './character-set.ts';
import { type Assertion, parseRegexp, RegexpError, type RegexpNode } from './syntax.ts';

/** Work left for matching, in steps; one step visits one state of an expression at one character. */
export interface WorkBudget {
  steps: number;
}

/** The expression needed more steps than the budget had. */
export class WorkBudgetError extends Error {
  override readonly name = 'WorkBudgetError';
}

type Instruction =
  | { op: 'set'; ascii: Uint8Array; set: CharacterSet; ignoreCase: boolean }
  | { op: 'assertion'; assertion: Assertion }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'match' };

export interface Regexp {
  /** The parsed expression, to translate it for other programs. */
  node: RegexpNode;
  /** The leftmost match from an offset on, in UTF-16 units; throws {@link WorkBudgetError}. */
  exec(text: string, from: number, budget: WorkBudget): { start: number; end: number } | undefined;
}

const SURROGATE = 0xffff;

/**
 * Compiles an expression in RE2 syntax to a machine that follows all states at once: its time is at most the product of
 * program size and text length, for every expression. Throws {@link RegexpError}.
 */
export function compileRegexp(source: string, ignoreCase: boolean): Regexp {
  const node = parseRegexp(source, ignoreCase);
  const program = assemble(node);
  const size = program.length;
  const first = firstCharacters(program);
  // The states at one character in order of priority, and where each match began; marks avoid duplicates.
  const lists = [0, 1].map(() => ({ states: new Uint32Array(size), starts: new Float64Array(size), count: 0 }));
  const marks = new Float64Array(size).fill(-1);
  let generation = 0;

  function exec(text: string, from: number, budget: WorkBudget): { start: number; end: number } | undefined {
    let [current, next] = lists as [(typeof lists)[0], (typeof lists)[0]];
    const stack: number[] = [];
    let steps = 0;
    let found: { start: number; end: number } | undefined;

    function add(list: typeof current, first: number, at: number, start: number): void {
      stack.push(first);
      for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
        if (marks[state] === generation) continue;
        marks[state] = generation;
        steps += 1;
        const instruction = program[state] as Instruction;
        if (instruction.op === 'jump') stack.push(instruction.to);
        else if (instruction.op === 'split') stack.push(instruction.second, instruction.first);
        else if (instruction.op === 'assertion') {
          if (holds(instruction.assertion, text, at)) stack.push(state + 1);
        } else {
          list.states[list.count] = state;
          list.starts[list.count] = start;
          list.count += 1;
        }
      }
    }

    current.count = 0;
    generation += 1;
    for (let at = from; ; ) {
      // No match begins here, and none is under way.
      if (first !== undefined && current.count === 0 && found === undefined) {
        while (at < text.length && first[text.charCodeAt(at)] === 0) at += 1;
        // The marks hold only for the place before the skip.
        generation += 1;
      }
      if (found === undefined) add(current, 0, at, at);
      else if (current.count === 0) break;
      const code = text.codePointAt(at);
      const after = at + (code === undefined || code <= SURROGATE ? 1 : 2);
      generation += 1;
      next.count = 0;
      for (let index = 0; index < current.count; index += 1) {
        steps += 1;
        const state = current.states[index] ?? 0;
        const start = current.starts[index] ?? 0;
        const instruction = program[state] as Instruction;
        if (instruction.op === 'match') {
          found = { start, end: at };
          break;
        }
        if (instruction.op === 'set' && code !== undefined && accepts(instruction, code)) {
          add(next, state + 1, after, start);
        }
      }
      if (steps > budget.steps) throw new WorkBudgetError('The pattern needs too much work.');
      if (code === undefined) break;
      [current, next] = [next, current];
      at = after;
    }
    budget.steps -= steps;
    return found;
  }

  return { node, exec };
}

/** By code of ASCII, 1 where a match can begin with the character; undefined when it can be empty. */
function firstCharacters(program: readonly Instruction[]): Uint8Array | undefined {
  const characters = new Uint8Array(128);
  const seen = new Set<number>();
  const stack = [0];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    const instruction = program[state];
    if (instruction === undefined || instruction.op === 'match') return undefined;
    if (instruction.op === 'jump') stack.push(instruction.to);
    else if (instruction.op === 'split') stack.push(instruction.first, instruction.second);
    else if (instruction.op === 'assertion') stack.push(state + 1);
    else for (const [code, isIn] of instruction.ascii.entries()) if (isIn === 1) characters[code] = 1;
  }
  return characters;
}

function accepts({ ascii, set, ignoreCase }: Instruction & { op: 'set' }, code: number): boolean {
  return code < 128 ? ascii[code] === 1 : containsFolded(set, code, ignoreCase);
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === text.length;
    case 'lineStart':
      return at === 0 || text[at - 1] === '\n';
    case 'lineEnd':
      return at === text.length || text[at] === '\n';
    case 'word':
      return isWord(text, at - 1) !== isWord(text, at);
    case 'notWord':
      return isWord(text, at - 1) === isWord(text, at);
  }
}

function isWord(text: string, at: number): boolean {
  const code = at < 0 || at >= text.length ? 0 : text.charCodeAt(at);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}

function assemble(node: RegexpNode): Instruction[] {
  const program: Instruction[] = [];
  const asciiOf = new Map<CharacterSet, Uint8Array>();

  function push(instruction: Instruction): number {
    if (program.length >= LIMITS.regexpInstructions) {
      throw new RegexpError('tooLarge', 'The expression is too large: its repetitions multiply');
    }
    return program.push(instruction) - 1;
  }

  function ascii(set: CharacterSet, ignoreCase: boolean): Uint8Array {
    const known = asciiOf.get(set);
    if (known !== undefined) return known;
    const table = Uint8Array.from({ length: 128 }, (_, code) => (containsFolded(set, code, ignoreCase) ? 1 : 0));
    asciiOf.set(set, table);
    return table;
  }

  /** Adds a split whose exits are set later; `greedy` prefers the first exit. */
  function split(greedy: boolean): { enter: (to: number) => void; leave: (to: number) => void } {
    const instruction = { op: 'split' as const, first: 0, second: 0 };
    push(instruction);
    const set = (isFirst: boolean) => (to: number) => {
      if (isFirst) instruction.first = to;
      else instruction.second = to;
    };
    return { enter: set(greedy), leave: set(!greedy) };
  }

  function emit(part: RegexpNode): void {
    switch (part.kind) {
      case 'set':
        push({ op: 'set', ascii: ascii(part.set, part.ignoreCase), set: part.set, ignoreCase: part.ignoreCase });
        return;
      case 'assertion':
        push({ op: 'assertion', assertion: part.assertion });
        return;
      case 'sequence':
        for (const one of part.parts) emit(one);
        return;
      case 'choice':
        emitChoice(part.parts);
        return;
      case 'repeat':
        emitRepeat(part);
    }
  }

  function emitChoice(parts: readonly RegexpNode[]): void {
    const ends: { op: 'jump'; to: number }[] = [];
    for (const [index, one] of parts.entries()) {
      if (index === parts.length - 1) emit(one);
      else {
        const { enter, leave } = split(true);
        enter(program.length);
        emit(one);
        const jump = { op: 'jump' as const, to: 0 };
        push(jump);
        ends.push(jump);
        leave(program.length);
      }
    }
    for (const end of ends) end.to = program.length;
  }

  function emitRepeat({ part, min, max, greedy }: RegexpNode & { kind: 'repeat' }): void {
    for (let copy = 0; copy < min; copy += 1) emit(part);
    if (max === Infinity) {
      const loop = program.length;
      const { enter, leave } = split(greedy);
      enter(program.length);
      emit(part);
      push({ op: 'jump', to: loop });
      leave(program.length);
      return;
    }
    const exits: ((to: number) => void)[] = [];
    for (let copy = min; copy < max; copy += 1) {
      const { enter, leave } = split(greedy);
      enter(program.length);
      exits.push(leave);
      emit(part);
    }
    for (const exit of exits) exit(program.length);
  }

  emit(node);
  push({ op: 'match' });
  return program;
}
