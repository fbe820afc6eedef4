import { withoutEmoji } from './intents.ts';

/** Words of thanks, in English and German. An entry of {@link reasons} may follow each. */
export const thanks = [
  'thanks',
  'thank you',
  'thank u',
  'many thanks',
  'big thanks',
  'thx',
  'thnx',
  'tx',
  'ty',
  'tysm',
  'tyvm',
  'cheers',
  'kudos',
  'danke',
  'danke dir',
  'danke euch',
  'danke ihnen',
  'danke schön',
  'danke schoen',
  'dankeschön',
  'dankeschoen',
  'danke sehr',
  'dankesehr',
  'danke vielmals',
  'ich danke dir',
  'vielen dank',
  'vielen lieben dank',
  'lieben dank',
  'herzlichen dank',
  'besten dank',
  'tausend dank',
  'merci',
];

/** What thanks may be for. */
export const reasons = [
  'for that',
  'for this',
  'for the answer',
  'for the quick answer',
  'for the help',
  'for your help',
  'for the info',
  'for checking',
  'for looking',
  'dafür',
  'dafuer',
  'für die hilfe',
  'für die antwort',
  'für die schnelle antwort',
  'für die info',
  'für deine hilfe',
];

/**
 * Words that only say that something was read, liked or done. Leaves out "yes", "no", "please" and "more", which may
 * reply to a question in the answer.
 */
export const acknowledgments = [
  '+1',
  '-1',
  '+100',
  '++',
  'ok',
  'okay',
  'ok then',
  'okay then',
  'okey',
  'okey dokey',
  'oki',
  'k',
  'kk',
  'alright',
  'all right',
  'all good',
  'all set',
  'all clear',
  'got it',
  'gotcha',
  'i see',
  'i got it',
  'understood',
  'noted',
  'roger',
  'copy that',
  'makes sense',
  'sounds good',
  'looks good',
  'looks good to me',
  'lgtm',
  'sgtm',
  'works for me',
  'wfm',
  'that works',
  'it works',
  'that helps',
  'that helped',
  'this helps',
  'this helped',
  'helpful',
  'will do',
  'good to know',
  'good job',
  'great job',
  'nice job',
  'good work',
  'great work',
  'nice work',
  'well done',
  'nice one',
  'good bot',
  'good',
  'great',
  'nice',
  'cool',
  'neat',
  'sweet',
  'perfect',
  'awesome',
  'excellent',
  'amazing',
  'brilliant',
  'wonderful',
  'fantastic',
  'lovely',
  'impressive',
  'super',
  'exactly',
  'agreed',
  'indeed',
  'fair enough',
  'much appreciated',
  'appreciated',
  'appreciate it',
  'i appreciate it',
  'no worries',
  'no problem',
  'np',
  'never mind',
  'nevermind',
  'nvm',
  'youre welcome',
  'you are welcome',
  'yw',
  'my pleasure',
  'thats all',
  'thats it',
  'wow',
  'whoa',
  'yay',
  'ah',
  'aha',
  'oh',
  'haha',
  'hehe',
  'lol',
  'alles klar',
  'alles gut',
  'klar',
  'verstanden',
  'verstehe',
  'achso',
  'ach so',
  'passt',
  'passt so',
  'passt schon',
  'klingt gut',
  'sieht gut aus',
  'ergibt sinn',
  'macht sinn',
  'notiert',
  'gut',
  'gut zu wissen',
  'gut gemacht',
  'gute arbeit',
  'schön',
  'prima',
  'toll',
  'klasse',
  'spitze',
  'perfekt',
  'genial',
  'mega',
  'top',
  'stark',
  'wunderbar',
  'ausgezeichnet',
  'hervorragend',
  'hilfreich',
  'das hilft',
  'das hilft mir',
  'hat geholfen',
  'das hat geholfen',
  'das funktioniert',
  'das passt',
  'das stimmt',
  'funktioniert',
  'genau',
  'stimmt',
  'gern geschehen',
  'gerne geschehen',
  'kein problem',
  'keine ursache',
  'schon gut',
  'das wars',
  'das war alles',
];

/** Words that only greet, or try whether the app is there. */
export const greetings = [
  'hi',
  'hi hi',
  'hello',
  'hello world',
  'hey',
  'heya',
  'hiya',
  'hej',
  'howdy',
  'yo',
  'ahoy',
  'aloha',
  'greetings',
  'good morning',
  'good afternoon',
  'good evening',
  'good day',
  'morning',
  'whats up',
  'sup',
  'how are you',
  'how are you doing',
  'hows it going',
  'anyone there',
  'anybody there',
  'anyone here',
  'are you there',
  'you there',
  'are you here',
  'are you awake',
  'are you alive',
  'are you online',
  'is this on',
  'ping',
  'test',
  'testing',
  'test test',
  'testing 1 2 3',
  'test 1 2 3',
  'test 123',
  'just testing',
  'just a test',
  'this is a test',
  'hallo',
  'hallöchen',
  'moin',
  'moin moin',
  'moinsen',
  'servus',
  'grüezi',
  'grüß gott',
  'gruess gott',
  'grüß dich',
  'guten morgen',
  'guten tag',
  'guten abend',
  'mahlzeit',
  'tach',
  'wie gehts',
  'wie geht es dir',
  'tschüss',
  'tschüs',
  'ciao',
  'bist du da',
  'bist du wach',
  'jemand da',
  'ist jemand da',
  'nur ein test',
  'bonjour',
  'bonsoir',
  'salut',
  'hola',
  'buenos días',
  'buenos dias',
  'buongiorno',
  'olá',
  'ola',
  'namaste',
];

/** Words that may accompany the words above. They ask nothing, but do not count as a courtesy alone. */
export const companions = [
  'very',
  'very much',
  'so much',
  'really',
  'super',
  'a lot',
  'a ton',
  'a million',
  'a bunch',
  'again',
  'this is',
  'that is',
  'thats',
  'its',
  'that',
  'all',
  'everyone',
  'everybody',
  'both',
  'team',
  'folks',
  'guys',
  'there',
  'bot',
  'deep search',
  'deepsearch',
  'zusammen',
  'sehr',
  'so weit',
  'echt',
  'wirklich',
  'richtig',
  'nochmal',
  'nochmals',
  'noch mal',
  'das ist',
  'dir',
  'euch',
  'ihnen',
  'allen',
  'an alle',
  'allerseits',
  'leute',
];

/** Words that announce more text. A text that ends with one is not finished, for example "ok, and". */
export const joining = ['and', 'so', 'und'];

const courtesies = new Set([
  ...thanks,
  ...thanks.flatMap((words) => reasons.map((reason) => `${words} ${reason}`)),
  ...acknowledgments,
]);
const fillers = new Set([...companions, ...joining]);

/** Most characters of a courtesy. A longer text is a question. */
const longestCourtesy = 300;

const greetingsAlone = new Set(greetings);
const greetingsOrCourtesies = new Set([...courtesies, ...greetings]);

/** Most words of one entry in the lists above. */
const longestEntry = Math.max(...[...greetingsOrCourtesies, ...fillers].map((entry) => entry.split(' ').length));

/** Emoticons like `:)`, `;-)`, `:D`, `<3` and `xD`, at the end of a word. */
const emoticon = /(?:[:;=]['’]?-?[()dp3*/\\]|<3|(?<![\p{L}\p{N}])xd)(?![\p{L}\p{N}])/giu;

/** All characters that a courtesy may contain. Any other, above all a question mark, makes the text a question. */
const plainMarks = /^[\p{L}\p{M}\p{N}\s.,;:!…~+\-–—'’"“”„*_^&]*$/u;

/**
 * Whether a text asks nothing: only thanks, words like "ok" and "got it", emoji or marks, in English and German. Any
 * other word makes it a question. `text` is plain and contains no names of people.
 */
export function asksNothing(text: string): boolean {
  if (text.length > longestCourtesy) return false;
  const bare = withoutPictures(text);
  if (!plainMarks.test(bare)) return false;
  const words = wordsOf(bare);
  return words.length === 0 || isMadeOf(courtesies, words);
}

/**
 * Whether a text only greets or tries whether the app is there: "hello", "ping?", "???". Here a question mark makes no question.
 * `text` is plain and contains no names of people.
 */
export function isGreeting(text: string): boolean {
  if (text.length > longestCourtesy) return false;
  const bare = withoutPictures(text);
  const words = wordsOf(bare);
  if (words.length === 0) return true;
  return plainMarks.test(bare.replace(/[?？]/g, ' ')) && isMadeOf(greetingsOrCourtesies, words, greetingsAlone);
}

function withoutPictures(text: string): string {
  return withoutEmoji(text).replace(emoticon, ' ');
}

function wordsOf(bare: string): string[] {
  return bare.toLowerCase().replace(/['’]/g, '').match(wordPattern) ?? [];
}

/** A word, or a vote like `+1`. */
const wordPattern = /(?<![\p{L}\p{N}])[+-]\d+|\+\+|[\p{L}\p{M}\p{N}]+/gu;

/** Whether the words are a sequence of entries and fillers, with at least one entry of `needed`. */
function isMadeOf(entries: ReadonlySet<string>, words: readonly string[], needed = entries): boolean {
  if (joining.includes(words.at(-1) ?? '')) return false;
  let hasEntry = false;
  for (let from = 0; from < words.length; ) {
    const entry = longestEntryAt(entries, words, from);
    if (entry === undefined) return false;
    hasEntry ||= needed.has(entry);
    from += entry.split(' ').length;
  }
  return hasEntry;
}

function longestEntryAt(entries: ReadonlySet<string>, words: readonly string[], from: number): string | undefined {
  for (let length = Math.min(longestEntry, words.length - from); length > 0; length -= 1) {
    const entry = words.slice(from, from + length).join(' ');
    if (entries.has(entry) || fillers.has(entry)) return entry;
  }
  return undefined;
}
