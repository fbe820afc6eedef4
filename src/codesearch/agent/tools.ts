import { type Tool, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import { fileLabel } from '../addresses.ts';
import { type Asking, cites, type Investigate } from '../ask/finding.ts';
import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { SearchError } from '../query/results.ts';
import type { Search } from '../query/search.ts';
import type { Fence } from './fence.ts';
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

const text = (about: string) => z.string().min(1).max(1_000).describe(about);
const line = (about: string) => z.coerce.number().int().min(1).describe(about).optional();
const repository = text(
  'Full name of the repository. May be left out when there is only one; searches then cover all.',
).optional();
const paths = text('Regular expression for the paths to search in, for example ^src/.*\\.ts$').optional();
const name = text('A name without parentheses, for example retryDelay.');
const path = text('Path of the file from the root of the repository.');
const lines = { start: line('First line, from 1.'), end: line('Last line.') };

type Run = () => Promise<string> | string;

/** The tools of one question. They only read, and only what the asker may read at that moment. */
export function createTools(setup: ToolsSetup) {
  const { readable, search, asking, canRead, fence } = setup;
  const viewer = { username: asking.user, canRead };
  const searching = createSearchTools({ readable, search, viewer, signal: asking.signal });
  const reading = createReadTools(readable);
  const done = new Set<string>();
  const state = { calls: 0, callsInStep: 0, repeated: 0, charactersLeft: 0 };

  async function passages({ question }: { question: string }): Promise<string> {
    const finding = await setup.investigate(question, [], async () => asking.signal.throwIfAborted(), canRead, asking);
    for (const { name: own } of readable.repositories()) if (cites(finding, own)) readable.seen.add(own);
    return finding.answer;
  }

  async function call(own: string, input: unknown, reasoning: string, run: Run): Promise<string> {
    asking.signal.throwIfAborted();
    state.callsInStep += 1;
    if (state.charactersLeft <= 0) return 'Not run: there is no room for more text.';
    if (state.callsInStep > LIMITS.modelCallsPerStep) {
      return `Not run: at most ${LIMITS.modelCallsPerStep} tools are called in one step.`;
    }
    const key = `${own} ${JSON.stringify(input)}`;
    if (done.has(key)) {
      state.repeated += 1;
      return 'This was called before with the same input; its result is above. Do something else, or write the answer.';
    }
    done.add(key);
    state.calls += 1;
    await setup.step(oneLine(reasoning));
    const result = await attempt(run, () => done.delete(key));
    const most = Math.max(0, Math.min(LIMITS.modelResultCharacters, state.charactersLeft));
    state.charactersLeft -= Math.min(result.length, most);
    const shown =
      result.length <= most ? result : `${result.slice(0, most)}\n… cut here: narrow the call to see the rest`;
    return fence.wrap(`result of ${own}`, shown);
  }

  /** `onFailure` is called when the same call may succeed later. */
  async function attempt(run: Run, onFailure: () => void): Promise<string> {
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

  /** `says` is the step that people see. */
  function define<Shape extends z.ZodRawShape>(
    own: string,
    description: string,
    shape: Shape,
    says: (input: z.output<z.ZodObject<Shape>>) => string,
    run: (input: z.output<z.ZodObject<Shape>>) => Promise<string> | string,
  ): Record<string, Tool> {
    return {
      [own]: tool({
        description,
        inputSchema: z.preprocess(withoutNulls, z.object(shape)),
        execute: (input) => call(own, input, says(input), () => run(input)),
      }),
    };
  }

  const tools: ToolSet = {
    ...define(
      'find_passages',
      'Searches all readable repositories for a question in plain words, and returns the best passages with their lines. For a first overview, and when exact words are not known.',
      { question: text('The question in plain words.') },
      ({ question }) => `Searching for passages: ${question}`,
      passages,
    ),
    ...define(
      'search_text',
      'Searches the contents of files for an exact text, or for a regular expression (RE2 syntax, line by line). Returns paths and lines. The uses of a name are those of \\bname\\b. Capitals do not matter unless caseSensitive is true.',
      {
        text: text('The text or expression to find.'),
        isRegexp: z.boolean().describe('Whether text is a regular expression.').optional(),
        caseSensitive: z.boolean().describe('Whether capitals matter.').optional(),
        repository,
        paths,
      },
      (asked) => `Searching for ${asked.text}${where(asked)}`,
      searching.text,
    ),
    ...define(
      'find_symbols',
      'Finds definitions (functions, methods, classes, types, constants) whose name contains a text.',
      { name, repository, paths },
      (asked) => `Looking up definitions of ${asked.name}${where(asked)}`,
      searching.symbols,
    ),
    ...define(
      'search_commits',
      'Searches the history, newest first: by text of the message, author, path, or text that a commit added or removed (changes). At least one of them is needed. Without a repository it searches all.',
      {
        repository,
        message: text('Text in the commit message.').optional(),
        author: text("Text in the author's name or address.").optional(),
        path: text('Only commits that change this file or folder.').optional(),
        changes: text('Code that the commit added or removed.').optional(),
      },
      ({ repository: within, ...asked }) =>
        `Searching commits: ${Object.values(asked)
          .filter((one) => one !== undefined)
          .join(', ')}${where({ repository: within })}`,
      searching.commits,
    ),
    ...define(
      'read_file',
      'Reads lines of a file, with line numbers. Reads 200 lines from the start without start and end; at most 400 at once.',
      { path, repository, ...lines },
      (asked) => `Reading ${fileLabel(asked, asked.start, asked.end)}`,
      reading.file,
    ),
    ...define(
      'list_files',
      'Lists the files and folders in a folder; without a path, the root of the repository.',
      { path: text('Path of the folder from the root of the repository.').optional(), repository },
      (asked) =>
        `Listing files${asked.path === undefined ? '' : ` of ${asked.path}`}${where({ repository: asked.repository })}`,
      reading.folder,
    ),
    ...define(
      'blame',
      'Says for lines of a file which commit changed each of them last, with author, date and subject.',
      { path, repository, ...lines },
      (asked) => `Reading who changed ${fileLabel(asked, asked.start, asked.end)}`,
      reading.blame,
    ),
  };

  return {
    tools,
    /** Tools that ran, and calls that repeated an earlier one. */
    counts: (): { calls: number; repeated: number } => ({ calls: state.calls, repeated: state.repeated }),
    /** Begins a step whose results have so many characters together; with 0 no tool runs, whatever the model calls. */
    beginStep(characters: number): void {
      state.callsInStep = 0;
      state.charactersLeft = characters;
    },
  };
}

export type Tools = ReturnType<typeof createTools>;

function where(scope: { repository?: string | undefined; paths?: string | undefined }): string {
  return [scope.paths, scope.repository].map((one) => (one === undefined ? '' : ` in ${one}`)).join('');
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
