import type { Messenger, PreparedOutcome } from '../../../src/core/ports.ts';

export type PostPart = PreparedOutcome['postPart'];

/** The messenger's `prepare`, with another way to post a part. `replace` gets the original one. */
export function withPostPart({ prepare }: Messenger, replace: (postPart: PostPart) => PostPart): Messenger['prepare'] {
  return (question) => {
    const prepared = prepare(question);
    return { ...prepared, postPart: replace(prepared.postPart) };
  };
}
