import { stem } from '../../index/stem.ts';

/**
 * What people say, and the words that programs have for it. Left of `=` words of a question, right of it words of code; an entry
 * without `=` is a group of words of which each stands for the others.
 */
const ENTRIES = `
config configure settings options preferences; auth authenticate authorize login credential; delete remove destroy drop unlink purge;
cancel abort interrupt; retry reattempt backoff; error failure exception fail; start begin boot launch startup bootstrap initialize;
stop shutdown close terminate teardown end; cache memoize; delay sleep wait timeout backoff; limit throttle cap maximum max quota;
minimum min lower bound; queue backlog enqueue; database db storage store persistence; directory folder dir; repository repo; message msg;
parse parser decode; serialize encode stringify marshal; create make build construct generate; compute calculate; renew extend refresh;
survive recover resume; detect check find recognize; fetch download request http; logging logger trace; environment env; parameter param argument arg;
initialize init setup; dependencies requirement; documentation doc readme; duplicate dedupe idempotent; schedule cron recurring repeat interval;
timeout deadline expire ttl; permission access allowed grant; verify validate check assert; send post emit dispatch publish write;
receive listen subscribe handler; render format display print; convert transform map translate; synchronous sync; asynchronous async; command cmd cli;
flag switch option; secret token password key; concurrent parallel; stream pipe; lock mutex semaphore; priority prioritize;
hook middleware interceptor; url uri endpoint address; signature signing; average mean; crash kill panic; prefix leading; suffix trailing;
index offset position; count amount number total; sort order compare; merge combine join concat; split separate divide tokenize; copy clone duplicate;
default fallback; hash digest checksum; encrypt cipher crypto; compress gzip deflate; certificate cert tls ssl; socket connection; reload restart;
weight ratio share; previous last prior old; version release; listener subscriber handler callback; array list collection; boolean bool;
indices = index; vertices = vertex; matrices = matrix; child subprocess spawn fork exec; client caller consumer; column field property attribute;
concatenate append join; connection socket session; constant literal; counter tally statistics metric; cut truncate slice trim strip;
deny forbid reject refuse block; escape sanitize; exit quit; expand unfold glob; filter exclude ignore skip omit; flush drain;
freeze immutable readonly; generic template; guess infer; header metadata; identifier id uuid key; import require include load;
inherit extend subclass derive; insert add append push register; invoke call run execute; iterate loop traverse walk visit; link symlink;
map dictionary table lookup; mock stub fake; module plugin extension addon; name label title alias; nested recursive; notify signal announce;
null nil undefined none empty; override overwrite replace; owner author; pause suspend; plugin middleware extension; pool worker;
proxy gateway forward; random jitter shuffle; range interval bounds; rename move; reply response answer; reverse invert; round ceil floor;
schema type shape; search find query; shared common global; snapshot backup checkpoint; state status; subscribe register listen; supported compatible;
switch toggle; template render; tree hierarchy; unique distinct; update upgrade patch; user account; warn deprecate; wrap decorate;
dial, ring = connect; unused, inactive = idle; alive = keepalive ping heartbeat health; flood, hammer = rate limit throttle backoff exceed enhance;
reconnect = reconnect backoff; bigger, larger, oversized, huge = large limit max exceed size length; smallest, least, lowest = min minimum;
largest, biggest, highest = max maximum limit; upload = body payload content; payload = body; simultaneously = concurrent parallel pool jobs;
circle, loop = cycle circular recursive; mixed, alternate = interleave shuffle merge;
tampered, genuine, untouched = checksum sha256 sha hash integrity verify sum; shortened = truncate abbreviate format;
recorded = write log record dump; forwards = proxy delegate redirect; money, price, cost = amount value price balance currency;
readable = human format display print; fake, pretend = spoof forge trust; grow = multiplier exponential increase factor; invented = generate random;
quick, quickly, fast, speed = cache fast optimize performance; slow, slowly = delay timeout throttle;
leftover, tidy = cleanup clean dispose release free; broken, malformed, garbage = invalid error corrupt parse;
refuse, rejects, denied = reject deny refuse forbidden error; complain = warn error throw; guess = detect infer default heuristic;
told, tells = notify emit report callback; warned = warn deprecate; old, older, outdated = deprecated legacy version;
remember = cache store save state; forgotten, forget = delete clear expire reset; decide, chosen, choose, pick = select resolve choose pick match;
order, first = priority order sort sequence; allowed = permission allow accept; hidden, hide, masked, secret = redact mask omit internal;
machine = host platform os arch; processor, cpu = cpu arch thread; memory, ram = memory heap buffer size;
threads, workers = thread worker pool; spread, distribute = balance distribute round robin; browser = web dom;
pieces, parts, bits = chunk segment part; text, words = string text; letters, characters = char string; number = int count;
deliberately = intentional; accidentally = error; answer, reply = response reply; question = request query; address = ip host url;
visitor, caller, user = client request user; peer = peer remote server; finish, complete = complete finish end done close;
interrupted = abort partial incomplete truncate; late = deadline timeout expire; changed = update modify set; compiler = cl gcc clang toolchain msvs;
linker = link ld; belongs = owner parent; break, broke = error fail crash throw; built, builds = build compile generate make;
manually = custom explicit; unreadable = error parse permission; checked, ensure = check validate verify assert;
cleaned, wiped = clean clear reset remove; crashes, dies, die = crash panic exit abort uncaught; cut = truncate abort slice;
unknown = unknown unsupported default missing; double, twice = duplicate double multiplier; drops, discards = drop discard ignore skip;
empty, blank = empty null undefined length; regularly, periodically = interval timer poll schedule; explained = message describe reason;
remote = remote peer; folder = directory dir path; returned = return release result; fails = error fail exception;
group, bundled, batch = group batch merge bundle; frequency = interval rate period; human, people = user human readable;
ignored, skipped = ignore skip exclude omit filter; beforehand = preload prefetch precompute; tracked = track map registry state count;
kept, keeps, held, stays, remains = keep store cache retain; last, final = end final last; leak = dispose close free; left, leaving = close exit end;
missing, absent = missing undefined enoent found; newer, newest, latest = latest version newer; forbidden = forbid deny invalid unauthorized reject;
notice, realize = detect event check; automatically = auto default automatic; stale = stale expire outdated version old;
packed, unpacked, archive = pack unpack tar zip extract archive; password = secret credential; permitted = allow permission;
loaded = load read parse import; protect, guard = guard protect secure check safe; inserted = insert inject add set;
assembled, glued = build join concat assemble compose; reached = connect resolve; ready = ready listen start; repeated = repeat loop retry duplicate;
alike, equal = equal compare match; saved, persisted = save store write persist cache; secure, safe, encrypted = secure tls ssl encrypt;
sent, sends = send write request; prepared = setup init configure prepare; shown, shows, displayed = show print display format log render;
shut = close shutdown destroy end; silent, quiet, quietly = silent ignore suppress; strange, odd, weird = invalid unexpected unknown;
stuck, hangs = timeout deadlock hang; taken = override inherit replace; speak = connect request protocol; thrown, throws, raised = throw error raise;
becomes = convert transform parse format; ongoing = pending active inflight; understand, understood = parse support detect;
unexpected, surprise = unexpected invalid error; visible, sees = visible public show log; lives, located = path directory location;
wrapped = wrap decorate proxy; wrong, incorrect, bad = invalid error wrong;
squeeze, squeezed, squash, shrink, smaller = compress gzip deflate minify zip compact; unpacked = decompress inflate gunzip extract unzip;
scramble, jumble, garble = encrypt cipher obfuscate encode hash; unscramble = decrypt decode decompress;
capitals = uppercase lowercase case insensitive fold; typo, mistyped, misspelled, spelled, spelling = suggest similar distance closest unknown;
spaces, gaps = whitespace blank indent trim pad; quotes = quote unquote escape; accents, umlauts = unicode utf charset encoding normalize;
separated, divider = separator delimiter split join; parentheses, brackets, braces = paren bracket brace;
shorten, shortened, abbreviate = truncate ellipsis short max abbreviate; aligned = align pad indent column width;
blanks = placeholder template interpolate format substitute default; swap, swapped, exchange, substituted = replace substitute swap;
differences, differ, differs = diff compare change delta; identical = equal compare identical match;
rounded, decimals = round precision fixed decimal float; thousands = format number separator; percentage = percent ratio fraction;
sentences, paragraph = text paragraph string; dictionary = map dictionary lookup; languages = locale language i18n translate;
clock = time now date timestamp clock; days, weekday, month, calendar = date calendar day month; age = age ttl mtime created stale expire;
postpone, postponed, later = defer delay schedule later; settle, settled = debounce throttle batch coalesce stable;
measured = elapsed duration measure metric latency stat; stopwatch = timer elapsed duration; immediately = immediate now sync;
patience = timeout deadline abort; minutes = timeout interval duration second; wire, cable = socket conn transport stream frame encode;
website, site = url http page host; link = url href uri; middleman = proxy gateway middleware; unreachable = unavailable refuse error connect timeout;
vanishes, vanished, disappears, disappeared = disconnect close reset lost eof; reuse, reused, recycled, recycle = reuse pool keepalive recycle cache;
agree = negotiate handshake protocol version; greeting, introduce = handshake hello greet upgrade; goodbye, farewell = close goodbye quit disconnect;
prove, proof, identity = identity authenticate authorization verify challenge; trusted, trustworthy, trusts = trust verify ca certificate known allow;
eavesdrop, snoop = tls encrypt secure; padlock, certificates = certificate tls ssl x509 pem;
attacker, attack, hostile, malicious, evil, abuse = sanitize forbid safe security untrusted escape limit; impersonate = spoof forge verify origin;
attached, attachment = attachment multipart form upload; piecewise = chunk stream fragment buffer;
overwhelmed, overloaded = backpressure drain pause buffer limit lag; mail = mail email message smtp; recipients, addressee = recipient rcpt;
everyone, everybody = broadcast publish emit fanout; conversation, talk, talking, talks = session connection exchange protocol;
knock, knocking = connect dial; packets = packet frame segment datagram; detour = proxy fallback bypass; outside = external public export;
busy = busy unavailable overload retry; scratch, throwaway, temporary = temp tmp; shortcut, shortcuts = symlink link alias;
subfolders = walk recurse readdir traverse; depth, levels = depth level max recursive nested;
endless, infinite, forever = loop cycle recursion infinite; wildcard, wildcards, pattern, patterns, star = glob pattern wildcard match regex;
undo, undone = undo rollback revert restore; contents, content = content body data; opened, opens = open read load; alphabetical = sort order name;
beside = sibling relative dir; collide, collides, race = lock mutex race concurrent atomic conflict;
helper, helpers, background = worker background thread daemon async task; fairly, fair, evenly = fair robin balance;
boss, chief = leader master primary coordinator; vote, votes, voting, majority, agreement = vote quorum majority election consensus;
followers, copies, replicas = replica follower replicate copy; lagging = replicate sync lag catch snapshot; chore = job task work;
wakes, woken = wake notify signal resume; asleep, sleeps = sleep wait suspend idle;
cleanly, politely, gracefully, nicely = graceful shutdown close drain; unfinished = pending drain flush active remaining;
borrow, borrowed, lend = acquire checkout pool; occupied = acquire lock held; continues = continue resume retry ignore;
unsafe = thread safe lock mutex concurrent goroutine; meanwhile = pending buffer queue; cheap, expensive = cache lazy optimize pool;
finished = complete done finish success; trouble, problem, problems = error exception fail warn; reason, reasons = cause reason message error;
swallowed, swallows, hushed, silently = ignore suppress catch silent discard; nonsense, rubbish, gibberish = invalid validate parse error malformed;
unforeseen, surprising = unexpected; legal, illegal = valid invalid allow illegal; forgot, forgets = missing required undefined default;
mandatory, obligatory = required mandatory validate; passing = temporary transient retry; unhandled = ignore unhandled default;
blames, blame = cause error message; panic, panics = panic recover throw; mess = corrupt invalid dirty; unwanted = filter exclude ignore skip;
mismatch = mismatch match compare verify error; lost = lost drop missing discard;
knob, knobs, tweak, tweaked, adjust, adjusted, tune, tuned, customize, customise = option config setting parameter custom;
wins, beats, precedence = priority override precedence merge order default; inherits, inherited = inherit default merge extend parent;
terminal, shell = cli argv args command shell stdin tty; colour, coloured, colors, colours = color ansi style; progress = progress percent;
chatty, noisy, talkative = verbose debug log level; combine, combined = merge combine compose join; enabled = enable flag option;
disabled = disable flag option; chopped = tokenize split lexer chunk slice; grammar, syntax = parse grammar token syntax lexer;
children = child tree node; nickname = alias name variable identifier; calculated = compute evaluate calculate resolve;
remembers, remembered = cache memo store state; dummy = mock stub fake dummy noop; translated, translates = adapter convert translate codec transform;
inspects, peeks, peek = inspect peek introspect reflect; arranged, arranges, ranked = sort order rank priority; summed = sum total aggregate;
nearest, closest = nearest closest; rows, records, entries = row record entry; permanently = persist commit flush sync durable;
housekeeping, swept, pruned = prune evict expire purge gc cleanup compact; logbook = log wal history;
confirmation, confirm, confirmed, receipt = ack acknowledge confirm receipt; undelivered, undeliverable = dead letter reject nack return;
mailbox, inbox = queue mailbox channel; directed, route, routed = route routing dispatch exchange match; remainder = rest remaining remainder tail;
backwards = reverse invert; sticky = session affinity pin; inner = nested inner child recursive; items = item element list array;
secretly = internal private; understands, speaks = parse support protocol decode; guesses, guessed = detect infer guess default;
picture, image, photo = image png jpeg; marks, marked, marker, labelled = mark flag tag label; stitched = join concat merge assemble
`
  .trim()
  .split(/;\s+/);

const related = new Map<string, Set<string>>();
for (const entry of ENTRIES) {
  const [left = '', right] = entry.split(' = ');
  const others = (right ?? left).split(' ').map(stem);
  for (const word of left.split(right === undefined ? ' ' : ', ').map(stem))
    related.set(word, new Set([...(related.get(word) ?? []), ...others]));
}

/** Stems of code words with a similar meaning, without the stem itself. */
export function relatedStems(of: string): string[] {
  return [...(related.get(of) ?? [])].filter((other) => other !== of);
}
