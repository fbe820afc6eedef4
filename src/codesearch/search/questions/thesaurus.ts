import { stem } from '../../index/stem.ts';

/**
 * What people say, and the words that programs have for it. Left of `=` words or phrases of a question, right of it words of code;
 * an entry without `=` is a group of words of which each stands for the others.
 */
const ENTRIES = `
config configure settings options preferences; auth authenticate authorize login credential; delete remove destroy drop unlink purge;
cancel abort interrupt; retry reattempt backoff; error failure exception fail; start begin boot launch startup bootstrap initialize;
stop shutdown close terminate teardown end; cache memoize; delay sleep wait timeout backoff; limit throttle cap maximum max quota;
minimum min lower bound; queue backlog enqueue; database db storage store persistence; directory folder dir; repository repo; message msg;
parse parser decode; serialize encode stringify marshal; create make build construct generate; compute calculate; renew extend refresh;
survive recover resume; detect check find recognize; fetch download request http; logging logger trace; environment env;
parameter param argument arg; initialize init setup; dependencies requirement; documentation doc readme; duplicate dedupe idempotent;
schedule cron recurring repeat interval; timeout deadline expire ttl; permission access allowed grant; verify validate check assert;
send post emit dispatch publish write; receive listen subscribe handler; render format display print; convert transform map translate;
synchronous sync; asynchronous async; command cmd cli; flag switch option; secret token password key; concurrent parallel; stream pipe;
lock mutex semaphore; priority prioritize; hook middleware interceptor; url uri endpoint address; signature signing; average mean;
crash kill panic; prefix leading; suffix trailing; index offset position; count amount number total; sort order compare;
merge combine join concat; split separate divide tokenize; copy clone duplicate; default fallback; hash digest checksum;
encrypt cipher crypto; compress gzip deflate; certificate cert tls ssl; socket connection; reload restart; weight ratio share;
previous last prior old; version release; listener subscriber handler callback; array list collection; boolean bool;
child subprocess spawn fork exec; client caller consumer; column field property attribute; concatenate append join;
connection socket session; constant literal; counter tally statistics metric; cut truncate slice trim strip;
deny forbid reject refuse block; escape sanitize; exit quit; expand unfold glob; filter exclude ignore skip omit; flush drain;
freeze immutable readonly; generic template; guess infer; header metadata; identifier id uuid key; import require include load;
inherit extend subclass derive; insert add append push register; invoke call run execute; iterate loop traverse walk visit; link symlink;
map dictionary table lookup; mock stub fake; module plugin extension addon; name label title alias; nested recursive;
notify signal announce; null nil undefined none empty; override overwrite replace; owner author; pause suspend;
plugin middleware extension; pool worker; proxy gateway forward; random jitter shuffle; range interval bounds; rename move;
reply response answer; reverse invert; round ceil floor; schema type shape; search find query; shared common global;
snapshot backup checkpoint; state status; subscribe register listen; supported compatible; switch toggle; template render; tree hierarchy;
unique distinct; update upgrade patch; user account; warn deprecate; wrap decorate; dial, ring = connect;
hang up, give up = close disconnect drop end terminate goaway; doing nothing, does nothing, unused, inactive = idle;
alive, still there = keepalive ping heartbeat health; too often, too many, flood, hammer = rate limit throttle backoff exceed enhance;
once more, another time = retry re reconnect repeat backoff; connect again, reconnect = reconnect backoff;
too big, too large, too long, bigger, larger, oversized, huge = large limit max exceed size length;
too small, smallest, least, lowest = min minimum; largest, biggest, highest = max maximum limit; upload = body payload content;
payload = body; side by side, at once, at the same time, simultaneously = concurrent parallel pool jobs;
circle, loop = cycle circular recursive; mixed, alternate = interleave shuffle merge;
tampered, genuine, untouched = checksum sha256 sha hash integrity verify sum; shortened = truncate abbreviate format;
written down, write down, recorded = write log record dump; forwards, passes on = proxy delegate redirect;
keep running, keep alive = ref unref keepalive; money, price, cost = amount value price balance currency;
readable, people see, shown to people = human format display print; fake, pretend = spoof forge trust;
grow = multiplier exponential increase factor; look for = find search lookup resolve locate; looked up = lookup resolve find;
made up, invented = generate random; thrown out, taken out, got rid of = remove delete drop; switched off, turned off = disable off;
switched on, turned on = enable on; quick, quickly, fast, speed = cache fast optimize performance; slow, slowly = delay timeout throttle;
left over, leftover, clean up, tidy = cleanup clean dispose release free; broken, malformed, garbage = invalid error corrupt parse;
refuse, rejects, turned away, denied = reject deny refuse forbidden error; complain = warn error throw;
guess = detect infer default heuristic; told, tells = notify emit report callback; warned = warn deprecate;
old, older, outdated = deprecated legacy version; remember = cache store save state; forgotten, forget = delete clear expire reset;
decide, chosen, choose, pick = select resolve choose pick match; order, which order, first = priority order sort sequence;
who is allowed, allowed = permission allow accept; hidden, hide, masked, secret = redact mask omit internal;
machine, computer = host platform os arch; processor, cpu = cpu arch thread; memory, ram = memory heap buffer size;
threads, workers = thread worker pool; waits its turn, in line = queue pending;
spread, shared out, distribute = balance distribute round robin; same machine, own machine = localhost loopback local;
name lookup, domain name = dns resolve; browser = web dom; word by word, piece by piece, bit by bit = stream chunk;
pieces, parts, bits = chunk segment part; text, words = string text; letters, characters = char string; number = int count;
on purpose, deliberately = intentional; by mistake, accidentally = error; answer, reply = response reply; question = request query;
address = ip host url; visitor, caller, user = client request user; other side, other end, peer = peer remote server;
finish, complete = complete finish end done close; half way, interrupted, in the middle, cut off = abort partial incomplete truncate;
too late, late, in time = deadline timeout expire; changed = update modify set; compiler = cl gcc clang toolchain msvs; linker = link ld;
belongs = owner parent; break, broke = error fail crash throw; built, builds = build compile generate make;
by hand, manually = custom explicit; came from, come from = origin source caller referer;
cannot be read, unreadable = error parse permission; checked, make sure, ensure = check validate verify assert;
cleaned, wiped = clean clear reset remove; crashes, dies, die, blows up = crash panic exit abort uncaught;
cut short, cut = truncate abort slice; does not know, unknown, not known = unknown unsupported default missing;
double, twice = duplicate double multiplier; drops, thrown away, throw away, discards = drop discard ignore skip;
empty, nothing in it, blank = empty null undefined length;
every so often, now and then, regularly, periodically = interval timer poll schedule; explained = message describe reason;
far away, remote = remote peer; filled in, made complete = default populate resolve;
first time, at first, in the beginning = init initial setup start; folder = directory dir path;
found out, find out, figure out = detect resolve determine find check; given back, hand back, returned = return release result;
gave up = timeout max attempts retries limit abort fail; go through, goes through, passes through = proxy pipe forward iterate;
goes wrong, went wrong, fails = error fail exception; group, bundled, batch = group batch merge bundle;
held back, hold back, wait for = queue buffer pause pending delay; how big, how large, size of = size length bytes max;
how long, how much time = timeout duration delay interval ms; how often, frequency = interval rate period;
human, people = user human readable; ignored, left out, leaves out, skipped = ignore skip exclude omit filter;
in advance, ahead of time, beforehand = preload prefetch precompute; in parallel, at the same moment = parallel concurrent worker;
in place, on the fly = transform stream; ctrl c = signal sigint abort; keeps track, tracked = track map registry state count;
kept, keeps, held, stays, remains = keep store cache retain; last, final = end final last; leak = dispose close free;
left, leaving = close exit end; line by line = readline split line; looks like, shape of = format schema type;
missing, absent, not there, does not exist = missing undefined enoent not found; newer, newest, latest = latest version newer;
not allowed, forbidden, may not = forbid deny invalid unauthorized reject; notice, realize = detect event check;
on its own, by itself, automatically = auto default automatic; once only, only once = once single;
one after another, one by one, one after the other, in turn, taking turns = sequential queue round robin next;
out of date, stale, too old = stale expire outdated version old; packed, unpacked, archive = pack unpack tar zip extract archive;
password = secret credential; permitted = allow permission; picked up, read in, loaded = load read parse import;
protect, guard = guard protect secure check safe; put in, put into, inserted = insert inject add set;
put together, assembled, glued = build join concat assemble compose; reached, get to = connect resolve;
ready, is up, up and running = ready listen start; repeated = repeat loop retry duplicate;
run out, ran out, used up = exhaust limit empty max; alike, equal = equal compare match;
saved, persisted = save store write persist cache; secure, safe, encrypted = secure tls ssl encrypt;
sent back, sends back = reply response send return; sent, sends, goes out = send write request;
set up, prepared = setup init configure prepare; shown, shows, displayed = show print display format log render;
shut, shut down = close shutdown destroy end; silent, quiet, quietly = silent ignore suppress;
start over, from scratch = reset restart init; strange, odd, weird = invalid unexpected unknown;
stuck, hangs, never ends = timeout deadlock hang; taken, takes over = override inherit replace; talk to, speak = connect request protocol;
thrown, throws, raised = throw error raise; time limit, runs too long, takes too long, too slow = timeout deadline;
turned into, becomes, made into = convert transform to parse format; under way, in progress, in flight, ongoing = pending active inflight;
understand, understood = parse support detect; unexpected, surprise = unexpected invalid error; waits until = wait until ready;
visible, sees = visible public show log; where it lives, lives, located = path directory location; wrapped = wrap decorate proxy;
wrong, incorrect, bad = invalid error wrong
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
