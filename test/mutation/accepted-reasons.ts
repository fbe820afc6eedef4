/** Reasons to accept a mutant that hold in more than one area. */

export const neverComes = 'Never comes: it is there for the compiler, or for what a caller has settled before.';
export const sameResult = 'Changes nothing: what it leads to is the same.';
export const likeNothing =
  'Changes nothing: what stands for a missing text is compared with words it is as unlike as before.';
