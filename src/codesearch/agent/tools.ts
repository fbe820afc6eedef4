import { type JSONSchema7, jsonSchema, type Tool } from 'ai';
import { z } from 'zod';
import { cites } from '../ask/cites.ts';
import type { Asking, Investigate } from '../ask/finding.ts';
import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { SearchError } from '../query/results.ts';
import type { Search } from '../query/search.ts';
import type { Fence } from './fence.ts';
import { PARAMETER_TEXTS as about, TOOL_TEXTS } from './prompts/tools.ts';
import { createReadTools } from './read-tools.ts';
import type { Readable } from './readable.ts';
import { createSearchTools, ToolRefusal } from './search-tools.ts';

export interface ToolsSetup {
  readable: Readable;
  search: Search;
  investigate: Investigate;
  canRead: (repository: string) => boolean;
  asking: Asking;
  /** Announces what is done next; throws when the question ended. */
  step: (reasoning: string) => Promise<void>;
  fence: Fence;
  /** Called with each failure that is not the model's fault. */
  onProblem: (error: unknown) => void;
}

type ToolName = keyof typeof TOOL_TEXTS;

const text = (parameter: keyof typeof about) => z.string().min(1).max(1_000).describe(about[parameter]);
const line = (parameter: 'start' | 'end') => z.coerce.number().int().min(1).describe(about[parameter]);
const scope = { repository: text('repository').optional(), paths: text('paths').optional() };
const lines = { start: line('start').optional(), end: line('end').optional() };

/** The parameters of each tool. */
const INPUTS = {
  find_passages: z.object({ question: text('question') }),
  search_text: z.object({
    text: text('text'),
    isRegexp: z.boolean().describe(about.isRegexp).optional(),
    caseSensitive: z.boolean().describe(about.caseSensitive).optional(),
    ...scope,
  }),
  find_symbols: z.object({ name: text('name'), ...scope }),
  find_references: z.object({ name: text('name'), ...scope }),
  search_commits: z.object({
    repository: scope.repository,
    message: text('message').optional(),
    author: text('author').optional(),
    path: text('commitPath').optional(),
    changes: text('changes').optional(),
  }),
  read_file: z.object({ path: text('path'), repository: scope.repository, ...lines }),
  list_files: z.object({ path: text('folder').optional(), repository: scope.repository }),
  blame: z.object({ path: text('path'), repository: scope.repository, ...lines }),
} satisfies Record<ToolName, z.ZodObject>;

/** The tools of one question. They only read, and only what the asker may read at that moment. */
export function createTools(setup: ToolsSetup) {
  const { readable, search, asking, canRead, fence } = setup;
  const searching = createSearchTools({
    readable,
    search,
    viewer: { username: asking.user, canRead },
    signal: asking.signal,
  });
  const reading = createReadTools(readable);
  const done = new Set<string>();
  const state = { calls: 0, callsInStep: 0, repeated: 0, charactersLeft: 0, failure: undefined as unknown };

  async function passages({ question }: { question: string }): Promise<string> {
    const finding = await setup.investigate(question, [], async () => asking.signal.throwIfAborted(), canRead, asking);
    for (const { name } of readable.repositories()) if (cites(finding, name)) readable.seen.add(name);
    return finding.answer;
  }

  async function call(name: ToolName, input: unknown, reasoning: string, run: () => Promise<string>): Promise<string> {
    asking.signal.throwIfAborted();
    state.callsInStep += 1;
    if (state.charactersLeft <= 0) return 'Not run: there is no room for more text.';
    if (state.callsInStep > LIMITS.modelCallsPerStep) {
      return `Not run: at most ${LIMITS.modelCallsPerStep} tools are called in one step.`;
    }
    const key = `${name} ${JSON.stringify(input)}`;
    if (done.has(key)) {
      state.repeated += 1;
      return 'This was called before with the same input; its result is above. Do something else, or write the answer.';
    }
    done.add(key);
    state.calls += 1;
    await setup.step(oneLine(reasoning)).catch((error: unknown) => {
      state.failure ??= error;
      throw error;
    });
    const result = await attempt(run, () => done.delete(key));
    const most = Math.max(0, Math.min(LIMITS.modelResultCharacters, state.charactersLeft));
    state.charactersLeft -= Math.min(result.length, most);
    const shown =
      result.length <= most ? result : `${result.slice(0, most)}\n… cut here: narrow the call to see the rest`;
    return fence.wrap(`result of ${name}`, shown);
  }

  /** `onFailure` is called when the same call may succeed later. */
  async function attempt(run: () => Promise<string>, onFailure: () => void): Promise<string> {
    try {
      return await run();
    } catch (error) {
      asking.signal.throwIfAborted();
      if (error instanceof ToolRefusal) return error.message;
      onFailure();
      if (error instanceof SearchError) return error.message;
      if (!(error instanceof GitError)) setup.onProblem(error);
      return 'The tool failed. Try something narrower.';
    }
  }

  function make<Input>(
    name: ToolName,
    schema: z.ZodType<Input>,
    describe: (input: Input) => string,
    run: (input: Input) => Promise<string>,
  ): Tool<Input, string> {
    return {
      description: TOOL_TEXTS[name],
      inputSchema: jsonSchema<Input>(z.toJSONSchema(schema, { io: 'input' }) as JSONSchema7, {
        validate: (value) => {
          const parsed = schema.safeParse(withoutNulls(value));
          return parsed.success
            ? { success: true, value: parsed.data }
            : { success: false, error: new Error(z.prettifyError(parsed.error)) };
        },
      }),
      execute: (input: Input) => call(name, input, describe(input), () => run(input)),
    };
  }

  const tools = {
    find_passages: make(
      'find_passages',
      INPUTS.find_passages,
      ({ question }) => `Searching for passages: ${question}`,
      passages,
    ),
    search_text: make(
      'search_text',
      INPUTS.search_text,
      (asked) => `Searching for ${asked.text}${where(asked)}`,
      searching.text,
    ),
    find_symbols: make(
      'find_symbols',
      INPUTS.find_symbols,
      (asked) => `Looking up definitions of ${asked.name}${where(asked)}`,
      searching.symbols,
    ),
    find_references: make(
      'find_references',
      INPUTS.find_references,
      (asked) => `Looking for uses of ${asked.name}${where(asked)}`,
      searching.references,
    ),
    search_commits: make(
      'search_commits',
      INPUTS.search_commits,
      ({ message, changes, author, path, repository }) =>
        `Searching commits: ${[message, changes, author, path].filter((one) => one !== undefined).join(', ')}${where({ repository })}`,
      searching.commits,
    ),
    read_file: make('read_file', INPUTS.read_file, (asked) => `Reading ${place(asked)}`, reading.file),
    list_files: make(
      'list_files',
      INPUTS.list_files,
      ({ path = '', repository }) => `Listing files${path === '' ? '' : ` of ${path}`}${where({ repository })}`,
      async (asked) => reading.folder(asked),
    ),
    blame: make('blame', INPUTS.blame, (asked) => `Reading who changed ${place(asked)}`, reading.blame),
  } satisfies Record<ToolName, unknown>;

  return {
    tools,
    /** Tools that ran, and calls that repeated an earlier one. */
    counts: (): { calls: number; repeated: number } => ({ calls: state.calls, repeated: state.repeated }),
    /** Throws what ended the question while a tool ran: the library would tell it to the model. */
    throwIfEnded(): void {
      if (state.failure !== undefined) throw state.failure;
    },
    /** Begins a step whose results have so many characters together; with 0 no tool runs, whatever the model calls. */
    beginStep(characters: number): void {
      state.callsInStep = 0;
      state.charactersLeft = characters;
    },
  };
}

export type Tools = ReturnType<typeof createTools>;

function where({ repository, paths }: { repository?: string | undefined; paths?: string | undefined }): string {
  return `${paths === undefined ? '' : ` in ${paths}`}${repository === undefined ? '' : ` in ${repository}`}`;
}

function place({ path, start, end }: { path: string; start?: number | undefined; end?: number | undefined }): string {
  return start === undefined ? path : `${path}:${start}${end === undefined ? '' : `-${end}`}`;
}

/** A step is one line of plain text. */
function oneLine(reasoning: string): string {
  const plain = reasoning.replace(/[\p{Cc}\p{Cf}\p{Co}\s]+/gu, ' ').trim();
  return plain.length > 200 ? `${plain.slice(0, 199)}…` : plain;
}

/** Models often send null for a parameter that they leave out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== ''));
}
