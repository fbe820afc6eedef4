import type { ChunkHit, RoleWeights } from './file-index.ts';
import type { Investigation } from './investigation.ts';
import type { Intent } from './questions/intent.ts';
import type { Subject } from './questions/question.ts';

/** A subject and how often the repositories mention it. */
export interface WeighedSubject extends Subject {
  /** Weight times rarity: the score a passage gets for mentioning it. */
  gain: number;
  /** Files that mention it or a related word. */
  files: number;
  /** Files that mention the word itself. */
  ownFiles: number;
}

export interface Weighed {
  subjects: WeighedSubject[];
  /** Sum of all gains: the score of a perfect passage. */
  total: number;
  hits: ChunkHit[];
}

const RELATED_FACTOR = 0.45;

const ROLES: Partial<Record<Intent, RoleWeights>> = {
  tests: { test: 1.2, source: 0.5, docs: 0.4 },
  about: { docs: 1.2 },
  why: { docs: 1 },
  what: { docs: 0.9 },
  options: { config: 0.9, docs: 0.9 },
  files: { test: 0.6 },
};

/** Searches for the subjects and weighs them by how rare they are among all files. */
export function weigh(
  subjects: readonly Subject[],
  intent: Intent,
  ownNames: ReadonlySet<string>,
  { corpus, find }: Investigation,
): Weighed {
  const terms = new Map<string, number>();
  const boosts = subjects.map((subject) =>
    ownNames.has(subject.stem) ? { ...subject, weight: subject.weight * 0.15 } : subject,
  );
  for (const { stem, weight } of boosts) terms.set(stem, Math.max(terms.get(stem) ?? 0, weight));
  for (const { related, weight } of boosts) {
    for (const other of related) if (!terms.has(other)) terms.set(other, weight * RELATED_FACTOR);
  }
  const hits = find(terms, ROLES[intent] ?? {});
  const filesOf = new Map<string, Set<unknown>>();
  for (const hit of hits) {
    for (const term of hit.terms) {
      const known = filesOf.get(term);
      if (known === undefined) filesOf.set(term, new Set([hit.file]));
      else known.add(hit.file);
    }
  }
  const count = corpus.index.size();
  const rated = boosts.map((subject) => {
    const own = filesOf.get(subject.stem)?.size ?? 0;
    const any = new Set([subject.stem, ...subject.related].flatMap((term) => [...(filesOf.get(term) ?? [])])).size;
    const seen = own > 0 ? own : any;
    const rarity = Math.log(1 + (count - seen + 0.5) / (seen + 0.5));
    return { ...subject, rarity: Math.max(rarity, subject.weight >= 1.5 ? 0.8 : 0.15), files: any, ownFiles: own };
  });
  // Limit the rarity of unknown words to slightly more than the rarest known word, so that one odd word does not dominate.
  const known = rated.filter(({ files, weight }) => files > 0 && weight >= 0.5).map(({ rarity }) => rarity);
  const most = known.length === 0 ? Number.POSITIVE_INFINITY : 1.25 * Math.max(...known);
  const weighed = rated.map(({ rarity, ...subject }) => ({
    ...subject,
    gain: subject.weight * Math.min(rarity, most),
  }));
  return { subjects: weighed, total: weighed.reduce((sum, subject) => sum + subject.gain, 0), hits };
}

/** Sum of the gains of the subjects in a set of terms; a related word counts less than the word itself. */
export function coverage(subjects: readonly WeighedSubject[], terms: ReadonlySet<string>): number {
  let sum = 0;
  for (const subject of subjects) {
    if (terms.has(subject.stem)) sum += subject.gain;
    else if (subject.related.some((other) => terms.has(other))) sum += subject.gain * RELATED_FACTOR;
  }
  return sum;
}
