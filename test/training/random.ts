/** A seeded source of numbers: the same seed gives the same training. Not for secrets. */
export interface Random {
  /** At least 0, below 1. */
  uniform(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** With mean 0 and variance 1. */
  normal(): number;
}

/** Xorshift with 32 bits of state (Marsaglia 2003). */
export function createRandom(seed: number): Random {
  let state = seed | 0 || 1;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  // The first numbers of neighbouring small seeds are alike.
  for (let i = 0; i < 20; i += 1) uniform();
  return {
    uniform,
    below: (below) => Math.floor(uniform() * below),
    // Box and Muller; the state is never 0, so that the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

/** Moves a random choice of `count` elements to the front (Fisher and Yates), in random order. */
export function shuffleFront(list: { [index: number]: unknown; length: number }, count: number, random: Random): void {
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(list.length - i);
    const moved = list[i];
    list[i] = list[other];
    list[other] = moved;
  }
}
