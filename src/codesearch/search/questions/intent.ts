/** What kind of answer a question asks for. */
export type Intent =
  | 'define'
  | 'usage'
  | 'how'
  | 'what'
  | 'why'
  | 'files'
  | 'history'
  | 'authors'
  | 'options'
  | 'tests'
  | 'about'
  | 'general';

const RULES: readonly [Intent, RegExp][] = [
  [
    'about',
    /\bwhat(?:'s| is| does| are)?\s+(?:this|the|your)\s+(?:whole\s+)?(?:repo(?:sitory)?|project|codebase|code base|package|library|app|application|program|service|software)(?:\s+(?:about|for|do|does|all about))?\s*\??$|\b(?:high[- ]level|general|quick)?\s*(?:overview|tour|summary)\s+(?:of|over|on)\s+(?:this|the|your)\s+(?:repo|project|code)|\b(?:overview|summari[sz]e|describe|explain|introduce)\b.*\b(?:this|the)\s+(?:repo(?:sitory)?|project|codebase|code base)\s*\??$|\bhow\s+is\s+(?:this|the)\s+(?:repo(?:sitory)?|project|code|codebase|code base|source)\s+(?:structured|organi[sz]ed|laid out|set up|arranged)|\b(?:folder|directory|project|repo(?:sitory)?|code)\s+(?:structure|layout|organi[sz]ation)\b|\bwhat\s+(?:languages?|tech(?:nolog(?:y|ies))?|stack)\b|\bwhere\s+(?:do|should)\s+(?:i|we)\s+(?:start|begin)\b|^(?:give|show)\s+(?:me\s+)?(?:an?\s+)?(?:overview|tour)\b/,
  ],
  ['what', /\bwhat\s+(?:does|is)\b.*\b(?:option|setting|flag|parameter|argument)\b/],
  [
    'options',
    /^(?:the )?env(?:ironment)?\s*(?:vars|variables)\s*\??$|\b(?:what|which|list|show|give|all|any|describe|how many)\s+(?:(?:me|all|are|of|the|other)\s+)*env(?:ironment)?\s*(?:vars|variables)\b/,
  ],
  [
    'authors',
    /^(?:so\s+)?who\b(?!\s+(?:calls?|uses?|invokes?|needs?|imports?|depends?|reads?)\b(?!.*\bwho\b)).*\b(?:wrote|writes|written|authored?|authors?|maintains?|owns?|contribut\w*|introduced|changed|added|works? on|worked on|knows|touched|created|implemented|built|to ask)\b|\b(?:authors?|maintainers?|contributors?|owner)\s+of\b|\bwho\s+(?:is|are)\s+the\s+(?:authors?|maintainers?|contributors?|owners?)/,
  ],
  [
    'usage',
    /^(?:and\s+|so\s+)?(?:where|when|what)\b.*\b(?:is|are|does|can|gets?|throws|raises|emits)\b.*\b(?:thrown|raised|throws?|raises?|emitted|emits?|reported|returned)\b/,
  ],
  [
    'history',
    /^since\s+(?:when|which)\b|^(?:and\s+|so\s+)?when\s+(?:was|were|did|is|has|have)\b|\bwhich\s+commits?\b|\b(?:since|in|from|with)\s+(?:which|what)\s+(?:versions?|release)\b(?! of\b)|\bwhich\s+(?:versions?|release)\b.*\b(?:add|introduc|remov|chang|fix|brought|drop|broke|first|has\b|have\b|got\b|supports?\b|contains?\b|includes?\b)|\b(?:what|which|anything)\b.*\b(?:changed|new)\b.*\b(?:recently|lately|last|latest|since)\b|\b(?:what|anything)\s+(?:has\s+)?changed\b|\b(?:recent|latest|last|newest)\s+(?:changes?|commits?|work)\b|\bhistory\s+(?:of|behind)\b|\bgit\s+(?:log|history|blame)\b|\bwhy\s+(?:was|were|did)\b|\blast\s+(?:changed|modified|updated|touched)\b|\bcommits?\b.*\b(?:about|for|that|mention\w*|touch\w*)\b/,
  ],
  [
    'tests',
    // The tests of something, and not "my tests fail" or "while the tests run".
    /^(?!.*\bwhy\b).*\b(?:which|what|any|all|some|show|list|find|name|where(?:'s| is| are| do)?|(?:is|are) there)\s+(?:(?!(?:my|our|do|does|did|happens|makes|when|while|if|say)\b)[\w`'-]+\s+){0,4}(?:tests?|specs?)\b(?!\s+(?:helpers?|utilit\w+|doubles?|fixtures?|servers?|harness|frameworks?|runners?|data|suite|environment|databases?|runs?|mode)\b)/,
  ],
  [
    'tests',
    /^(?!.*\bwhy\b).*\b(?:(?:how|where|is|are|was)\b[^,;]*\b(?:tested|covered (?:by|in)|covered\s*\??$)|how (?:do|can|should|would) (?:i|we|you) test|test coverage)\b|^(?:(?:the|its|their)\s+)?(?:unit\s+)?tests?\s*(?:\?*$|(?:for|of|that)\b)/,
  ],
  [
    'usage',
    /\b(?:what|who|which|where|list|show|find|everything|all|does anything|how (?:often|many))\b.*\b(?:calls?|call sites?|callers?|called|uses?|used|usages?|invokes?|invoked|imports?|imported|depends? on|references?|referenced|consumes?|relies on|instantiates?|instantiated|implements|extends|subclass(?:es)?)\b|\b(?:usages?|callers?|call sites?|users|references)\s+(?:of|to|for)\b/,
  ],
  [
    'options',
    /\b(?:what|which|list|show|all|any|are there|describe)\s+(?:(?!happens?\b|do\s+i\b|in\b)[\w`'-]+\s+){0,5}(?:(?:option|setting|flag|parameter)s?\s+(?:is|are)\s+there|options|settings|config(?:uration)?s?(?!\s+files?)|flags|parameters|params|arguments|defaults|default (?:values?|options?|settings?))\b|\bhow\s+(?:do|can|to|does|is|are)\b.*\bconfigur(?:e[ds]?|able|ing)\b/,
  ],
  [
    'files',
    /^(?:which|what|list|show|find|name)\b(?:\s+me)?(?:\s+all)?(?:\s+of)?(?:\s+the)?\s+(?:source\s+)?(?:files?|modules?|classes|components?|folders?|directories|packages?|places|scripts?|migrations?|endpoints?|routes?)\b|(?<!\bout\s)\b(?:which|what)\s+files?\b/,
  ],
  [
    'files',
    /^(?:list|enumerate)\b|^(?:which|what)\s+(?!happens\b)(?:kinds?\s+of\s+)?(?:[\w-]+\s+){1,4}(?:are\s+there|exist|can\s+be|do\s+we\s+have|are\s+(?:defined|supported|available))\b/,
  ],
  ['why', /(?:^(?:and\s+|but\s+|so\s+)?|,\s+)(?:why|what(?:'s| is| was)\s+the\s+(?:reason|rationale|motivation))\b/],
  [
    'define',
    /\bwhere(?:'s|\s+is|\s+are|\s+can|\s+do|\s+does|\s+in|\s+exactly|\s+would|\s+should)?\b|\b(?:definition|declaration|implementation|source)\s+of\b|\b(?:defined|declared|implemented|located)\b/,
  ],
  ['how', /\bhow\b|\b(?:walk|talk)\s+me\s+through\b|\bwhat\s+happens\b|\bexplain\b|\bdescribe\b|\bsteps?\b/],
  ['what', /\bwhat(?:'s|\s+is|\s+are|\s+does|\s+do)?\b|\bpurpose\s+of\b|\bmeaning\s+of\b|\btell\s+me\s+about\b/],
];

/** The beginning of a question shows its intent; the rules are too slow for long texts. */
const LONGEST_JUDGED = 600;

const INTENTS: readonly Intent[] = [...RULES.map(([intent]) => intent), 'general'];

/** Reads a stored intent. */
export function asIntent(text: string): Intent {
  return INTENTS.find((intent) => intent === text) ?? 'general';
}

/** Finds the intent by common forms of questions, most specific first. */
export function intentOf(text: string): Intent {
  const plain = text
    .slice(0, LONGEST_JUDGED)
    .toLowerCase()
    // What is quoted, and names that are not words, say nothing about the kind of question.
    .replace(/`[^`]*`|"[^"]*"|“[^”]*”|(?<!\S)--?[a-z][\w-]*|(?<!\S)[\w@/-]+[._/][\w./_-]*\w/g, ' x ')
    .replace(/[’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:(?:and|but|so|or|ok|okay|also|then|hi|hey|hello|please)\b[\s,]*)+/, '');
  return RULES.find(([, form]) => form.test(plain))?.[0] ?? 'general';
}
