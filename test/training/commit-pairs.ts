import { roleOf } from '../../src/codesearch/index/roles.ts';
import type { Snapshot } from './git-directory.ts';
import { cutPair, isSource, type Pair, trainingTerms } from './pairs.ts';

const COMMITS_MAX = 4_000;
/** A commit that changes more places has a message that describes none of them well. */
const HUNKS_MAX = 8;
/** The rest of a larger commit is not kept in memory. */
const HUNKS_READ = 200;
const HUNK_LINES = { fewest: 4, most: 199 };
const LINE_MAX = 400;
const MESSAGE_MAX = 600;
const TERMS_MAX = 30;

/** Control characters that begin and end a message in the output of git. */
const [BEGIN, END] = ['\x01', '\x02'];

/** What a message has beside its words: people, a prefix, numbers of issues, addresses. */
const NOT_WORDS = /Signed-off-by.*|Co-authored-by.*|^[\w ()/-]+: |#\d+|\S+@\S+|https?:\S+/gm;

interface Hunk {
  path: string;
  /** The line that git writes after the numbers: mostly the definition around the hunk. */
  heading: string;
  lines: string[];
}

/** Pairs of commit messages and each place that the commit changes, in the newest commits. */
export async function* readCommitPairs(snapshot: Snapshot): AsyncGenerator<Pair> {
  const output = snapshot.log(
    ...[
      '--no-merges',
      '-n',
      String(COMMITS_MAX),
      '--patch',
      '-U3',
      '--no-renames',
      '--no-color',
      '--no-show-signature',
    ],
    ...['--no-ext-diff', '--no-textconv', '--diff-algorithm=myers', '--src-prefix=a/', '--dst-prefix=b/'],
    '--format=%x01%s%n%b%x02',
  );
  let message = '';
  let isMessage = false;
  let hunks: Hunk[] = [];
  let path: string | undefined;
  for await (const line of output) {
    if (line.startsWith(BEGIN)) {
      yield* pairsOfCommit(message, hunks);
      hunks = [];
      path = undefined;
      message = line.slice(1);
      isMessage = !line.includes(END);
    } else if (isMessage) {
      isMessage = !line.includes(END);
      if (isMessage && message.length < MESSAGE_MAX) message += `\n${line}`;
    } else if (line.startsWith('diff --git')) path = undefined;
    else if (line.startsWith('+++ b/')) path = sourcePath(line.slice('+++ b/'.length));
    else if (path !== undefined && line.startsWith('@@')) {
      if (hunks.length < HUNKS_READ) hunks.push({ path, heading: line.replace(/^@@.*?@@/, ''), lines: [] });
    } else if (path !== undefined) addLine(hunks.at(-1), line);
  }
  yield* pairsOfCommit(message, hunks);
}

function sourcePath(path: string): string | undefined {
  return isSource(path) && roleOf(path) === 'source' ? path : undefined;
}

function addLine(hunk: Hunk | undefined, line: string): void {
  if (hunk !== undefined && hunk.lines.length <= HUNK_LINES.most) hunk.lines.push(line.slice(1, LINE_MAX));
}

function pairsOfCommit(message: string, hunks: readonly Hunk[]): Pair[] {
  const clear = hunks.filter(({ lines: { length } }) => length >= HUNK_LINES.fewest && length <= HUNK_LINES.most);
  if (clear.length > HUNKS_MAX) return [];
  const question = trainingTerms(message.replace(NOT_WORDS, ' ')).slice(0, TERMS_MAX);
  return clear.flatMap(({ path, heading, lines }) =>
    cutPair({
      kind: 'commitMessage',
      question,
      path: trainingTerms(path),
      symbol: trainingTerms(heading),
      comments: [],
      body: trainingTerms(lines.join('\n')),
    }),
  );
}
