import { splitIdentifier } from '../../index/words.ts';
import { type Asked, type Draft, pointTo, saying } from '../draft.ts';
import type { Investigation } from '../investigation.ts';
import { code, joinWords, nameInText } from '../markdown.ts';
import { searchedFiles } from '../unread.ts';

const MOST_NEAREST = 3;
const MOST_WORDS = 6;

/** A greeting or thanks. */
export function smalltalk(text: string): Draft {
  const isThanks = /\b(?:thanks?|thank|thx|ty|cheers|great|perfect|awesome|nice|cool)\b/i.test(text);
  const hello = isThanks ? 'You are welcome.' : 'Hello.';
  return {
    ...saying(
      isThanks ? 'You are welcome' : 'Hello',
      `${hello} Ask me where something is in the code, how it works, who wrote it, or how to run it.`,
    ),
    followUps: ['What is this repository about?', 'How do I run the tests?'],
  };
}

/** A question in another language, after a try by its names, paths and quoted texts found nothing. */
export function anotherLanguage({ corpus }: Investigation): Draft {
  return {
    ...saying(
      'I search in English',
      'I search in English, and by names, paths and quoted texts. Please ask in English, or name a function, a file or an error message.',
    ),
    followUps: corpus.repositories.length === 0 ? [] : ['What is this repository about?'],
    isRefusal: true,
  };
}

/** A question that says too little: the places that come nearest, and a question back. Undefined where it says enough. */
export function vague({ question, words, passages, targets }: Asked): Draft | undefined {
  const strong = new Set(question.subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word));
  const own = words.filter(({ word, terms }) => terms.size > 0 && strong.has(word));
  if (question.kind !== 'explain') return undefined;
  if (targets.names.length > 0 || targets.files.length > 0 || targets.directories.length > 0) return undefined;
  if (own.length > 1 || question.literals.length > 0 || (own.length === 1 && question.phrase.length > 2))
    return undefined;
  const files = [...new Map(passages.toReversed().map((passage) => [passage.file, passage])).values()]
    .reverse()
    .slice(0, MOST_NEAREST);
  if (files.length < 2) return undefined;
  const about = own[0] === undefined ? 'this' : code(own[0].word);
  return {
    title: own[0] === undefined ? 'What do you mean?' : `What about ${own[0].word}?`,
    sentence: `I'm not sure what about ${about} you want to know: how it works, where it is used, or how it is configured? The closest places:`,
    pointers: files.map(({ file, symbol, start, end }) =>
      pointTo(file, symbol === undefined ? '' : nameInText(symbol), start, end),
    ),
    followUps: files.flatMap(({ symbol }) =>
      symbol === undefined || symbol.kind === 'heading' ? [] : [`How does \`${symbol.name}\` work?`],
    ),
    symbols: [],
    files: files.map(({ file }) => file),
  };
}

/** The question is limited to repositories that are not served or that the asker may not read, or there are none. */
export function nowhere(): Draft {
  return {
    ...saying('Nothing to search', 'There is no repository here that this question may search.'),
    isRefusal: true,
  };
}

/** Nothing has to do with the question: what was searched for and where, and what came nearest. */
export function nothing({ words, literals, targets, passages, investigation }: Asked): Draft {
  const { corpus } = investigation;
  const looked = [
    ...new Set([...targets.unknown, ...literals.map(({ text }) => text), ...words.map(({ word }) => word)]),
  ];
  const missing = [...targets.unknown, ...words.filter(({ terms }) => terms.size === 0).map(({ word }) => word)];
  const chosen = missing.length > 0 ? [...new Set(missing)] : looked;
  // The parts of a longer name are not named beside it.
  const parts = new Set(
    chosen.flatMap((text) =>
      text
        .split(/[^\p{L}\p{N}]+/u)
        .flatMap(splitIdentifier)
        .filter((part) => part !== text),
    ),
  );
  const named = chosen
    .filter((text) => !parts.has(text.toLowerCase()))
    .slice(0, MOST_WORDS)
    .map(code);
  const nearest = passages.filter(({ signs }) => signs.words > 0).slice(0, MOST_NEAREST);
  // No names of repositories: others may read a shared answer, and it has no sources that say whether they may.
  const scope = `the ${searchedFiles(corpus.index)}${corpus.repositories.length > 1 ? ` of ${corpus.repositories.length} repositories` : ''}`;
  return {
    title: 'Nothing found',
    sentence:
      named.length === 0
        ? `I found nothing to search for in this question. Name a function, a file or an error message.`
        : `I found nothing about ${joinWords(named)} in ${scope}.`,
    pointers: nearest.map(({ file, symbol, start, end }) =>
      pointTo(file, symbol === undefined ? '' : nameInText(symbol), start, end),
    ),
    ...(nearest.length > 0 ? { footnote: 'These come nearest by their other words.' } : {}),
    followUps: corpus.repositories.length === 0 ? [] : ['What is this repository about?', 'What changed recently?'],
    symbols: [],
    files: [],
    isRefusal: true,
  };
}
