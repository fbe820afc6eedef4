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
  {
    file: 'src/storage/repositories.ts',
    line: 'if (next === undefined || next === current) return next;',
    becomes: [
      'if (next === undefined && next === current) return next;',
      'if (false || next === current) return next;',
    ],
    reason: 'Changes nothing: by its type a change gives nothing only where there was nothing.',
  },
  {
    file: 'src/storage/repositories.ts',
    line: 'await wait(Math.random() * Math.min(attempt, LONGEST_UPDATE_WAIT_MS));',
    becomes: [
      'await wait(Math.random() / Math.min(attempt, LONGEST_UPDATE_WAIT_MS));',
      'await wait(Math.random() * Math.max(attempt, LONGEST_UPDATE_WAIT_MS));',
    ],
    reason:
      'How long the waits of writers that lost are makes them succeed sooner or later, which no test may measure.',
  },
  {
    file: 'src/storage/text-serialization.ts',
    line: "if (typeof value !== 'string') throw new TypeError('Only texts are stored');",
    becomes: [`if (typeof value !== 'string') throw new TypeError("");`],
    reason: 'The words of an error that no code of this app can cause.',
  },
];
