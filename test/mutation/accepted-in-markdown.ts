import { type AcceptedSurvivors, sameResult, unreachable } from './accepted-reasons.ts';

const edgeOfAWord = 'Changes nothing: both characters may stand next to a formatting mark.';

/** Accepted mutants of the code that reads and writes Markdown. */
export const acceptedInMarkdown: readonly AcceptedSurvivors[] = [
  {
    file: 'src/render/markdown/parse.ts',
    line: '} catch {',
    becomes: ['} catch {}'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'default:',
    becomes: ['default:'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'return [];',
    becomes: ['return ["Stryker was here"];'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'while (header !== undefined && header.children.length < columns) {',
    becomes: ['while (true && header.children.length < columns) {'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'const align = Array.from({ length: columns }, (_, column) => node.align?.[column] ?? null);',
    becomes: ['const align = Array.from({ length: columns }, (_, column) => node.align[column] ?? null);'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: "return definitions.get(node.identifier)?.url ?? '';",
    becomes: [
      "return definitions.get(node.identifier).url ?? '';",
      'return definitions.get(node.identifier)?.url ?? "Stryker was here!";',
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: "return text(child.alt ?? '');",
    becomes: ['return text(child.alt ?? "Stryker was here!");'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'const header = rows[0]?.children ?? [];',
    becomes: ['const header = rows[0].children ?? [];', 'const header = rows[0]?.children ?? ["Stryker was here"];'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/parse.ts',
    line: 'const name = header[column]?.children ?? [];',
    becomes: [
      'const name = header[column].children ?? [];',
      'const name = header[column]?.children ?? ["Stryker was here"];',
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: 'default:',
    becomes: ['default:'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "return '';",
    becomes: ['return "Stryker was here!";'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "let before = '';",
    becomes: ['let before = "Stryker was here!";'],
    reason: edgeOfAWord,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: ".join('');",
    becomes: ['.join("Stryker was here!");'],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "if (node.type === 'break') return '\\n';",
    becomes: [`if (node.type === 'break') return "";`],
    reason: edgeOfAWord,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "function marked(mark: string, text: string, before = '', after = ''): string {",
    becomes: [
      'function marked(mark: string, text: string, before = "Stryker was here!", after = \'\'): string {',
      'function marked(mark: string, text: string, before = \'\', after = "Stryker was here!"): string {',
    ],
    reason: edgeOfAWord,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "const left = leading !== '' ? ' ' : index === 0 ? before : '\\n';",
    becomes: [
      `const left = leading !== '' ? "" : index === 0 ? before : '\\n';`,
      `const left = leading !== '' ? ' ' : index === 0 ? before : "";`,
    ],
    reason: edgeOfAWord,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "const right = trailing !== '' ? ' ' : index === lines.length - 1 ? after : '\\n';",
    becomes: [
      `const right = trailing !== '' ? "" : index === lines.length - 1 ? after : '\\n';`,
      `const right = trailing !== '' ? ' ' : index === lines.length - 1 ? after : "";`,
    ],
    reason: edgeOfAWord,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "return links ? { kind: 'lines' } : { kind: 'aligned', widths };",
    becomes: [
      "return links ? {} : { kind: 'aligned', widths };",
      `return links ? { kind: "" } : { kind: 'aligned', widths };`,
    ],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: "if (header === undefined) return '';",
    becomes: ["if (false) return '';", 'if (header === undefined) return "Stryker was here!";'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: '.map((width, column) => pad(textOf(row.children[column]?.children ?? []), width, node.align?.[column] ?? null))',
    becomes: [
      '.map((width, column) => pad(textOf(row.children[column]?.children ?? []), width, node.align[column] ?? null))',
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-mrkdwn.ts',
    line: 'const name = inline(withoutStrong(header.children[column]?.children ?? []));',
    becomes: [
      'const name = inline(withoutStrong(header.children[column].children ?? []));',
      'const name = inline(withoutStrong(header.children[column]?.children ?? ["Stryker was here"]));',
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: 'before: info.before.slice(-1),',
    becomes: ['before: info.before,'],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: 'after: info.after.slice(0, 1),',
    becomes: ['after: info.after,'],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: 'tildes: parent === undefined ? 2 : tildesIn(parent),',
    becomes: ['tildes: false ? 2 : tildesIn(parent),'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: "const exitLink = state.enter('link');",
    becomes: ['const exitLink = state.enter("");'],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: "const label = state.containerPhrasing(node, { before: '[', after: ']', now: { line: 1, column: 1 }, lineShift: 0 });",
    becomes: ["const label = state.containerPhrasing(node, { before: '[', after: ']', now: {}, lineShift: 0 });"],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: "if (header === undefined) return '';",
    becomes: ["if (false) return '';", 'if (header === undefined) return "Stryker was here!";'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: "const delimiters = header.map((_, column) => DELIMITERS[node.align?.[column] ?? 'none']);",
    becomes: ["const delimiters = header.map((_, column) => DELIMITERS[node.align[column] ?? 'none']);"],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: "} else if ('children' in node) {",
    becomes: ['} else if (true) {'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: ".map((line, index) => (index > 0 || startsLine ? escapeStart(original[index] ?? '', line) : line))",
    becomes: [
      '.map((line, index) => (index > 0 || startsLine ? escapeStart(original[index] ?? "Stryker was here!", line) : line))',
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/to-markdown.ts',
    line: 'default:',
    becomes: ['default:'],
    reason: unreachable,
  },
];
