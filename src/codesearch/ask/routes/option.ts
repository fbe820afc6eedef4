import type { IndexedFile } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { code, fileLink } from '../markdown.ts';
import { coverage, type QueryWord } from '../query-words.ts';
import { filledUp } from './explain.ts';
import { nameOf, shorten } from './names.ts';

/** Where manifests say which version of a language or runtime they need. */
const RUNTIMES: readonly { asked: RegExp; file: RegExp; line: RegExp }[] = [
  { asked: /\bnode(?:\.?js)?\b/, file: /^package\.json$/, line: /"node"\s*:\s*"[^"]+"/ },
  {
    asked: /\bpython\b/,
    file: /^(?:pyproject\.toml|setup\.(?:cfg|py))$/,
    line: /(?:requires[-_]python|python_requires)\s*=\s*\S+/,
  },
  { asked: /\bgo(?:lang)?\b/, file: /^go\.mod$/, line: /^go \d[\d.]*/ },
  { asked: /\brust\b|\bmsrv\b/, file: /^Cargo\.toml$/, line: /^rust-version\s*=\s*\S+/ },
  { asked: /\bruby\b/, file: /\.gemspec$/, line: /required_ruby_version\s*=?\s*\S+/ },
  { asked: /\bphp\b/, file: /^composer\.json$/, line: /"php"\s*:\s*"[^"]+"/ },
  {
    asked: /\bjava\b|\bjdk\b/,
    file: /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/,
    line: /<(?:maven\.compiler\.(?:release|source)|java\.version|release)>[^<]+|(?:sourceCompatibility|JavaLanguageVersion\.of)\D*\d+/,
  },
  { asked: /\bc\+\+\b|\bcpp\b/, file: /^CMakeLists\.txt$/, line: /cxx_std_\d+|CMAKE_CXX_STANDARD\D+\d+/ },
  { asked: /\bcmake\b/, file: /^CMakeLists\.txt$/, line: /cmake_minimum_required\([^)]*\)/ },
  { asked: /\belixir\b/, file: /^mix\.exs$/, line: /elixir:\s*"[^"]+"/ },
];
const LICENSE = /(?:^|\/)(?:licen[sc]e|copying)(?:\.[a-z]+)?$/i;

/** "Which version", "what is the default": the line that has the value, and the value in the sentence. */
export async function option(asked: Asked): Promise<Draft | undefined> {
  return (await runtime(asked)) ?? (await license(asked)) ?? value(asked);
}

async function runtime({ question, investigation }: Asked): Promise<Draft | undefined> {
  const text = question.text.toLowerCase();
  if (
    !/\bversions?\b|\bsupport\w*|\brequire\w*|\bneed\w*|\bminimum\b|\boldest\b|\bmsrv\b/.test(text) ||
    /\bci\b|\btest/.test(text)
  )
    return undefined;
  for (const { asked, file: wanted, line: pattern } of RUNTIMES) {
    if (!asked.test(text)) continue;
    const files = [...investigation.corpus.index.all()]
      .filter(({ path }) => wanted.test(path.split('/').at(-1) ?? ''))
      .sort((a, b) => a.path.split('/').length - b.path.split('/').length);
    for await (const [file, lines] of investigation.linesOfAll(files)) {
      const at = lines.findIndex((each) => pattern.test(each));
      if (at >= 0)
        return atLine(file, at + 1, pattern.exec(lines[at] ?? '')?.[0] ?? '', lines.length, `Required version`);
    }
  }
  return undefined;
}

async function license({ question, investigation }: Asked): Promise<Draft | undefined> {
  if (!/\blicen[sc]e[ds]?\b/i.test(question.text)) return undefined;
  const [file] = [...investigation.corpus.index.all()]
    .filter(({ path }) => LICENSE.test(path))
    .sort((a, b) => a.path.length - b.path.length);
  if (file === undefined) return undefined;
  const lines = await investigation.lines(file);
  const at = lines.findIndex((line) => /\p{L}{3}/u.test(line));
  return atLine(file, at + 1, shorten(lines[at] ?? '', 80).trim(), lines.length, 'License');
}

const VALUE = /[=:]\s*\S|\bdefaults?\b|\d/i;
const SAYS_DEFAULT = /\bdefaults?\b/i;
/** Of the question's weight, in a line with its neighbours. */
const LEAST = 0.5;
/** The same, for a sentence that is not unsure; the line must also say a default or set the value. */
const SURE = 0.75;

/** The line near the best passages that has most of the question and a value. */
async function value(asked: Asked): Promise<Draft | undefined> {
  const { question, passages, words, targets, investigation } = asked;
  const wantsDefault = SAYS_DEFAULT.test(question.text);
  const found: {
    file: IndexedFile;
    line: number;
    text: string;
    worth: number;
    covered: number;
    isSaid: boolean;
    length: number;
  }[] = [];
  const [definition] = targets.names[0]?.definitions ?? [];
  const places = [
    ...(definition === undefined
      ? []
      : [{ file: definition.file, start: definition.symbol.line, end: definition.symbol.end, base: 0.3 }]),
    ...passages
      .slice(0, 10)
      .map(({ file, start, end, signs }, at) => ({ file, start, end, base: 0.4 * signs.role - at * 0.03 })),
  ];
  for (const { file, start, end, base } of places) {
    const lines = await investigation.lines(file);
    for (let line = start; line <= Math.min(end, lines.length); line += 1) {
      const text = (lines[line - 1] ?? '').slice(0, 300);
      if (!VALUE.test(text) || /^\s*(?:default\s*:|throw\b|raise\b)/.test(text)) continue;
      const around = `${lines[line - 2] ?? ''}\n${text}\n${lines[line] ?? ''}`;
      const covered = coverage(around, words);
      const own = coverage(text, words);
      const says = wantsDefault && SAYS_DEFAULT.test(text) ? 0.5 : wantsDefault && SAYS_DEFAULT.test(around) ? 0.25 : 0;
      const isSet = setsOne(text, words) ? 0.6 : 0;
      const isAside = file.role !== 'docs' && file.commentLines.has(line) ? -0.3 : 0;
      const isValue =
        /(?:=|:|\bis\b|\bto\b|default\w*)\s*[`'"([]?\s*(?:\d|true\b|false\b|nil\b|none\b|null\b|[`'"]|[A-Z][\w.]+)/i.test(
          text,
        )
          ? 0.3
          : 0;
      found.push({
        isSaid: isSet > 0 || says >= 0.5,
        file,
        line,
        text,
        covered,
        length: lines.length,
        worth: base + own + 0.5 * covered + says + isValue + isSet + isAside,
      });
    }
  }
  found.sort((a, b) => b.worth - a.worth || a.line - b.line);
  const [best] = found;
  if (best === undefined || best.covered < LEAST || (wantsDefault && best.worth < 1.2)) return undefined;
  const draft = atLine(best.file, best.line, shorten(best.text, 140), best.length, wantsDefault ? 'Default' : 'Value');
  const others = found.filter(({ file, worth }) => file !== best.file && worth > best.worth - 0.6);
  const byFile = [...new Map(others.toReversed().map((each) => [each.file, each])).values()].reverse();
  return {
    ...draft,
    sentence: best.covered >= SURE && best.isSaid ? draft.sentence : `I'm not sure. The closest is ${draft.sentence}`,
    pointers: await filledUp(
      byFile.slice(0, 3).map(({ file, line, text }) => pointTo(file, code(shorten(text.trim(), 90)), line)),
      asked,
      { file: best.file, start: best.line, end: best.line },
    ),
    files: [best.file, ...byFile.slice(0, 3).map(({ file }) => file)],
  };
}

/** Whether a line gives a word of the question a value: `salt: bytes = b"x"`, `"timeout": 30`, `--runs <n> [default: 10]`. */
function setsOne(text: string, words: readonly QueryWord[]): boolean {
  const [, left] =
    /([\w$.-]+)["'`]?(?:\s*:[^=,]{0,40}|\s+[\w<>[\]*&]{1,30})?\s*(?:=|:=|:|=>)\s*(?!None\b|null\b|nil\b)(?:[a-z]?["'`]|\d|-\d|true\b|false\b|[A-Z][\w.:]*\b)/i.exec(
      text,
    ) ?? [];
  return left !== undefined && coverage(left, words) >= 0.3;
}

function atLine(file: IndexedFile, line: number, said: string, length: number, title: string): Draft {
  const symbol = file.symbols.findLast((each) => each.line <= line && each.end >= line);
  const name = nameOf(symbol);
  return {
    title: `${title}: ${shorten(said.trim(), 50)}`,
    sentence: `${fileLink(file, line)} says ${code(said)}.`,
    passage: {
      file,
      start: Math.max(1, symbol?.line ?? 1, line - 5),
      end: Math.min(length, line + 5),
      symbol: undefined,
      keyLines: [line],
    },
    pointers: [],
    followUps: name === undefined ? [] : [`How does \`${name}\` work?`, `Who calls \`${name}\`?`],
    symbols: name === undefined ? [] : [name],
    files: [file],
  };
}
