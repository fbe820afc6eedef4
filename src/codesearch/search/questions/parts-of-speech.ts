import model from 'wink-eng-lite-web-model';
import winkNLP, { type WinkMethods } from 'wink-nlp';

let tagger: WinkMethods | undefined;

/** The universal part of speech (`NOUN`, `VERB`, `ADJ` …) of each word of a text, by the word in lower case. */
export function partsOfSpeech(text: string): Map<string, string> {
  tagger ??= winkNLP(model, ['sbd', 'pos']);
  const tokens = tagger.readDoc(text).tokens();
  const parts = tokens.out(tagger.its.pos);
  return new Map(tokens.out().map((word, at) => [word.toLowerCase(), String(parts[at])]));
}
