/** Mutants that no test catches, with the reason why none should. */
export interface AcceptedSurvivors {
  file: string;
  /** The line as it stands, without the spaces around it, and what it becomes: the `-` and the `+` of the report. */
  line: string;
  becomes: readonly string[];
  reason: string;
}

const calledTwice = 'Changes nothing: the listener does no more when it is called again.';
const likeNothing = 'Changes nothing: what stands for a missing text is compared with words it is as unlike as before.';
const remembered = 'Only how often the links of one answer are looked for, which shows in the time it takes alone.';

export const acceptedSurvivors: readonly AcceptedSurvivors[] = [
  {
    file: 'src/deepsearch/deadline.ts',
    line: "else closing.addEventListener('abort', close, { once: true });",
    becomes: [
      "else closing.addEventListener('abort', close, {});",
      "else closing.addEventListener('abort', close, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/deadline.ts',
    line: "signal.addEventListener('abort', abort, { once: true });",
    becomes: [
      "signal.addEventListener('abort', abort, {});",
      "signal.addEventListener('abort', abort, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/code-search.ts',
    line: 'if (text.length > MAX_REMEMBERED_LENGTH) return compute(text);',
    becomes: [
      'if (true) return compute(text);',
      'if (false) return compute(text);',
      'if (text.length >= MAX_REMEMBERED_LENGTH) return compute(text);',
      'if (text.length <= MAX_REMEMBERED_LENGTH) return compute(text);',
    ],
    reason: remembered,
  },
  {
    file: 'src/deepsearch/code-search.ts',
    line: 'if (known.size > size && oldest !== undefined) known.delete(oldest);',
    becomes: [
      'if (true) known.delete(oldest);',
      'if (false) known.delete(oldest);',
      'if (known.size > size || oldest !== undefined) known.delete(oldest);',
      'if (true && oldest !== undefined) known.delete(oldest);',
      'if (known.size >= size && oldest !== undefined) known.delete(oldest);',
      'if (known.size <= size && oldest !== undefined) known.delete(oldest);',
      'if (known.size > size && true) known.delete(oldest);',
      'if (known.size > size && oldest === undefined) known.delete(oldest);',
    ],
    reason: remembered,
  },
  {
    file: 'src/deepsearch/code-search.ts',
    line: "return isCancelled(error.kind ?? '') ? 'cancelled' : 'failed';",
    becomes: ["return isCancelled(error.kind ?? \"Stryker was here!\") ? 'cancelled' : 'failed';"],
    reason: likeNothing,
  },
  {
    file: 'src/deepsearch/code-search.ts',
    line: "const repository = metadata?.repoName || repositoryOf(path, type ?? '');",
    becomes: ['const repository = metadata?.repoName || repositoryOf(path, type ?? "Stryker was here!");'],
    reason: likeNothing,
  },
  {
    file: 'src/deepsearch/code-search.ts',
    line: "const timeMs = Date.parse(iso ?? '');",
    becomes: ['const timeMs = Date.parse(iso ?? "Stryker was here!");'],
    reason: likeNothing,
  },
];
