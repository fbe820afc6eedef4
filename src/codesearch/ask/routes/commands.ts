import type { IndexedFile } from '../../index/file-index.ts';
import type { Asked, Draft } from '../draft.ts';
import { pointTo } from '../draft.ts';
import { type Investigation, repositoryWords } from '../investigation.ts';
import { code, fileLink } from '../markdown.ts';
import { coverage } from '../query-words.ts';

/** Something that people do with a repository: how they ask for it, and what stands in the commands that do it. */
interface Task {
  title: string;
  asked: RegExp;
  does: RegExp;
}

/** The first that fits is the one asked for. */
const TASKS: readonly Task[] = [
  {
    title: 'Building the documentation',
    asked: /\b(?:build|generate|serve|preview|make|write)\b.*\b(?:docs?|documentation|man ?pages?|site)\b/,
    does: /\bdocs?\b|mkdocs|sphinx|javadoc|rdoc|yard\b|typedoc/i,
  },
  { title: 'Running the benchmarks', asked: /\bbench(?:mark)?(?:s|ing)?\b/, does: /bench/i },
  { title: 'Running the fuzzer', asked: /\bfuzz\w*\b/, does: /fuzz/i },
  {
    title: 'Checking the style',
    asked: /\b(?:lint\w*|format(?:ter|ting)?|code style|style check|rubocop|clippy|static analysis|type ?check\w*)\b/,
    does: /lint|format|\bfmt\b|clippy|rubocop|phpcs|phpstan|psalm|\bxo\b|prettier|ruff|\bblack\b|mypy|pyright|pre-commit|spotless|checkstyle|vet\b|\btsc\b/i,
  },
  {
    title: 'Running the tests',
    asked: /\b(?:unit |test )?(?:tests?|specs?|test ?suite)\b/,
    does: /\b(?:tests?|spec|pytest|tox|phpunit|rspec|jest|ava|vitest|mocha|ctest|check|verify)\b|:test\b/i,
  },
  {
    title: 'Releasing a version',
    asked: /\b(?:releas\w*|publish\w*|cut a|ship)\b/,
    does: /releas|publish|\bdeploy\b|twine|gem push|npm version|goreleaser|\btag\b/i,
  },
  {
    title: 'Installing',
    asked: /\b(?:install\w*|add (?:it|this)|as a dependency|set ?up|get started|getting started|depend on)\b/,
    does: /\binstall\b|\bnpm i\b|\b(?:yarn|pnpm|cargo|poetry|uv|bundle) add\b|\bgo get\b|composer require|\bpip3?\b|\bgem ['"]|<dependency>|\bimplementation\b|FetchContent|vcpkg|conan/i,
  },
  {
    title: 'Building',
    asked: /\b(?:build\w*|compil\w*)\b/,
    does: /build|compile|\bcmake\b|\bmake\b|\bpackage\b|assemble/i,
  },
  {
    title: 'Running',
    asked: /\b(?:run|start|launch|serve)\b(?!\s+(?:in|into|on|out)\b)/,
    does: /\bstart\b|\bserve\b|\brun\b|\bdev\b/i,
  },
];

interface Command {
  text: string;
  file: IndexedFile;
  line: number;
  /** The heading, the name of the script or the step that it stands under. */
  under: string;
  worth: number;
  /** What a tool does where its manifest is there: nothing in it says so. */
  isUsual?: true;
}

const PROGRAM =
  /^(?:sudo\s+|\w+=\S+\s+)*(?:npm|npx|yarn|pnpm|bun|deno|node|cargo|rustup|go|mvn|\.\/mvnw|gradle|\.\/gradlew|make|cmake|ctest|ninja|meson|bazel|python3?|py|pip3?|pipx|uv|uvx|tox|nox|pytest|poetry|hatch|flit|pdm|conda|bundle|rake|gem|rspec|ruby|composer|php|vendor\/bin\/\S+|mix|dotnet|swift|docker|brew|apt(?:-get)?|choco|scoop|winget|pacman|snap|dnf|pkg|nix-env|port|emerge|xbps-install|zypper|git clone|\.?\/?(?:script|scripts|bin)\/\S+|\.\/\S+|pre-commit|vcpkg|conan)(?:\s|$)/;
const GUIDE =
  /(?:^|\/)(?:readme|contributing|hacking|development|developing|building|install\w*|get[-_]?started|getting[-_]started|quick-?start|releas\w*|usage|test(?:ing|s)?)(?:\.[a-z]+)*$/i;
const CI =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.travis\.yml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|appveyor\.yml)$/;
const MANIFEST =
  /^(?:package\.json|composer\.json|makefile|gnumakefile|rakefile|justfile|tox\.ini|noxfile\.py|cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|pyproject\.toml|cmakelists\.txt|mix\.exs)$/i;
/** What a tool does by convention, where its manifest is there and says nothing else. */
const CONVENTIONS: readonly [RegExp, Record<string, string>][] = [
  [
    /^cargo\.toml$/i,
    {
      test: 'cargo test',
      build: 'cargo build --release',
      run: 'cargo run',
      bench: 'cargo bench',
      lint: 'cargo clippy',
      doc: 'cargo doc',
    },
  ],
  [/^go\.mod$/i, { test: 'go test ./...', build: 'go build ./...', bench: 'go test -bench=. ./...' }],
  [/^pom\.xml$/i, { test: 'mvn test', build: 'mvn package', doc: 'mvn javadoc:javadoc' }],
  [/^build\.gradle/i, { test: './gradlew test', build: './gradlew build' }],
  [/^mix\.exs$/i, { test: 'mix test', build: 'mix compile', doc: 'mix docs' }],
];
const MOST_COMMANDS = 2_000;

/** "How do I run the tests": the command itself, from the documents, the manifests or the checks. Undefined where none does it. */
export async function commands({ question, words, investigation }: Asked): Promise<Draft | undefined> {
  const asked = question.text.toLowerCase();
  const task = TASKS.find((each) => each.asked.test(asked));
  if (task === undefined || isAboutSomethingElse(question.phrase, task, investigation)) return undefined;
  await investigation.step('Looking for commands in the documents, manifests and checks');
  const own = words.filter(({ word }) => !task.asked.test(word) && !task.does.test(word) && !GENERAL.has(word));
  const found = (await commandsIn(investigation))
    .map((command) => ({
      ...command,
      worth: command.worth + fitness(command, task) + coverage(`${command.text} ${command.under}`, own),
    }))
    .filter((command) => fitness(command, task) > 0)
    .sort((a, b) => b.worth - a.worth);
  const [best] = found;
  if (best === undefined) return undefined;
  const others = found.filter(
    ({ text, file }, at) => at > 0 && text !== best.text && (file !== best.file || found.length < 4),
  );
  const byText = [...new Map(others.toReversed().map((command) => [command.text, command])).values()].reverse();
  const { file, line } = best;
  return {
    title: task.title,
    sentence:
      best.isUsual === true
        ? `Run ${code(best.text)}, the usual command where there is a ${fileLink(file)}.`
        : `Run ${code(best.text)}, as in ${fileLink(file, line)}.`,
    ...(best.isUsual === true
      ? {}
      : { passage: { file, start: Math.max(1, line - 3), end: line + 4, symbol: undefined, keyLines: [line] } }),
    pointers: byText.slice(0, 3).map((command) => pointTo(command.file, code(command.text), command.line)),
    followUps: TASKS.filter(({ title }) => title !== task.title && /tests|Building$|Installing/.test(title))
      .map(({ title }) => `How do I ${HOW[title] ?? ''}?`)
      .slice(0, 2),
    symbols: [],
    files: [file, ...byText.slice(0, 3).map((command) => command.file)],
  };
}

const HOW: Readonly<Record<string, string>> = {
  'Running the tests': 'run the tests',
  Building: 'build it',
  Installing: 'install it',
};

/** "How do I test whether a token is expired" asks about tokens. */
function isAboutSomethingElse(
  phrase: readonly string[],
  { title, asked, does }: Task,
  { corpus }: Investigation,
): boolean {
  const names = repositoryWords(corpus);
  const rest = phrase.filter(
    (word) =>
      !asked.test(word.toLowerCase()) &&
      !does.test(word) &&
      !GENERAL.has(word.toLowerCase()) &&
      !names.has(word.toLowerCase()),
  );
  return rest.length > (/^(?:Build|Runn|Install)ing$/.test(title) ? 0 : 2);
}

const GENERAL = new Set(
  'run running local locally code project repo repository package library app machine computer suite unit all only single one specific file full whole source scratch master main command line way new version pr change changes start develop development dev need deps dependencies linux mac macos windows'.split(
    ' ',
  ),
);

function fitness({ text, under }: Command, { does, asked }: Task): number {
  const isDone = does.test(text);
  const isSaid = does.test(under) || asked.test(under.toLowerCase());
  const isOther = TASKS.some(
    (other) => other.does !== does && !/^(?:Build|Runn|Install)ing$/.test(other.title) && other.does.test(text),
  );
  if (/skip|ignore/i.test(text)) return 0;
  const long = text.length > 70 ? 0.5 : 0;
  return isDone ? (isSaid ? 3.5 : 2) - (isOther ? 1 : 0) - long : isSaid && !isOther ? 1.5 : 0;
}

async function commandsIn(investigation: Investigation): Promise<Command[]> {
  const found: Command[] = [];
  const files = [...investigation.corpus.index.all()].filter(
    ({ path, role }) => role !== 'vendored' && (isGuide(path) || CI.test(path) || MANIFEST.test(path)),
  );
  for await (const [file, lines] of investigation.linesOfAll(files)) {
    if (found.length > MOST_COMMANDS) break;
    if (CI.test(file.path)) found.push(...ofChecks(file, lines));
    else if (MANIFEST.test(file.path)) found.push(...ofManifest(file, lines));
    else found.push(...ofDocument(file, lines));
  }
  return found;
}

function isGuide(path: string): boolean {
  return GUIDE.test(path) && path.split('/').length <= 3;
}

/** Commands in code blocks, in indented lines, after `$`, and in code spans. */
function ofDocument(file: IndexedFile, lines: readonly string[]): Command[] {
  const found: Command[] = [];
  const isContributing = /contributing|hacking|develop|building|test|releas/i.test(file.path);
  const worth =
    (isContributing ? 1 : 0.9) -
    0.4 * Math.max(0, file.path.replace(/^(?:\.github|docs?)\//, '').split('/').length - 1);
  let under = '';
  let fenced = false;
  for (const [at, text] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(text)) fenced = !fenced;
    const heading = fenced
      ? undefined
      : (/^#{1,6}\s+(.+)/.exec(text)?.[1] ?? (/^[=~^-]{3,}\s*$/.test(lines[at + 1] ?? '') ? text : undefined));
    if (heading !== undefined && heading.trim() !== '') under = heading.trim();
    const bare = text.trim().replace(/^(?:[$>#]|\d+\.|[-*])\s+/, '');
    const isShown = fenced || /^(?: {2,}|\t)|^\s*\$\s/.test(text);
    if (isShown && isCommand(bare)) found.push({ text: withoutComment(bare), file, line: at + 1, under, worth });
    if (fenced) continue;
    for (const [, span = ''] of text.matchAll(/`{1,2}([^`\n]{4,120})`/g)) {
      if (isCommand(span.trim()))
        found.push({
          text: span.trim(),
          file,
          line: at + 1,
          under: `${under} ${text}`.slice(0, 400),
          worth: worth - 0.2,
        });
    }
  }
  return found;
}

function isCommand(text: string): boolean {
  return (
    text.length < 200 &&
    PROGRAM.test(text) &&
    !/\$\{\{|^make(?:s)? (?:sure|it|the|a)\b|^go (?:to|through|ahead|version)\b|^(?:node|ruby|php|python3?|docker|git) ?[\d(.:]|^\.\/?\s*$/.test(
      text,
    )
  );
}

function withoutComment(text: string): string {
  return text.replace(/\s+#\s.*$/, '').trim();
}

/** The scripts and targets that a manifest names, and what its tool does by convention. */
function ofManifest(file: IndexedFile, lines: readonly string[]): Command[] {
  const name = file.path.split('/').at(-1) ?? '';
  const worth = 0.8 - 0.3 * (file.path.split('/').length - 1);
  const found: Command[] = [];
  const add = (text: string, line: number, under: string, own = worth): void => {
    found.push({ text, file, line, under, worth: own });
  };
  if (/^(?:package|composer)\.json$/i.test(name)) {
    const tool = name.startsWith('package') ? 'npm' : 'composer';
    const from = lines.findIndex((line) => /^\s*"scripts"\s*:/.test(line));
    for (let at = from + 1; from >= 0 && at < lines.length && !/^\s*\}/.test(lines[at] ?? ''); at += 1) {
      const [, script, value = ''] = /^\s*"([\w:.-]+)"\s*:\s*(.*)/.exec(lines[at] ?? '') ?? [];
      if (script === undefined) continue;
      const isShort = tool === 'composer' || script === 'test' || script === 'start';
      add(
        `${tool} ${isShort ? '' : 'run '}${script}`,
        at + 1,
        `${script} ${value}`,
        worth + (/^(?:test|build|lint|start|docs?|bench)$/.test(script) ? 0.4 : 0),
      );
    }
  }
  for (const [at, text] of lines.entries()) {
    const target = /make|just/i.test(name) ? /^([a-z][\w-]*):(?!=)/.exec(text)?.[1] : undefined;
    if (target !== undefined) add(`${/just/i.test(name) ? 'just' : 'make'} ${target}`, at + 1, target);
    const task = /^rakefile$/i.test(name) ? /^\s*(?:task|desc)\s*\(?\s*:?["']?(\w+)/.exec(text)?.[1] : undefined;
    if (task !== undefined && /^\s*task/.test(text)) add(`rake ${task}`, at + 1, `${task} ${lines[at - 1] ?? ''}`);
    const environment = /^tox\.ini$|^pyproject\.toml$/i.test(name)
      ? /^\[(?:tool\.tox\.env\.|tool\.tox\]|tox\]|testenv:?)([\w-]*)/.exec(text)?.[1]
      : undefined;
    if (environment !== undefined)
      add(
        environment === '' ? 'tox' : `tox -e ${environment}`,
        at + 1,
        environment === '' ? 'test' : environment,
        worth - 0.2,
      );
    const session = /^noxfile\.py$/i.test(name) ? /^def\s+(\w+)\(session/.exec(text)?.[1] : undefined;
    if (session !== undefined) add(`nox -s ${session}`, at + 1, session);
  }
  for (const [manifest, usual] of CONVENTIONS) {
    if (!manifest.test(name)) continue;
    for (const [task, text] of Object.entries(usual))
      found.push({ text, file, line: 1, under: task, worth: worth - 0.6, isUsual: true });
  }
  return found;
}

/** What a continuous integration runs. */
function ofChecks(file: IndexedFile, lines: readonly string[]): Command[] {
  const found: Command[] = [];
  let under = '';
  for (const [at, text] of lines.entries()) {
    const name = /^\s*-?\s*name:\s*(.+)/.exec(text)?.[1];
    if (name !== undefined) under = name;
    const bare = text
      .trim()
      .replace(/^(?:-\s*)?(?:run:\s*)?["']?/, '')
      .replace(/["']$/, '');
    if (isCommand(bare)) found.push({ text: withoutComment(bare), file, line: at + 1, under, worth: 0.4 });
  }
  return found;
}
