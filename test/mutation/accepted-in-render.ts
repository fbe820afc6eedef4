import { type AcceptedSurvivors, sameResult, unreachable } from './accepted-reasons.ts';

export const acceptedInRender: readonly AcceptedSurvivors[] = [
  {
    file: 'src/render/markdown/build.ts',
    line: "? inside.flatMap(({ leaf }) => (leaf.kind === 'block' ? [leaf.node] : []))",
    becomes: ['? inside.flatMap(({ leaf }) => (true ? [leaf.node] : []))'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/build.ts',
    line: 'const children = group(units, depth, begun).filter(isFlow);',
    becomes: ['const children = group(units, depth, begun);'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/build.ts',
    line: "case 'listItem':",
    becomes: ['case "":'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/build.ts',
    line: "const children = joined(units.flatMap(({ leaf }) => (leaf.kind === 'phrasing' ? leaf.children : [])));",
    becomes: ['const children = joined(units.flatMap(({ leaf }) => (true ? leaf.children : [])));'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/build.ts',
    line: "if (item?.type !== 'listItem') continue;",
    becomes: ['if (false) continue;', "if (item.type !== 'listItem') continue;"],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/build.ts',
    line: 'items.push({ ...item, children: content.filter(isFlow) });',
    becomes: ['items.push({ ...item, children: content });'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/cost.ts',
    line: "const number = list?.type === 'list' && list.ordered === true ? String((list.start ?? 1) + list.children.length) : '';",
    becomes: [
      "const number = true && list.ordered === true ? String((list.start ?? 1) + list.children.length) : '';",
      "const number = list.type === 'list' && list.ordered === true ? String((list.start ?? 1) + list.children.length) : '';",
    ],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/divide-phrasing.ts',
    line: 'if (size(text) <= MAX_UNIT) return [text];',
    becomes: ['if (size(text) < MAX_UNIT) return [text];'],
    reason: sameResult,
  },
  {
    file: 'src/render/markdown/units.ts',
    line: "if (unit.leaf.kind === 'line' && unit.leaf.glued) return -0.5;",
    becomes: ['if (true && unit.leaf.glued) return -0.5;'],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/units.ts',
    line: "return before.leaf.kind === 'line' && before.leaf.text.trim() === '' ? 1.5 : 1;",
    becomes: ["return true && before.leaf.text.trim() === '' ? 1.5 : 1;"],
    reason: unreachable,
  },
  {
    file: 'src/render/markdown/units.ts',
    line: "return leaf.kind === 'block' && leaf.node.type === 'paragraph' && leaf.node.data?.isNote === true;",
    becomes: ["return leaf.kind === 'block' && true && leaf.node.data?.isNote === true;"],
    reason: unreachable,
  },
  {
    file: 'src/render/formats.ts',
    line: 'return languageOf(spoken) === language ? spoken : DEFAULT_LOCALE;',
    becomes: ['return true ? spoken : DEFAULT_LOCALE;'],
    reason: 'Only a runtime without data for one of the languages of the app takes the other branch.',
  },
  {
    file: 'src/render/text.ts',
    line: 'if (text.length <= limit) return text.length;',
    becomes: ['if (text.length < limit) return text.length;'],
    reason: sameResult,
  },
  {
    file: 'src/render/text.ts',
    line: 'while (safeFrom > 0 && isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;',
    becomes: [
      'while (safeFrom > 0 || isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;',
      'while (true && isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;',
      'while (safeFrom >= 0 && isLowSurrogate(text.charCodeAt(safeFrom))) safeFrom -= 1;',
    ],
    reason: sameResult,
  },
];
