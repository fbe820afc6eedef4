/** What kind of answer a question asks for; each has a route. */
export type Kind =
  | 'smalltalk'
  | 'about'
  | 'howTo'
  | 'callers'
  | 'who'
  | 'history'
  | 'option'
  | 'tests'
  | 'list'
  | 'why'
  | 'where'
  | 'explain';

const PROJECT =
  '(?:repo(?:sitory)?|project|codebase|code base|package|library|lib|app|application|program|service|tool|software)';

/** Common forms of questions, the most specific first. */
const FORMS: readonly [Kind, RegExp][] = [
  [
    'about',
    new RegExp(
      `\\bwhat(?:'s| is| does| are)?\\s+(?:this|the|your)\\s+(?:whole\\s+)?${PROJECT}(?:\\s+(?:about|for|do|does|all about))*\\s*\\??$|\\b(?:overview|tour|summary)\\s+(?:of|over)\\s+(?:this|the|your)\\s+(?:${PROJECT}|code)|\\b(?:summari[sz]e|describe|explain|introduce)\\s+(?:this|the)\\s+${PROJECT}\\s*\\??$|\\bhow\\s+is\\s+(?:this|the)\\s+(?:${PROJECT}|code|source)\\s+(?:structured|organi[sz]ed|laid out|set up|arranged)|\\b(?:folder|directory|project|repo(?:sitory)?|code)\\s+(?:structure|layout|organi[sz]ation)\\b|\\bwhat\\s+(?:languages?|tech(?:nolog(?:y|ies))?|stack)\\b|\\bwhere\\s+(?:do|should)\\s+(?:i|we)\\s+(?:start|begin)\\b(?!.*\\bto\\b.*\\b(?:add|change)\\b)|^(?:give|show)\\s+(?:me\\s+)?(?:an?\\s+)?(?:overview|tour)\\b`,
    ),
  ],
  [
    'who',
    /\bwho\b(?!\s+(?:calls?|uses?|invokes?|needs?|imports?|depends?|reads?)\b(?!.*\bwho\b)).*\b(?:wrote|writes?|written|authored?|authors?|maintains?|maintainers?|owns?|contribut\w*|introduced|changed|added|works? on|working on|worked on|knows?|touched|created|implemented|built|ask|experts?|responsible|fixed|did|commits?|committed)\b|\b(?:authors?|maintainers?|contributors?|owner)\s+of\b|\b(?:top|main|most active)\s+(?:authors?|maintainers?|contributors?|committers?)\b/,
  ],
  ['option', /\b(?:what|which|list|show|any|all|how many)\b.*\benv(?:ironment)?\s*(?:vars|variables)\b/],
  [
    'callers',
    /\b(?:what|who|which|where|list|show|find|everything|all|does any(?:thing|one)|how (?:often|many))\b.*\b(?:calls?|call sites?|callers?|called|uses?|used|usages?|invokes?|invoked|imports?|imported|depends? on|references?|referenced|consumes?|instantiates?|instantiated)\b|\b(?:usages?|callers?|call sites?|users|references)\s+(?:of|to|for)\b|^(?:where|when|what)\b.*\b(?:is|are|does|can|gets?)\b.*\b(?:thrown|raised|throws?|raises?|emitted|emits?)\b/,
  ],
  [
    'history',
    /^since\s+(?:when|which)\b|\bsince\s+when\b|^when\s+(?:was|were|did|is|has|have)\b.*\b(?:add\w*|introduc\w*|remov\w*|chang\w*|fix\w*|creat\w*|delet\w*|drop\w*|deprecat\w*|renam\w*|replac\w*|mov\w*|start\w*|begin|releas\w*|updat\w*|modif\w*|touch\w*|broke\w*|appear\w*|switch\w*|support\w*|get|come|land\w*|merg\w*|happen\w*|rewrit\w*|bec[ao]me|born)\b|\bwhich\s+commits?\b|\b(?:since|in|from|with)\s+(?:which|what)\s+(?:versions?|release)\b|\bwhich\s+(?:versions?|release)\b.*\b(?:add\w*|introduc\w*|remov\w*|chang\w*|fix\w*|brought|drop\w*|broke|first)\b|\b(?:what|which|anything)\b.*\b(?:changed|new)\b.*\b(?:recently|lately|last|latest|since)\b|\b(?:what|anything)\s+(?:has\s+|have\s+)?changed\b|\b(?:recent|latest|last|newest)\s+(?:changes?|commits?|work|release)\b|\bhistory\s+(?:of|behind)\b|\bgit\s+(?:log|history|blame)\b|\bwhy\s+(?:was|were|did)\b|\blast\s+(?:changed|modified|updated|touched)\b|\bcommits?\b.*\b(?:about|for|that|mention\w*|touch\w*)\b/,
  ],
  [
    'tests',
    /^(?!.*\bwhy\b).*\b(?:which|what|any|all|some|show|list|find|where(?:'s| is| are| do)?|(?:is|are) there)\s+(?:(?!(?:my|our|do|does|did|happens|makes|when|while|if|say|command)\b)[\w`'-]+\s+){0,4}(?:tests?|specs?)\b(?!\s+(?:helpers?|utilit\w+|servers?|harness|frameworks?|runners?|data|suite|environment|mode|command|run|locally)\b)|^(?!.*\bwhy\b)(?:how|where|is|are|was)\b[^,;]*\b(?:tested|covered (?:by|in)|covered\s*\??$)|\btest coverage\b|^(?:the\s+)?(?:unit\s+)?tests?\s+(?:for|of|that)\b/,
  ],
  [
    'howTo',
    /\bhow\s+(?:do|can|should|would|could|must)\s+(?:i|we|you|one|people|someone)\b|\bhow\s+to\b|\b(?:command|commands|steps?|instructions?|way)\s+(?:to|for)\b|^(?:running|building|installing|testing|releasing|contributing)\b|\bwhat\s+do\s+(?:i|we)\s+(?:need|have)\s+to\b|^(?:can|could)\s+(?:i|we|you)\b|\bis\s+(?:it|there)\s+(?:possible|a way)\b/,
  ],
  [
    'option',
    /\bdefaults?\b|\b(?:which|what|minimum|min|oldest|supported|required|latest)\s+(?:\w+\s+){0,3}versions?\b|\bversions?\s+(?:of\s+\w+\s+)?(?:are|is|do|does)\b|\b(?:what|which|list|show|all|any|are there)\s+(?:(?!happens?\b|do\s+i\b|in\b)[\w`'-]+\s+){0,4}(?:options?|settings?|config(?:uration)?s?|flags?|parameters?|params|arguments|switch(?:es)?|env(?:ironment)?\s*(?:vars?|variables?))\b|\bhow\s+(?:long|many|much|large|big|high|often|deep)\b|\bwhat(?:'s| is)\s+the\s+(?:max\w*|min\w*|limit|timeout|size|port|value|licen[sc]e)\b|\b(?:max\w*|min\w*)\s+(?:number|size|length|amount)\b|\blicen[sc]ed?\b|\bconfigurable\b/,
  ],
  [
    'list',
    /^(?:which|what|list|show|find|name|enumerate)\b(?:\s+me)?(?:\s+all)?(?:\s+of)?(?:\s+the)?\s+(?:[\w-]+\s+){0,2}(?:files?|modules?|classes|components?|folders?|directories|packages?|places|scripts?|migrations?|endpoints?|routes?|exceptions?|errors?|middlewares?|commands?|types|interfaces|functions|methods|subclasses)\b|^(?:list|enumerate)\b|^(?:which|what)\s+(?!happens\b)(?:kinds?\s+of\s+)?(?:[\w-]+\s+){1,4}(?:are\s+there|exist|do\s+we\s+have|are\s+(?:defined|supported|available))\b/,
  ],
  ['why', /(?:^|,\s+|\bbut\s+)(?:why|what(?:'s| is| was)\s+the\s+(?:reason|rationale|motivation))\b/],
  [
    'where',
    /\bwhere\b|\b(?:definition|declaration|implementation|source)\s+of\b|\b(?:defined|declared|implemented|located)\b|\b(?:which|what)\s+(?:file|function|class|method|code|part|place|module)\b/,
  ],
];

/** The beginning of a question shows its kind; the forms are too slow for long texts. */
const LONGEST_JUDGED = 600;
const KINDS: readonly Kind[] = ['smalltalk', ...FORMS.map(([kind]) => kind), 'explain'];

/** Reads a stored kind. */
export function asKind(text: string): Kind {
  return KINDS.find((kind) => kind === text) ?? 'explain';
}

/** Finds the kind by common forms of questions. */
export function kindOf(text: string): Kind {
  if (isSmalltalk(text)) return 'smalltalk';
  const plain = text
    .slice(0, LONGEST_JUDGED)
    .toLowerCase()
    // What is quoted, and names that are not words, say nothing about the kind of question.
    .replace(/`[^`]*`|"[^"]*"|“[^”]*”|(?<!\S)--?[a-z][\w-]*|(?<!\S)[\w@/-]+[._/][\w./_-]*\w/g, ' x ')
    .replace(/’/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(
      /^(?:(?:and|but|so|or|ok|okay|also|then|hi|hey|hello|please|pls|quick question|question|guys|folks|all|team)\b[\s,:!-]*)+/,
      '',
    )
    .replace(
      /^(?:(?:does|do)\s+(?:anyone|anybody|someone|you)\s+know|(?:can|could)\s+(?:you|anyone|someone)\s+(?:please\s+)?(?:tell me|explain|show me|check|find))\s+/,
      '',
    );
  return FORMS.find(([, form]) => form.test(plain))?.[0] ?? 'explain';
}

const GREETINGS = new Set(
  'hi hello hey hiya yo thanks thank thx ty cheers bye goodbye morning evening ok okay cool great nice awesome perfect lol haha ping sorry welcome'.split(
    ' ',
  ),
);
const SMALL_WORDS = new Set(
  'you so very much a lot for the that this it is was it’s its good job work bot there all everyone team again now got me my i am are how doing who what can do really well done yes no day night afternoon help one works worked'.split(
    ' ',
  ),
);

/** A greeting or thanks, and questions about the bot itself: nothing to search for. */
function isSmalltalk(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
  if (words.length > 12) return false;
  if (
    /^(?:who are you|what are you|what can you do|how are you(?: doing)?|are you (?:there|a bot|human|real|ok))\b[\s?!.]*$/i.test(
      text.trim(),
    )
  )
    return true;
  if (words.length === 0) return text.length < 20 && /\p{Extended_Pictographic}/u.test(text);
  return (
    words.some((word) => GREETINGS.has(word)) && words.every((word) => GREETINGS.has(word) || SMALL_WORDS.has(word))
  );
}
