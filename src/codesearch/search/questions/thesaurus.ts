import { stem } from '../stem.ts';

/**
 * What people say, and the words that programs have for it. Left of `=` words or phrases of a question, right of it words of code;
 * an entry without `=` is a group of words of which each stands for the others.
 */
const ENTRIES = `
config configuration configure settings options preferences;
auth authentication authenticate authorization authorize login credential; delete remove destroy drop unlink purge;
cancel abort interrupt; retry reattempt backoff; error failure exception fail;
start begin boot launch startup bootstrap initialize; stop shutdown close terminate teardown end; cache memoize;
delay sleep wait timeout backoff; limit throttle cap maximum max quota; minimum min lower bound; queue backlog enqueue;
database db storage store persistence; directory folder dir; repository repo; message msg; parse parser decode;
serialize encode stringify marshal; create make build construct generate; compute calculate; renew extend refresh;
survive recover resume; detect check find recognize; fetch download request http; log logger logging trace; environment env;
parameter param argument arg; initialize init setup; dependency dependencies requirement; documentation docs doc readme;
duplicate dedupe idempotent; schedule cron recurring repeat interval; timeout deadline expire ttl;
permission access allow allowed grant; verify validate check assert; send post emit dispatch publish write;
receive listen subscribe handler; render format display print; convert transform map translate; synchronous sync;
asynchronous async; command cmd cli; flag switch option; secret token password key; concurrency parallel concurrent;
stream pipe; lock mutex semaphore; priority prioritize; hook middleware interceptor; url uri endpoint address;
signature sign signed signing; average mean; crash kill panic; prefix leading; suffix trailing; index offset position;
count amount number total; sort order compare; merge combine join concat; split separate divide tokenize; copy clone duplicate;
default fallback; hash digest checksum; encrypt cipher crypto; compress gzip deflate; certificate cert tls ssl;
socket connection; reload restart; weight ratio share; previous last prior old; version release;
listener subscriber handler callback; array list collection; boolean bool; child subprocess spawn fork exec;
client caller consumer; column field property attribute; concatenate append join; connection socket session; constant literal;
counter tally statistics metric; cut truncate slice trim strip; deny forbid reject refuse block; escape sanitize; exit quit;
expand unfold glob; filter exclude ignore skip omit; flush drain; freeze immutable readonly; generic template; guess infer;
header metadata; identifier id uuid key; import require include load; inherit extend subclass derive;
insert add append push register; invoke call run execute; iterate loop traverse walk visit; link symlink;
map dictionary table lookup; mock stub fake; module plugin extension addon; name label title alias; nested recursive;
notify signal announce; null nil undefined none empty; override overwrite replace; owner author; pause suspend;
plugin middleware extension; pool worker; proxy gateway forward; random jitter shuffle; range interval bounds; rename move;
reply response answer; reverse invert; round ceil floor; schema type shape; search find query; shared common global;
snapshot backup checkpoint; state status; subscribe register listen; support supported compatible; switch toggle;
template render; tree hierarchy; unique distinct; update upgrade patch; user account; warn deprecate; wrap decorate;
dial, dials, ring = connect; hang up, hangs up, give up = close disconnect drop end terminate goaway;
doing nothing, does nothing, unused, inactive = idle; alive, still there = keepalive ping heartbeat health;
too often, too many, flood, hammer = rate limit throttle backoff exceed enhance;
again, once more, another time = retry re reconnect repeat backoff;
connect again, connects again, reconnect = reconnect backoff;
too big, too large, too long, bigger, larger, oversized, huge = large limit max exceed size length;
too small, smallest, least, lowest = min minimum; largest, biggest, most, highest = max maximum limit;
upload, uploaded = body payload content; payload = body;
side by side, at once, at the same time, simultaneously = concurrent parallel pool jobs;
circle, circles, loop, each other = cycle circular recursive; mixed, mix, alternate, alternately = interleave shuffle merge;
tampered, tamper, genuine, untouched = checksum sha256 sha hash integrity verify sum;
shortened, shorten = truncate abbreviate format; written down, write down, recorded = write log record dump;
forwards, forward, passes on = proxy delegate redirect; keep running, keeps running, keep alive = ref unref keepalive;
money, price, prices, cost = amount value price balance currency;
readable, people see, shown to people = human format display print; fake, faked, pretend = spoof forge trust;
grow, grows, growing = multiply multiplier exponential increase factor;
look for, looks for, looked for = find search lookup resolve locate; looked up, look up = lookup resolve find;
made up, invented = generate random; thrown out, taken out, got rid of = remove delete drop;
switched off, switch off, turned off, turn off = disable off; switched on, switch on, turned on, turn on = enable on;
quick, quickly, fast, speed = cache fast optimize performance; slow, slowly = delay timeout throttle;
left over, leftover, clean up, cleaned up, tidy = cleanup clean dispose release free;
broken, malformed, garbage = invalid error corrupt parse;
refuse, refused, rejects, turned away, denied = reject deny refuse forbidden error; complain, complains = warn error throw;
guess, guesses, guessed = detect infer default heuristic; told, tell, tells = notify emit report callback;
warned, warning = warn deprecate; old, older, outdated = deprecated legacy version;
remember, remembered, remembers = cache store save state; forget, forgotten, forgets = delete clear expire reset;
decide, decided, decides, choose, chosen, chooses, pick, picked, picks = select resolve choose pick match;
order, which order, first = priority order sort sequence; who is allowed, allowed = permission allow accept;
hidden, hide, hides, masked, secret = redact mask omit internal; machine, computer = host platform os arch;
processor, cpu = cpu arch thread; memory, ram = memory heap buffer size; threads, workers = thread worker pool;
picture, image = image icon; clock, time of day = date time timestamp; waits its turn, in line = queue pending;
spread, spreads, shared out, distribute = balance distribute round robin; same machine, own machine = localhost loopback local;
name lookup, names = dns resolve; browser, browsers = browser web dom; word by word, piece by piece, bit by bit = stream chunk;
pieces, parts, bits = chunk segment part; text, words = string text; letters, characters = char string;
number, numbers = number int count; on purpose, deliberately = intentional; by mistake, accidentally = error;
answer, answers, reply, replies = response reply; question, ask = request query; address, addresses = address ip host url;
visitor, caller, user = client request user; other side, other end, peer = peer remote server;
tidied, finish, finished, done, complete = complete finish end done close;
half way, interrupted, in the middle, cut off = abort partial incomplete truncate;
too late, late, in time = deadline timeout expire; changed, change = update modify set;
compiler = compiler cl gcc clang toolchain msvs; linker, linkers = link ld; belongs, belong = owner parent;
break, breaks, broke = error fail crash throw; built, builds, building = build compile generate make;
by hand, manually = custom explicit; came from, come from, comes from = origin source caller referer;
cannot be read, unreadable = error parse permission;
checked, checks, make sure, makes sure, ensure, ensures = check validate verify assert;
cleaned, cleans, wiped, wipe = clean clear reset remove; computer's language, language of the user = locale language;
crashes, crashed, dies, die, blows up = crash panic exit abort uncaught; cut short, cuts off, cut = truncate abort slice;
different names, other names, nickname = alias; does not know, unknown, not known = unknown unsupported default missing;
double, doubles, twice = duplicate double multiplier;
drops, dropped, thrown away, throw away, discards = drop discard ignore skip;
empty, nothing in it, blank = empty null undefined length; entered, typed in, types in = input prompt parse argv;
every so often, now and then, regularly, periodically = interval timer poll schedule; exact, exactly = strict equal match;
expected, supposed = expected default; explained, explains, explain = message describe reason;
extra, additional = additional extra optional; far away, remote = remote peer;
filled in, fills in, made complete = default populate resolve;
first time, at first, in the beginning = init initial setup start; folder, folders = directory dir path;
found out, find out, finds out, figure out, figures out = detect resolve determine find check;
full, fills up, overflow, overflows = full overflow capacity backpressure limit;
given back, hand back, returned = return release result;
give up, gives up, gave up = timeout max attempts retries limit abort fail;
go through, goes through, passes through = proxy pipe forward iterate;
goes wrong, went wrong, fails, failed = error fail exception;
group, groups, together, bundled, batch = group batch merge bundle; grown, shrink, shrinks, resized = resize size;
hold back, held back, holds back, wait for = queue buffer pause pending delay;
how big, how large, size of = size length bytes max; how long, how much time = timeout duration delay interval ms; how often, frequency = interval rate period; human, people = user human readable;
ignored, ignores, left out, leaves out, skipped = ignore skip exclude omit filter;
in advance, ahead of time, beforehand = preload prefetch precompute;
in parallel, at the same moment = parallel concurrent worker; in place, on the fly = transform stream;
interrupt, interrupted, ctrl c = signal sigint abort; keeps track, keep track, tracked = track map registry state count;
kept, keeps, held, stays, remains = keep store cache retain; kinds, sorts of, kind = type kind;
known, recognized = known supported match; last, final = end final last; leak, leaks, leaked = leak dispose close free;
left, leaving = close exit end; letters case, upper case, lower case, capitals = lowercase uppercase case insensitive;
line by line = readline split line; looks like, look like, shape of = format schema type;
mentioned, listed, lists = list include; missing, absent, not there, does not exist = missing undefined enoent not found;
newer, newest, latest = latest version newer; not allowed, forbidden, may not = forbid deny invalid unauthorized reject;
notice, notices, noticed, realize = detect event check; on its own, by itself, automatically = auto default automatic;
once only, only once = once single;
one after another, one by one, one after the other, in turn, taking turns = sequential queue round robin next;
out of date, stale, too old = stale expire outdated version old; owns, own = own custom local;
packed, packs, unpacked, unpacks, archive = pack unpack tar zip extract archive;
password, passwords = password secret credential; permitted, may, can = allow permission;
picked up, picks up, read in, loaded = load read parse import; points to, point to = reference pointer link target;
protect, protects, protected, guard, guards, guarded = guard protect secure check safe;
put in, puts in, put into, inserted = insert inject add set;
put together, puts together, assembled, glued = build join concat assemble compose; reached, reach, get to = connect resolve;
ready, is up, up and running = ready listen start; real, really = actual real;
repeated, repeats, repeat = repeat loop retry duplicate; right, correct = valid correct;
run out, runs out, ran out, used up = exhaust limit empty max; same, alike, equal = equal compare match;
saved, saves, save, persisted = save store write persist cache; secure, safe, encrypted = secure tls ssl encrypt;
sent back, sends back, answered = reply response send return; sent, sends, goes out = send write request;
set up, sets up, prepared, prepare = setup init configure prepare;
shown, shows, show, displayed = show print display format log render;
shut, shuts, shut down, switched off = close shutdown destroy end; silent, silently, quiet, quietly = silent ignore suppress;
similar, resemble = similar match; someone else, others, third party = external remote other;
spaces, white space, blanks = whitespace trim space; spelled, spelling, written wrong, typo = name typo suggest;
start over, starts over, from scratch = reset restart init; strange, odd, weird = invalid unexpected unknown;
stuck, hangs, never ends = timeout deadlock hang; taken, takes over, take over = override inherit replace;
talk to, talks to, speak, speaks = connect request protocol; thrown, throws, raised = throw error raise;
time limit, runs too long, takes too long, too slow = timeout deadline;
turned into, turns into, turn into, becomes, become, made into = convert transform to parse format;
under way, in progress, in flight, ongoing = pending active inflight;
understand, understands, understood = parse support detect; unexpected, surprise = unexpected invalid error;
until, waits until, wait until = wait until ready; visible, see, sees = visible public show log;
where it lives, lives, located = path directory location; wrapped, wraps = wrap decorate proxy;
wrong, incorrect, bad = invalid error wrong; zipped, squeezed, smaller = compress gzip minify
`
  .trim()
  .split(/;\s+/);

/** Words of code for a phrase of a question. */
export interface ThesaurusEntry {
  /** Stems, in order. */
  phrase: readonly string[];
  related: readonly string[];
}

const entries: readonly ThesaurusEntry[] = ENTRIES.flatMap((line) => {
  const [left = '', right] = line.split(' = ');
  const phrases = right === undefined ? left.split(' ') : left.split(', ');
  const related = (right ?? left).split(' ').map((word) => stem(word));
  return phrases.map((phrase) => ({ phrase: phrase.split(' ').map((word) => stem(word)), related }));
});

/** Stems of code words with a similar meaning, without the stem itself. */
export function relatedStems(of: string): string[] {
  const found = entries
    .filter(({ phrase }) => phrase.length === 1 && phrase[0] === of)
    .flatMap(({ related }) => related);
  return [...new Set(found)].filter((other) => other !== of);
}

/** The phrases of several words that a text has, as written there, with their related stems. */
export function phrasesIn(text: string): { phrase: string; related: string[] }[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map((word) => stem(word));
  return entries.flatMap(({ phrase, related }) => {
    if (phrase.length < 2) return [];
    const at = stems.findIndex((_, start) => phrase.every((part, offset) => stems[start + offset] === part));
    return at < 0 ? [] : [{ phrase: words.slice(at, at + phrase.length).join(' '), related: [...related] }];
  });
}
