/**
 * Hides credentials in texts of the service before anything is stored or posted.
 *
 * The formats are those of the rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, 8.30): those whose
 * tokens can be told by their form, and the generic rule for quoted values of a name like `api_key`. What differs, and why
 * secretlint was not taken, stands in docs/decisions/0041-credentials-in-answers.md.
 *
 * Every pattern takes linear time: it begins at an edge, and its repetitions are bounded.
 */
interface Rule {
  /** What people read: "[hidden: AWS key]". */
  name: string;
  /** Every match contains one of these, in upper or lower case. A search for them is much faster than the pattern. */
  hints: readonly string[];
  /** Finds the credential. If it has a group `hidden`, only that group is hidden, otherwise the whole match. */
  pattern: RegExp;
  /** For values that prove little by their form: whether this one is random. */
  isRandom?: boolean;
}

const RULES: readonly Rule[] = [
  rule(
    'AWS key',
    ['akia', 'asia', 'abia', 'acca', 'a3t'],
    /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  ),
  rule(
    'AWS key',
    ['secret'],
    /secret_?(?:access_?)?key["'`]?\s{0,5}(?::=|=>|[:=])\s{0,5}["'`]?(?<hidden>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi,
  ),
  rule(
    'GitHub token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{36,255})/g,
  ),
  rule('GitLab token', ['gr1348941'], /(?<!\w)GR1348941[\w-]{20,60}/g),
  rule('GitLab token', ['gl'], /(?<!\w)gl(?:pat|dt|rt|cbt|oas|soat|ft|imt|agent|ptt|ffct|rtr)-[\w.=-]{20,300}/g),
  rule('Slack token', ['xox', 'xapp-'], /(?<!\w)(?:xox[abdeoprs](?:\.xox[bp])?|xapp)-\d[\w-]{10,300}/gi),
  rule(
    'Slack webhook',
    ['hooks.slack.com'],
    /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+-]{30,120}/g,
  ),
  rule(
    'OpenAI key',
    ['sk-'],
    /(?<![\w-])sk-(?:(?:proj|svcacct|admin)-[\w-]{40,250}|[A-Za-z0-9]{48}(?![\w-])|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/g,
  ),
  rule('Anthropic key', ['sk-ant-'], /(?<![\w-])sk-ant-[a-z0-9]{3,12}-[\w-]{60,250}/g),
  rule('OpenRouter key', ['sk-or-'], /(?<![\w-])sk-or-v1-[0-9a-f]{64}/g),
  rule('Google key', ['aiza'], /(?<![\w-])AIza[\w-]{35}(?![\w-])/g),
  rule('Google token', ['ya29.', 'gocspx-'], /(?<![\w-])(?:ya29\.[\w-]{30,500}|GOCSPX-[\w-]{28})/g),
  rule(
    'Stripe key',
    ['_live_', '_test_', '_prod_', 'whsec_'],
    /(?<!\w)(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/]{24,100}={0,2})/g,
  ),
  rule('npm token', ['npm_'], /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/g),
  rule('PyPI token', ['pypi-'], /(?<![\w-])pypi-AgEI[\w-]{50,1000}/g),
  rule('RubyGems key', ['rubygems_'], /(?<!\w)rubygems_[a-f0-9]{48}/g),
  rule('SendGrid key', ['sg.'], /(?<![\w.-])SG\.[\w-]{16,32}\.[\w-]{32,64}(?![\w-])/g),
  rule('Twilio key', ['sk'], /(?<!\w)SK[0-9a-f]{32}(?!\w)/g),
  rule('Shopify token', ['shp'], /(?<!\w)shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g),
  rule(
    'Sourcegraph token',
    ['sgp_', 'slk_'],
    /(?<!\w)(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64})(?!\w)/g,
  ),
  rule('Hugging Face token', ['hf_'], /(?<!\w)hf_[A-Za-z0-9]{34}(?!\w)/g),
  rule('DigitalOcean token', ['_v1_'], /(?<!\w)do[opr]_v1_[a-f0-9]{64}/g),
  rule('Linear key', ['lin_'], /(?<!\w)lin_(?:api|oauth)_[A-Za-z0-9]{32,64}/g),
  rule('Notion token', ['ntn_', 'secret_'], /(?<!\w)(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})(?!\w)/g),
  rule('Databricks token', ['dapi'], /(?<!\w)dapi[a-f0-9]{32}(?:-\d)?(?!\w)/g),
  rule(
    'Grafana token',
    ['glsa_', 'glc_'],
    /(?<!\w)(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})/g,
  ),
  rule('Vault token', ['hvs.', 'hvb.'], /(?<![\w.])hv[sb]\.[\w-]{24,400}/g),
  rule('Terraform token', ['.atlasv1.'], /(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g),
  rule('Azure secret', ['q~'], /(?<![\w.~-])[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/g),
  rule('Alibaba key', ['ltai'], /(?<!\w)LTAI[A-Za-z0-9]{20}(?!\w)/g),
  rule('Airtable token', ['pat'], /(?<!\w)pat[A-Za-z0-9]{14}\.[a-f0-9]{64}(?!\w)/g),
  rule('Artifactory token', ['akcp', 'cmvmd'], /(?<!\w)(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})(?!\w)/g),
  rule('Doppler token', ['dp.'], /(?<![\w.])dp\.(?:pt|st|ct|sa)\.[\w.-]{40,80}/g),
  rule('Dynatrace token', ['dt0c01.'], /(?<!\w)dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}/gi),
  rule('Fly token', ['fo1_', 'fm1', 'fm2_'], /(?<!\w)(?:fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,1000}={0,3})/g),
  rule('Heroku key', ['hrku-aa'], /(?<!\w)HRKU-AA[\w-]{58}/g),
  rule('PlanetScale token', ['pscale_'], /(?<!\w)pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/gi),
  rule('Pulumi token', ['pul-'], /(?<!\w)pul-[a-f0-9]{40}(?!\w)/g),
  rule('Docker token', ['dckr_'], /(?<!\w)dckr_[po]at_[\w-]{27,32}/g),
  rule('Figma token', ['figd_'], /(?<!\w)figd_[\w-]{40}/g),
  rule('Postman key', ['pmak-'], /(?<!\w)PMAK-[a-f0-9]{24}-[a-f0-9]{34}/gi),
  rule('Atlassian token', ['atatt3'], /(?<!\w)ATATT3[\w=-]{150,250}/g),
  rule('Mailgun key', ['key-'], /(?<![\w-])key-[0-9a-f]{32}(?!\w)/g),
  rule('Telegram token', [':aa'], /(?<!\w)(?:bot)?(?<hidden>\d{8,10}:AA[\w-]{32,34})(?![\w-])/g),
  rule(
    'Discord webhook',
    ['/api/webhooks/'],
    /https:\/\/(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{10,30}\/[\w-]{40,100}/g,
  ),
  rule(
    'Teams webhook',
    ['.webhook.office.com'],
    /https:\/\/[\w-]{1,60}\.webhook\.office\.com\/webhookb2\/[\w@/-]{60,300}/g,
  ),
  rule(
    'private key',
    ['ls0tls1crudjt'],
    /LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFURSBLRVkt|BFQyBQUklWQVRFIEtFWS|BQUklWQVRFIEtFWS|BPUEVOU1NIIFBSSVZBVEUgS0VZ)[A-Za-z0-9+/=]{20,20000}/g,
  ),
  rule(
    'password',
    ['curl'],
    /(?<!\w)curl\b[^\n|;]{0,300}?\s(?:-u|--user)[\s=]{0,3}["']?[^\s:"'$]{1,60}:(?<hidden>[^\s"'$<>{[]{4,200})/g,
  ),
  rule(
    'password',
    ['password=', 'pwd='],
    /(?<=\w=[^;=\n]{0,100};\s{0,3})(?:Password|PASSWORD|Pwd|PWD)=(?<hidden>[^\s;"'`<>{}$%]{4,200})(?=[;"'`])/g,
  ),
  rule('New Relic key', ['nrak-'], /(?<!\w)NRAK-[A-Z0-9]{27}/gi),
  rule('Sentry token', ['sntry'], /(?<!\w)(?:sntrys_eyJ[\w+/=]{60,400}|sntryu_[a-f0-9]{64})/g),
  rule('Groq key', ['gsk_'], /(?<!\w)gsk_[A-Za-z0-9]{52}/g),
  rule('Perplexity key', ['pplx-'], /(?<!\w)pplx-[A-Za-z0-9]{48}/g),
  rule('1Password token', ['ops_eyj'], /(?<!\w)ops_eyJ[\w+/-]{100,1500}={0,3}/g),
  rule('age key', ['age-secret-key-1'], /(?<!\w)AGE-SECRET-KEY-1[0-9A-Z]{58}/g),
  rule('Tailscale key', ['tskey-'], /(?<!\w)tskey-[a-z]{2,10}-[\w-]{16,80}/g),
  rule(
    'Azure key',
    ['accountkey=', 'sharedaccesskey='],
    /(?:AccountKey|SharedAccessKey)=(?<hidden>[A-Za-z0-9+/]{42,88}={0,2})/gi,
  ),
  rule('token', ['eyj'], /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,4000}/g),
  rule(
    'password',
    ['://'],
    /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'`<>|]{0,100}:(?<hidden>[^\s@/"'`<>|[\]{}$]{3,200})(?=@[\w[])/gi,
  ),
  {
    ...rule(
      'secret',
      ['key', 'token', 'secret', 'passw', 'pwd'],
      /(?:api_?key|secret|token|passw(?:or)?d|pwd|access_?key|auth_?key|private_?key)["'`\]]{0,2}\s{0,3}(?::=|=>|[:=])\s{0,3}["'`](?<hidden>[A-Za-z0-9+/=_.~-]{16,200})["'`]/gi,
    ),
    isRandom: true,
  },
  {
    ...rule(
      'secret',
      ['key', 'token', 'secret', 'passw', 'pwd'],
      /(?:API_?KEY|SECRET|TOKEN|PASSW(?:OR)?D|PWD|ACCESS_?KEY|AUTH_?KEY|PRIVATE_?KEY)=(?<hidden>[A-Za-z0-9+/=_.~-]{16,200})(?![\w(])/g,
    ),
    isRandom: true,
  },
  // The whole value of a line in YAML and properties, or of an element in XML. Names and paths have other characters.
  {
    ...rule(
      'secret',
      ['key', 'token', 'secret', 'passw', 'pwd'],
      /(?:api_?key|secret|token|passw(?:or)?d|pwd|access_?key|auth_?key|private_?key)(?:\s{0,3}[:=]\s{0,3}|>)(?<hidden>[A-Za-z0-9+=_~]{16,200})(?=[^\S\n]{0,9}(?:$|[\r<#]))/gim,
    ),
    isRandom: true,
  },
  // Addresses and headers.
  {
    ...rule(
      'secret',
      ['token=', 'key=', 'sig', 'secret=', 'password='],
      /[?&](?:amp;)?(?:[\w-]{0,20}(?:token|api_?key|secret|password|signature)|key|sig)=(?<hidden>[A-Za-z0-9+/=_.~%-]{16,500})/gi,
    ),
    isRandom: true,
  },
  {
    ...rule(
      'secret',
      ['authorization', 'x-'],
      /(?<!\w)(?:authorization|x-[\w-]{0,20}(?:key|token|secret))["'`]?\s{0,3}[:=,]\s{0,3}["'`]?(?:(?:basic|bearer|token)\s{1,3})?(?<hidden>[A-Za-z0-9+/=_.~-]{16,500})/gi,
    ),
    isRandom: true,
  },
];

function rule(name: string, hints: readonly string[], pattern: RegExp): Rule {
  return { name, hints, pattern };
}

/**
 * Replaces each credential by "[hidden: <kind>]". Placeholders and examples of documentation stay. 100,000 characters take
 * some milliseconds.
 */
export function hideCredentials(text: string): string {
  const shown = hidePrivateKeys(text);
  const lower = shown.toLowerCase();
  let result = shown;
  for (const { name, hints, pattern, isRandom = false } of RULES) {
    if (!hints.some((hint) => lower.includes(hint))) continue;
    result = result.replace(pattern, (match: string, ...more: unknown[]) => {
      const groups = more.at(-1);
      const hidden = hiddenGroup(groups) ?? match;
      if (isPlaceholder(hidden) || (isRandom && !looksRandom(hidden))) return match;
      const at = more.findLast((each) => typeof each === 'number') ?? 0;
      const start = match.lastIndexOf(hidden);
      return match.slice(0, start) + mask(name, result, at + start) + match.slice(start + hidden.length);
    });
  }
  return result;
}

function hiddenGroup(groups: unknown): string | undefined {
  return typeof groups === 'object' && groups !== null && 'hidden' in groups && typeof groups.hidden === 'string'
    ? groups.hidden
    : undefined;
}

/** How far before a credential a link's address may begin. */
const LONGEST_ADDRESS = 2_000;

/** A space would end the address of a Markdown link, and the link has to stay. */
function mask(name: string, text: string, at: number): string {
  const [word = ''] = /\S*$/.exec(text.slice(Math.max(0, at - LONGEST_ADDRESS), at)) ?? [];
  const hidden = `[hidden: ${name}]`;
  return /\]\([^)]*$/.test(word) ? hidden.replaceAll(' ', '-') : hidden;
}

const PLACEHOLDER =
  /example|placeholder|changeme|change_me|redacted|dummy|your[_-]|xxxx|\.\.\.|\*\*\*|^(?:pass(?:word)?|passwd|pwd|secret|token|user|pw|p)$/i;

/** A credential has many different characters. `ghp_xxxxxxxx…`, `AKIAIOSFODNN7EXAMPLE` and `user:password@` are no secrets. */
function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || (text.length >= 16 && new Set(text.slice(-16)).size <= 3);
}

/** As in the generic rule of gitleaks: enough digits among letters, and at least 3.5 bits for each character. */
function looksRandom(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  if (digits < 3 || !/[A-Za-z]/.test(text)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const bits = [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
  return bits >= 3.5 || (/^[0-9a-f]+$/i.test(text) && text.length >= 32 && bits >= 3);
}

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
/** Documents show `-----BEGIN PRIVATE KEY-----` and three dots. A key without its end needs a longer line. */
const SHORTEST_KEY = 20;
const LONGEST_KEY = 20_000;
/** Between its lines may stand marks of strings and quotes, numbers of lines, and breaks of HTML. */
const KEY =
  /^(?:[A-Z][A-Za-z-]{1,20}: [^\n]{0,100}\n|\n\s{0,20}\d{1,6}[:.)]\s|<br\s{0,3}\/?>|\s|\\[nr]|["'+>|*#]|[A-Za-z0-9+/=])*/;

/** A key whose end is missing, because the text was cut, is hidden up to the first character that is not of it. */
function hidePrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let result = '';
  let at = 0;
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    if (index < at) continue;
    const body = index + begin.length;
    const [key = ''] = KEY.exec(text.slice(body, body + LONGEST_KEY)) ?? [];
    const after = body + key.length;
    const [end = ''] = /^-----END [A-Z0-9 ]{1,80}-----/.exec(text.slice(after, after + 100)) ?? [];
    const isKey =
      end === '' ? /[A-Za-z0-9+/]{32}/.test(key) : key.replace(/[^A-Za-z0-9+/]/g, '').length >= SHORTEST_KEY;
    if (!isKey) continue;
    result += `${text.slice(at, index)}[hidden: private key]`;
    at = after + end.length;
  }
  return result + text.slice(at);
}
