import { type Draft, type Findings, fileSource } from './draft.ts';
import { code, count, fileLink, joinWords } from './markdown.ts';

/** The answer when nothing relevant was found: the words that were searched and, if there is one, the closest mention. */
export function nothingFound({ weighed, targets, investigation, passages, question }: Findings): Draft {
  const { corpus } = investigation;
  // No names of repositories: others may read a shared answer, and it has no sources that say whether they may.
  const [only, ...others] = corpus.repositories;
  const scope = others.length === 0 ? '' : ` of ${others.length + 1} repositories`;
  const looked = [
    ...new Set([...targets.unknown, ...weighed.subjects.filter(({ weight }) => weight >= 0.3).map(({ word }) => word)]),
  ].slice(0, 8);
  const where = `the ${count(corpus.index.size(), 'file')}${scope}, their paths, definitions and commit messages`;
  const absent = weighed.subjects
    .filter(({ weight, files }) => weight >= 0.5 && files === 0)
    .map(({ word }) => code(word));
  const known = weighed.subjects.filter(({ weight, ownFiles }) => weight >= 0.5 && ownFiles > 0);
  const sections = [
    looked.length === 0
      ? `Nothing relevant was found: the question does not name anything to search for in ${where}.`
      : `Nothing relevant was found for ${joinWords(looked.map(code))} in ${where}.`,
  ];
  if (absent.length > 0 && known.length > 0) {
    sections.push(`${joinWords(absent)} ${absent.length === 1 ? 'appears' : 'appear'} nowhere.`);
  }
  const nearest = known.length > 0 ? passages.find(({ covered }) => covered > 0.15) : undefined;
  if (nearest !== undefined) {
    sections.push(
      `The nearest mention of ${joinWords(known.slice(0, 3).map(({ word }) => code(word)))} is ${fileLink(nearest.file, nearest.start, nearest.end)}.`,
    );
  }
  sections.push('Try the names of functions, types, files, or settings as they are written in the code.');
  return {
    title: 'Nothing relevant found',
    sections,
    sources: nearest === undefined ? [] : [fileSource(nearest.file, nearest.start, nearest.end)],
    followUps:
      only === undefined
        ? []
        : ['What is this repository about?', 'What changed recently?', ...mainFolder(corpus)].filter(
            (text) => text !== question.text,
          ),
    symbols: [],
    files: [],
  };
}

function mainFolder(corpus: Findings['investigation']['corpus']): string[] {
  const counts = new Map<string, number>();
  for (const { path, role } of corpus.index.all()) {
    const folder = path.split('/').slice(0, -1).join('/');
    if (role === 'source' && folder !== '') counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [top] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return top === undefined ? [] : [`What is in \`${top[0]}\`?`];
}
