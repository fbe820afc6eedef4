/** Frequent words that English does not have, of languages that people in engineering teams write. */
const FOREIGN = new Set(
  (
    'der die das und ist nicht wie wo wird werden ich wir kann man ein eine einen mit für auf von zu den dem welche welcher gibt warum wer hat mache funktioniert ' +
    'le la les des une est pas comment où pourquoi quel quelle quels quelles qui dans pour avec sur je nous peut faire du sont cette ce fait ' +
    'el los las una es como cómo dónde donde qué por cuál cuáles quién para con puedo se hace hacer están está son del cuando ' +
    'il lo gli che come dove perché quale chi nel della sono posso si fa ' +
    'o os um uma não como onde por quê quem em são posso faz qual da do das dos ' +
    'de het een hoe waar waarom wie niet wordt zijn kan ik wij welke voor van met op'
  ).split(' '),
);
const ENGLISH = new Set(
  'the is are was were do does did how what where who why when which can to of in for and with on it this that i we you my our by from not should would has have be'.split(
    ' ',
  ),
);
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Greek}]/gu;

/** Whether most of a question is not English, by its script or its small words. Names and quoted texts say nothing. */
export function isForeign(text: string): boolean {
  const plain = text.slice(0, 2_000).replace(/`[^`]*`|"[^"]*"|“[^”]*”|https?:\/\/\S+|\S*[._/(]\S*\w\S*/g, ' ');
  const letters = plain.match(/\p{L}/gu)?.length ?? 0;
  if ((plain.match(OTHER_SCRIPT)?.length ?? 0) > letters / 3) return letters > 0;
  const words = plain.toLowerCase().match(/\p{L}+/gu) ?? [];
  const foreign = words.filter((word) => FOREIGN.has(word)).length;
  const english = words.filter((word) => ENGLISH.has(word)).length;
  return foreign >= 2 && foreign > english && foreign >= words.length / 6;
}
