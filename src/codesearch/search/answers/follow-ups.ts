import type { Passage } from '../rank.ts';
import type { Findings } from './draft.ts';

/** What a person would ask next about a passage. Each names something that exists, so that it has an answer. */
export async function followUpsFor(
  main: Passage,
  others: readonly Passage[],
  { question, investigation }: Findings,
): Promise<string[]> {
  const name = nameOf(main);
  const [next, second] = [...new Set(others.map(nameOf))].filter((other) => other !== undefined && other !== name);
  const followUps: string[] = [];
  if (name !== undefined) {
    const usages = await investigation.usages(name, investigation.definitions(name));
    if (usages.some(({ file }) => file.role !== 'test')) followUps.push(`Where is \`${name}\` used?`);
    if (question.intent === 'define') followUps.push(`How does \`${name}\` work?`);
    if (usages.some(({ file }) => file.role === 'test')) followUps.push(`Which tests cover \`${name}\`?`);
    followUps.push(`Why was \`${name}\` last changed?`);
  }
  if (next !== undefined) followUps.splice(2, 0, `How does \`${next}\` work?`);
  if (name !== undefined) return followUps;
  if (second !== undefined) followUps.push(`How does \`${second}\` work?`);
  return [...followUps, `When was \`${main.file.path}\` last changed?`];
}

/** The name that a question can ask about; undefined for headings, constructors and private names. */
export function nameOf({ symbol }: Pick<Passage, 'symbol'>): string | undefined {
  return symbol === undefined || symbol.kind === 'heading' || /^_|^constructor$/.test(symbol.name)
    ? undefined
    : symbol.name;
}
