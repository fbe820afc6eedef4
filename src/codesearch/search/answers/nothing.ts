import { splitIdentifier } from '../../index/words.ts';
import { searchedFiles } from '../unread.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { absence } from './explain.ts';
import { bullets, code, fileLink, joinWords } from './markdown.ts';

const MOST_WORDS = 8;
const MOST_NEAREST = 3;

/** The answer when the rare words of a question are not covered: what was searched for, where, and what came nearest. */
export function nothingFound(findings: Findings): Draft {
  const { words, question, targets, investigation, passages, literals } = findings;
  const { corpus } = investigation;
  // No names of repositories: others may read a shared answer, and it has no sources that say whether they may.
  const [, ...others] = corpus.repositories;
  const scope = others.length === 0 ? '' : ` of ${others.length + 1} repositories`;
  const looked = [
    ...new Set([...targets.unknown, ...literals.map(({ text }) => text), ...words.map(({ word }) => word)]),
  ];
  const where = `the ${searchedFiles(corpus.index)}${scope}, their paths, definitions and commit messages`;
  // Parts of a name or a phrase are not listed beside it.
  const parts = new Set(
    looked.flatMap((text) => {
      const words = text.split(/[^\p{L}\p{N}]+/u).flatMap(splitIdentifier);
      return words.length > 1 ? words : [];
    }),
  );
  const isPart = (word: string): boolean => parts.has(word.toLowerCase());
  const searched = looked
    .filter((word) => !isPart(word))
    .slice(0, MOST_WORDS)
    .map(code);
  const sections = [
    looked.length === 0
      ? `Nothing relevant was found: the question does not name anything to search for in ${where}.`
      : `Nothing relevant was found for ${joinWords(searched)} in ${where}.`,
  ];
  const known = words.filter(({ isKnown }) => isKnown);
  const absent = absence(findings);
  if (absent !== '' && known.length > 0) sections.push(absent);
  const nearest = known.length === 0 ? [] : passages.filter(({ covered }) => covered > 0).slice(0, MOST_NEAREST);
  if (nearest.length > 0) {
    const mentioned = joinWords(known.slice(0, 3).map(({ word }) => code(word)));
    const places = nearest.map(({ file, start, end, symbol }) => {
      const name = symbol === undefined || symbol.kind === 'heading' ? '' : ` (${code(symbol.name)})`;
      return `${fileLink(file, start, end)}${name}`;
    });
    sections.push(`What came nearest, for ${mentioned}:\n\n${bullets(places)}`);
  }
  sections.push('Try the names of functions, types, files, or settings as they are written in the code.');
  return {
    title: 'Nothing relevant found',
    sections,
    sources: nearest.map(({ file, start, end }) => fileSource(file, start, end)),
    followUps: [
      `What is this ${others.length === 0 ? 'repository' : 'codebase'} about?`,
      'What changed recently?',
      'What settings are there?',
    ].filter((text) => text !== question.text && corpus.repositories.length > 0),
    symbols: [],
    files: [],
    isRefusal: true,
  };
}
