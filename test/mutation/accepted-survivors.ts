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

const powerCut = 'Only a power cut tells whether a write is on disk when its promise resolves.';
const fullDisk =
  'A full disk needs a process of its own (test/contract/storage/embedded-store.test.ts), which has no mutants.';

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
    file: 'src/deepsearch/http.ts',
    line: "signal.addEventListener('abort', onAbort, { once: true });",
    becomes: [
      "signal.addEventListener('abort', onAbort, {});",
      "signal.addEventListener('abort', onAbort, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/retry.ts',
    line: "const text = value?.trim() ?? '';",
    becomes: ['const text = value?.trim() ?? "Stryker was here!";'],
    reason: likeNothing,
  },
  {
    file: 'src/deepsearch/links.ts',
    line: 'if (!/\\](?:\\(|:)/.test(markdown) || !isQuicklyParsed(markdown)) return markdown;',
    becomes: [
      'if (false) return markdown;',
      'if (!/\\](?:\\(|:)/.test(markdown) && !isQuicklyParsed(markdown)) return markdown;',
    ],
    reason: 'Only how long hostile texts take, which test/unit/deepsearch/hostile-links.test.ts is about.',
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
  {
    file: 'src/storage/redis-connection.ts',
    line: 'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2));',
    becomes: [
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) / (0.5 + Math.random() / 2));',
      'return Math.round(Math.max(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 / 2 ** attempt) * (0.5 + Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 - Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() * 2));',
    ],
    reason: 'When exactly a lost connection is made again, which no test may measure.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: String.raw`if (url !== undefined && /^rediss?:$/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {`,
    becomes: [
      String.raw`if (url !== undefined && /^rediss?:/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {`,
    ],
    reason: 'Changes nothing: nothing follows the colon of a protocol.',
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: 'overlappingSync: false,',
    becomes: ['overlappingSync: true,'],
    reason: powerCut,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: 'eventTurnBatching: false,',
    becomes: ['eventTurnBatching: true,'],
    reason: fullDisk,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: "if (error instanceof Error && 'commitError' in error) await error.commitError;",
    becomes: [
      'if (true) await error.commitError;',
      'if (false) await error.commitError;',
      "if (error instanceof Error || 'commitError' in error) await error.commitError;",
      'if (error instanceof Error && "" in error) await error.commitError;',
    ],
    reason: fullDisk,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: "await run('addMember', () => membership.put([set, member], true));",
    becomes: ["await run('addMember', () => membership.put([set, member], false));"],
    reason: 'Changes nothing: members are keys; what stands under them is not read.',
  },
  {
    file: 'src/storage/embedded-reader.ts',
    line: 'const env = open({ path, maxDbs: 8, readOnly: true });',
    becomes: ['const env = open({ path, maxDbs: 8, readOnly: false });'],
    reason: 'Within one process the engine opens a file once, as it was opened first.',
  },
];
