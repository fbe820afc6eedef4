import type { IndexedFile } from '../../index/file-index.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { code, fileLink, nameOf, prose, shorten } from '../markdown.ts';
import { coverage } from '../query-words.ts';

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
/** No value: it is set elsewhere. */
const NOTHING = /=\s*(?:None|null|nil|undefined)\b/;
const SAYS_DEFAULT = /\bdefaults?\b/i;
/** Of the question's weight, in a line with its neighbours. */
const LEAST = 0.5;
/** The same, for a sentence that is not unsure; the line must also say a default or set the value. */
const SURE = 0.75;
/** How much better than those of other files the line must be for that. */
const LEAD = 0.3;

/** The line near the best passages that has most of the question and a value. */
async function value(asked: Asked): Promise<Draft | undefined> {
  const { question, passages, words, investigation } = asked;
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
  const places = passages
    .filter(({ file }) => file.role !== 'test')
    .slice(0, 10)
    .map(({ file, start, end, signs }, at) => ({ file, start, end, base: 0.4 * signs.role - at * 0.03 }));
  for (const { file, start, end, base } of places) {
    const lines = await investigation.lines(file);
    for (let line = start; line <= Math.min(end, lines.length); line += 1) {
      const text = (lines[line - 1] ?? '').slice(0, 300);
      if (!VALUE.test(text) || /^\s*(?:default\s*:|throw\b|raise\b)/.test(text)) continue;
      const around = `${lines[line - 2] ?? ''}\n${text}\n${lines[line] ?? ''}`;
      const covered = coverage(around, words);
      const own = coverage(text, words);
      const says = wantsDefault && SAYS_DEFAULT.test(text) ? 0.5 : wantsDefault && SAYS_DEFAULT.test(around) ? 0.25 : 0;
      const isValue =
        /(?:=|:|\bis\b|\bto\b|default\w*)\s*[`'"([]?\s*(?:\d|true\b|false\b|nil\b|none\b|null\b|[`'"]|[a-z][\w.]+)/i.test(
          text,
        )
          ? 0.3
          : 0;
      found.push({
        isSaid: says >= 0.5 || (isValue > 0 && own >= SURE && !NOTHING.test(text)),
        file,
        line,
        text,
        covered,
        length: lines.length,
        worth: base + own + 0.5 * covered + says + isValue,
      });
    }
  }
  found.sort((a, b) => b.worth - a.worth || a.line - b.line);
  const [best] = found;
  if (best === undefined || best.covered < LEAST || (wantsDefault && best.worth < 1.2)) return undefined;
  const said = shorten(sentenceWith(best.text, words), 140);
  const draft = atLine(best.file, best.line, said, best.length, wantsDefault ? 'Default' : 'Value');
  const others = found.filter(({ file, worth }) => file !== best.file && worth > best.worth - 0.6);
  const leads = others.every(({ worth }) => worth < best.worth - LEAD);
  const byFile = [...new Map(others.toReversed().map((each) => [each.file, each])).values()].reverse();
  return {
    ...draft,
    sentence:
      best.covered >= SURE && best.isSaid && leads
        ? draft.sentence
        : `I'm not sure. The closest line is ${fileLink(best.file, best.line)}: ${quoted(best.file, said)}.`,
    pointers: byFile.slice(0, 3).map(({ file, line, text }) => pointTo(file, code(shorten(text.trim(), 90)), line)),
    files: [best.file, ...byFile.slice(0, 3).map(({ file }) => file)],
  };
}

function quoted(file: IndexedFile, said: string): string {
  return file.role === 'docs' && /^[A-Z].*\w \w/.test(said.trim()) ? `“${prose(said.trim())}”` : code(said.trim());
}

/** Of a long line of a document, the sentence with most of the question that has a value. */
function sentenceWith(line: string, words: Asked['words']): string {
  const sentences = line.split(/(?<=[.!?])\s+/).filter((sentence) => VALUE.test(sentence));
  return sentences.sort((a, b) => coverage(b, words) - coverage(a, words))[0] ?? line;
}

function atLine(file: IndexedFile, line: number, said: string, length: number, title: string): Draft {
  const symbol = file.symbols.findLast((each) => each.line <= line && each.end >= line);
  const name = nameOf(symbol);
  return {
    title: `${title}: ${shorten(said.trim(), 50)}`,
    sentence: `${fileLink(file, line)} says ${quoted(file, said)}.`,
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
