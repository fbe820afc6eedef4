import type { IndexedFile } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { type Investigation, repositoryWords } from '../investigation.ts';
import { code, fileLink, prose } from '../markdown.ts';
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
    does: /build|compile|\bcmake\b|\bmake(?:\s+all)?\s*$|\bpackage\b|assemble/i,
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
}

const PROGRAM =
  /^(?:sudo\s+|\w+=\S+\s+)*(?:npm|npx|yarn|pnpm|bun|deno|node|cargo|rustup|go|mvn|\.\/mvnw|gradle|\.\/gradlew|make|cmake|ctest|ninja|meson|bazel|python3?|py|pip3?|pipx|uv|uvx|tox|nox|pytest|poetry|hatch|flit|pdm|conda|bundle|rake|gem|rspec|ruby|composer|php|vendor\/bin\/\S+|mix|dotnet|swift|docker|brew|apt(?:-get)?|choco|scoop|winget|pacman|snap|dnf|pkg|nix-env|port|emerge|xbps-install|zypper|git clone|\.?\/?(?:script|scripts|bin)\/\S+|\.\/\S+|pre-commit|vcpkg|conan)(?:\s|$)/;
const GUIDE =
  /(?:^|\/)(?:readme|contributing|hacking|development|developing|building|install\w*|get[-_]?started|getting[-_]started|quick-?start|releas\w*|usage|test(?:ing|s)?)(?:\.[a-z]+)*$/i;
const CI =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.travis\.yml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|appveyor\.yml)$/;
const SCRIPTS = /^(?:package|composer)\.json$/i;
const MAKEFILE = /(?:^|\/)(?:gnu)?makefile$/i;
const MOST_COMMANDS = 2_000;
/** Names of scripts and targets that do the whole of a task. */
const WHOLE = /^(?:test|build|lint|start|docs?|bench)$/;

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
  const { repository } = best.file;
  const others = found.filter(
    ({ text, file }, at) =>
      at > 0 && text !== best.text && file.repository === repository && (file !== best.file || found.length < 4),
  );
  const byText = [...new Map(others.toReversed().map((command) => [command.text, command])).values()].reverse();
  const { file, line } = best;
  const place = investigation.corpus.repositories.length > 1 ? ` in ${prose(repository)}` : '';
  return {
    title: `${task.title}${place}`,
    // What only stands below such a heading may be something else.
    sentence:
      fitness(best, task) < 2
        ? `I'm not sure. The closest is ${code(best.text)}${place}, as in ${fileLink(file, line)}.`
        : `Run ${code(best.text)}${place}, as in ${fileLink(file, line)}.`,
    passage: { file, start: Math.max(1, line - 3), end: line + 4, symbol: undefined, keyLines: [line] },
    pointers: byText.slice(0, 3).map((command) => pointTo(command.file, code(command.text), command.line)),
    followUps: [task.title === 'Running the tests' ? 'How do I build it?' : 'How do I run the tests?'],
    symbols: [],
    files: [file, ...byText.slice(0, 3).map((command) => command.file)],
  };
}

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

/** How well a command fits the task: by what it runs, and by what is said about it. An option such as `--check-locked` says nothing. */
function fitness({ text, under }: Command, { does, asked }: Task): number {
  const isSaid = does.test(under) || asked.test(under.toLowerCase());
  return does.test(text.replace(/\s--?[\w-]+/g, ' ')) ? (isSaid ? 3.5 : 2) : isSaid ? 1.5 : 0;
}

async function commandsIn(investigation: Investigation): Promise<Command[]> {
  const found: Command[] = [];
  const files = [...investigation.corpus.index.all()].filter(
    ({ path, role }) =>
      role !== 'vendored' && (isGuide(path) || CI.test(path) || SCRIPTS.test(path) || MAKEFILE.test(path)),
  );
  for await (const [file, lines] of investigation.linesOfAll(files)) {
    if (found.length > MOST_COMMANDS) break;
    if (CI.test(file.path)) found.push(...ofChecks(file, lines));
    else if (SCRIPTS.test(file.path)) found.push(...ofScripts(file, lines));
    else if (MAKEFILE.test(file.path)) found.push(...ofMakefile(file, lines));
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
  const worth = 1 - 0.4 * Math.max(0, file.path.replace(/^(?:\.github|docs?)\//, '').split('/').length - 1);
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

/** The scripts of `package.json` and `composer.json`. */
function ofScripts(file: IndexedFile, lines: readonly string[]): Command[] {
  const tool = file.path.toLowerCase().startsWith('package') ? 'npm' : 'composer';
  const from = lines.findIndex((line) => /^\s*"scripts"\s*:/.test(line)) + 1;
  if (from === 0) return [];
  const length = lines.slice(from).findIndex((line) => /^\s*\}/.test(line));
  return lines.slice(from, from + length).flatMap((text, at) => {
    const [, script, value = ''] = /^\s*"([\w:.-]+)"\s*:\s*(.*)/.exec(text) ?? [];
    if (script === undefined) return [];
    const isShort = tool === 'composer' || script === 'test' || script === 'start';
    const worth = WHOLE.test(script) ? 1.2 : 0.8;
    const own = { text: `${tool} ${isShort ? '' : 'run '}${script}`, under: `${script} ${value}` };
    return [{ ...own, file, line: from + at + 1, worth }];
  });
}

function ofMakefile(file: IndexedFile, lines: readonly string[]): Command[] {
  const depth = file.path.split('/').length - 1;
  return lines.flatMap((text, at) => {
    const target = /^([a-z][\w-]*):(?!=)/.exec(text)?.[1];
    if (target === undefined) return [];
    const worth = (WHOLE.test(target) ? 1.2 : 0.8) - 0.3 * depth;
    return [{ text: `make ${target}`, file, line: at + 1, under: target, worth }];
  });
}

/** What a continuous integration runs. */
function ofChecks(file: IndexedFile, lines: readonly string[]): Command[] {
  const found: Command[] = [];
  let under = '';
  for (const [at, text] of lines.entries()) {
    // Longer lines are no commands. A pattern below takes the square of their length, which thousands of lines would add up.
    if (text.length > 400) continue;
    const name = /^\s*-?\s*name:\s*(.+)/.exec(text)?.[1];
    if (name !== undefined) under = name;
    const bare = text
      .trim()
      .replace(/^(?:-\s*)?(?:run:\s*)?["']?/, '')
      .replace(/\s*\$\{\{[^}]*\}\}/g, '')
      .replace(/["']$/, '');
    if (isCommand(bare)) found.push({ text: withoutComment(bare), file, line: at + 1, under, worth: 0.4 });
  }
  return found;
}
