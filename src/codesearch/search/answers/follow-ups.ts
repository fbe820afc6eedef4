import type { Passage } from '../rank.ts';
import type { Findings } from './draft.ts';

/** What a person would ask next about a passage. Each names something that exists, so that it has an answer. */
export async function followUpsFor(
  main: Passage,
  others: readonly Passage[],
  { question, investigation }: Findings,
): Promise<string[]> {
  const name = nameOf(main);
  const next = others.map(nameOf).find((other) => other !== undefined && other !== name);
  const followUps: string[] = [];
  if (name !== undefined) {
    const usages = await investigation.usages(name, investigation.definitions(name));
    if (usages.some(({ file }) => file.role !== 'test')) followUps.push(`Where is \`${name}\` used?`);
    if (question.intent === 'define') followUps.push(`How does \`${name}\` work?`);
    if (usages.some(({ file }) => file.role === 'test')) followUps.push(`Which tests cover \`${name}\`?`);
    followUps.push(`Why was \`${name}\` last changed?`);
  }
  if (next !== undefined) followUps.splice(2, 0, `How does \`${next}\` work?`);
  return name === undefined ? [...followUps, `Who wrote \`${main.file.path}\`?`, 'What changed recently?'] : followUps;
}

function nameOf({ symbol }: Passage): string | undefined {
  return symbol === undefined || symbol.kind === 'heading' || /^_|^constructor$/.test(symbol.name)
    ? undefined
    : symbol.name;
}
