/**
 * What people say, and the words that programs have for it. Left of `=` words or phrases of a question, right of it words of code;
 * an entry without `=` is a group of words of which each stands for the others.
 */
export const ENTRIES = [
  // In general.
  `
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
indices = index; vertices = vertex; matrices = matrix; child subprocess spawn fork exec; client caller consumer; column field property attribute; concatenate append join;
connection socket session; constant literal; counter tally statistics metric; cut truncate slice trim strip;
deny forbid reject refuse block; escape sanitize; exit quit; expand unfold glob; filter exclude ignore skip omit; flush drain;
freeze immutable readonly; generic template; guess infer; header metadata; identifier id uuid key; import require include load;
inherit extend subclass derive; insert add append push register; invoke call run execute; iterate loop traverse walk visit; link symlink;
map dictionary table lookup; mock stub fake; module plugin extension addon; name label title alias; nested recursive;
notify signal announce; null nil undefined none empty; override overwrite replace; owner author; pause suspend; plugin middleware extension;
pool worker; proxy gateway forward; random jitter shuffle; range interval bounds; rename move; reply response answer; reverse invert;
round ceil floor; schema type shape; search find query; shared common global; snapshot backup checkpoint; state status;
subscribe register listen; supported compatible; switch toggle; template render; tree hierarchy; unique distinct; update upgrade patch;
user account; warn deprecate; wrap decorate; dial, ring = connect; hang up, give up = close disconnect drop end terminate goaway;
doing nothing, does nothing, unused, inactive = idle; alive, still there = keepalive ping heartbeat health;
too often, too many, flood, hammer = rate limit throttle backoff exceed enhance; once more, another time = retry reconnect repeat backoff;
connect again, reconnect = reconnect backoff;
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
switched on, turned on = enable; quick, quickly, fast, speed = cache fast optimize performance; slow, slowly = delay timeout throttle;
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
missing, absent, not there, does not exist = missing undefined enoent found; newer, newest, latest = latest version newer;
not allowed, forbidden, may not = forbid deny invalid unauthorized reject; notice, realize = detect event check;
on its own, by itself, automatically = auto default automatic; once only, only once = once single;
one after another, one by one, one after the other, in turn, taking turns = sequential queue round robin next;
out of date, stale, too old = stale expire outdated version old; packed, unpacked, archive = pack unpack tar zip extract archive;
password = secret credential; permitted = allow permission; picked up, read in, loaded = load read parse import;
protect, guard = guard protect secure check safe; put in, put into, inserted = insert inject add set;
put together, assembled, glued = build join concat assemble compose; reached, get to = connect resolve;
ready, is up, up and running = ready listen start; repeated = repeat loop retry duplicate;
run out, ran out, used up = exhaust limit empty max; alike, equal = equal compare match; saved, persisted = save store write persist cache;
secure, safe, encrypted = secure tls ssl encrypt; sent back, sends back = reply response send return;
sent, sends, goes out = send write request; set up, prepared = setup init configure prepare;
shown, shows, displayed = show print display format log render; shut, shut down = close shutdown destroy end;
silent, quiet, quietly = silent ignore suppress; start over, from scratch = reset restart init;
strange, odd, weird = invalid unexpected unknown; stuck, hangs, never ends = timeout deadlock hang;
taken, takes over = override inherit replace; talk to, speak = connect request protocol; thrown, throws, raised = throw error raise;
time limit, runs too long, takes too long, too slow = timeout deadline; turned into, becomes, made into = convert transform parse format;
under way, in progress, in flight, ongoing = pending active inflight; understand, understood = parse support detect;
unexpected, surprise = unexpected invalid error; waits until = wait ready; visible, sees = visible public show log;
where it lives, lives, located = path directory location; wrapped = wrap decorate proxy; wrong, incorrect, bad = invalid error wrong
`,
  // Texts and numbers.
  `
squeeze, squeezed, squash, shrink, made smaller, smaller, pack down = compress gzip deflate minify zip compact;
blown up, unpacked, expanded again = decompress inflate gunzip extract unzip;
scramble, jumble, garble = encrypt cipher obfuscate encode hash; unscramble, made readable = decrypt decode decompress;
capital letters, upper case, lower case, capitals, small letters = uppercase lowercase case insensitive fold;
typo, mistyped, misspelled, spelled, spelling, did you mean = suggest similar distance closest unknown;
spaces, gaps = whitespace blank indent trim pad; line break, line breaks, new line, line ending, line endings = newline crlf eol lf;
quotation marks, quotes = quote unquote escape;
special characters, funny characters, odd characters, strange characters = escape sanitize quote encode special;
accents, umlauts, foreign letters, foreign characters, other alphabets = unicode utf charset encoding normalize;
separated, divider = separator delimiter split join; parentheses, brackets, braces = paren bracket brace;
first letter = capitalize title initial; shorten, shortened, abbreviate, three dots = truncate ellipsis short max abbreviate;
line up, lined up, aligned = align pad indent column width; how wide, fits on the screen, too wide = width column wrap terminal;
fill in, filled in, blanks, gaps filled = placeholder template interpolate format substitute default;
swap, swapped, exchange, substituted = replace substitute swap; differences, differ, differs = diff compare change delta;
look the same, same thing, identical = equal compare identical match;
rounded, decimals, after the point = round precision fixed decimal float; thousands, with commas = format number separator;
percentage = percent ratio fraction; unique name, one of a kind, never the same = unique uuid random suffix counter;
a sentence, sentences, paragraph = text paragraph string; tell apart = distinguish compare kind type;
begins with, starts with = prefix startswith; ends with = suffix endswith; look up words, dictionary = map dictionary lookup;
spoken language, languages = locale language i18n translate
`,
  // Time.
  `
clock, time of day, what time, wall clock = time now date timestamp clock; days, weekday, month, calendar = date calendar day month;
how old, older than, too old, age = age ttl mtime created stale expire;
runs out, no longer valid, ran out, past its date = expire ttl valid stale deadline;
every few seconds, every minute, every second, every hour = interval period tick timer cron;
put off, postpone, postponed, later = defer delay schedule later;
calm down, settle, settled, many quick changes, quick succession = debounce throttle batch coalesce stable;
clock jumps, clock moves, clocks differ = skew drift monotonic clock;
longer and longer, each time longer, waits longer, slower and slower, longer each time = backoff exponential multiplier delay;
how long it took, took so long, time it took, measured = elapsed duration measure metric latency stat; stopwatch = timer elapsed duration;
right away, immediately, straight away = immediate now sync;
patience, gives up waiting, gave up waiting, waits too long, waiting too long = timeout deadline abort;
a moment, short while, for a while, little while = delay sleep timeout wait; half a second, minutes = timeout interval duration second;
from time to time, once in a while = interval periodic poll timer; just before, shortly before, about to = pre window threshold
`,
  // Networks and protocols.
  `
wire, over the wire, cable = socket conn transport stream frame encode;
phones home, phone home, reports home = telemetry update report notify; website, web page, site = url http page host;
web address, link = url href uri; which server, which machine, where to connect = host address endpoint port dial resolve target;
several servers, many servers, other servers, more than one server = pool cluster balancer endpoint backend node;
middleman, in front = proxy gateway middleware;
moved elsewhere, sent elsewhere, sent somewhere else, goes elsewhere = redirect location follow;
unreachable, not reachable, cannot be reached, is down, server is down = unavailable refuse error connect timeout;
goes away, went away, vanishes, vanished, disappears, disappeared, drops out, lost connection, connection is lost, connection breaks, connection drops = disconnect close reset lost eof;
comes back, is back, came back = reconnect recover resume restore;
reuse, reused, used again, recycled, recycle = reuse pool keepalive recycle cache;
agree on, agree, both sides agree = negotiate handshake protocol version;
greeting, say hello, says hello, introduces itself, introduce = handshake hello greet upgrade;
says goodbye, goodbye, farewell = close goodbye quit disconnect;
sign in, log in, logs in, logged in, signs in, signed in = login auth credential authenticate session;
sign out, log out = logout revoke session;
who you are, who is asking, prove, proof, identity = identity authenticate authorization verify challenge;
trusted, trustworthy, trusts = trust verify ca certificate known allow; eavesdrop, listen in, snoop = tls encrypt secure;
padlock, certificates = certificate tls ssl x509 pem;
attacker, attack, hostile, malicious, evil, abuse = sanitize forbid safe security untrusted escape limit;
pretends to be, impersonate = spoof forge verify origin;
from another site, other sites, another origin, other website = origin cors cross csrf;
attached, attachment = attachment multipart form upload; in pieces, bit at a time, small pieces, piecewise = chunk stream fragment buffer;
cannot keep up, falls behind, overwhelmed, overloaded, faster than = backpressure drain pause buffer limit lag;
mail, e mail = mail email message smtp; recipients, addressee = recipient rcpt;
everyone, everybody, all listeners, all at once = broadcast publish emit fanout;
phone book, address book, yellow pages = dns resolver registry lookup;
conversation, talk, talking, talks = session connection exchange protocol; knock, knocking = connect dial;
raw bytes, raw data = buffer byte binary raw; small packet, packets = packet frame segment datagram;
dead peer, other side is gone, other end is gone, half open = keepalive ping heartbeat timeout eof;
checks in, check in, sign of life, signs of life, still alive = ping pong heartbeat keepalive alive;
detour, way around = proxy fallback bypass; outside world, outside = external public export; answers back, talk back = response reply ack;
wrong address, no such address = notfound resolve invalid host; network card, network interface = interface bind address;
status code = status code; too busy, busy = busy unavailable overload retry; asked twice, twice asked = duplicate dedupe idempotent cache;
web socket = websocket upgrade
`,
  // Files.
  `
on disk, on the disk, to disk, hard disk = path file dir write save storage; scratch, throwaway, temporary = temp tmp;
shortcut, shortcuts = symlink link alias;
subfolders, looks through folders, goes through folders, through folders, folder by folder = walk recurse readdir traverse;
how deep, depth, levels, too deep = depth level max recursive nested;
in circles, goes in circles, round in circles, endless, infinite, forever, never stops = loop cycle recursion infinite;
hidden files = dotfile hidden; wildcard, wildcards, pattern, patterns, star = glob pattern wildcard match regex;
file ending, file endings, kind of file, file type, type of file = extension mime type kind;
file rights, access rights, who may read, may open = mode permission chmod access;
half written, partly written, half finished, partly done = atomic rename partial temp incomplete;
all or nothing, at once or not at all = atomic transaction rollback commit;
undo, undone, take back, taken back, rolled back = undo rollback revert restore; safe copy = backup snapshot copy;
notice changes, notices changes, file changes, changes on disk = watch watcher change reload event;
two processes, two programs, other process, several processes = lock mutex pid process;
full disk, no space, disk is full = space quota enospc; current folder, home folder, own folder = cwd home dir;
contents, content = content body data; same drive, other drive, another disk, other disk = device filesystem mount;
opened, opens = open read load; too many files, open files, too many open = descriptor limit handle max;
order of the files, alphabetical = sort order name; beside = sibling relative dir;
package list, list of packages = manifest package dependency
`,
  // Processes and their work.
  `
collide, collides, step on each other, two at once, at the same moment, race = lock mutex race concurrent atomic conflict;
only one, just one, exactly one, only once = single singleton once lock mutex unique;
helper, helpers, background, behind the scenes, in the background = worker background thread daemon async task;
fairly, fair, evenly = fair robin balance; boss, chief, in charge, main one = leader master primary coordinator;
vote, votes, voting, majority, enough agree, agreement = vote quorum majority election consensus;
followers, copies, replicas = replica follower replicate copy;
catches up, catch up, left behind, lagging = replicate sync lag catch snapshot;
chore, piece of work, pieces of work, work item = job task work;
pile up, piles up, waiting line, waiting list, backed up = queue backlog pending buffer;
memory grows, eats memory, memory use, uses memory = memory release free limit pool buffer;
let go, lets go, give back, gives back, handed back = release free close return pool;
wakes, wake up, woken, wakes up = wake notify signal resume; asleep, sleeps, put to sleep = sleep wait suspend idle;
cleanly, politely, gracefully, nicely, tidy end = graceful shutdown close drain;
unfinished, still running, leftover work, still going = pending drain flush active remaining;
falls over, fell over = panic crash exception recover;
waits forever, waiting forever, hangs forever, never returns, never finishes = deadlock timeout hang block;
run later, called later, later on = defer callback schedule timer; first of all, before anything else, before everything = init first setup;
at the very end, after everything, in the end, at the end = finally end cleanup close finish;
how many at once, how many at a time, many at once, so many at once = concurrent limit max pool parallel prefetch;
passed along, hands over, handed over, hand over, passed on = pass forward delegate transfer context;
handed out, dealt out, shares out = dispatch distribute assign allocate; borrow, borrowed, lend = acquire checkout pool;
taken by, occupied = acquire lock held; step by step = step sequential iterate;
stops early, stop early, ends early, end early = break abort cancel return limit;
goes on, carries on, keeps going, carry on, continues = continue resume retry ignore; turn back, backs out = abort rollback cancel;
not safe, unsafe, safe to use, from several threads, several threads = thread safe lock mutex concurrent goroutine;
nothing to do, has nothing to do = idle empty wait; in the meantime, meanwhile = pending buffer queue;
cheap, expensive, saves work, save work = cache lazy optimize pool;
only when needed, when needed, on demand, when first used, first use = lazy demand once init;
counts as done, finished = complete done finish success; picks up where, where it left off, left off = resume offset checkpoint
`,
  // Errors.
  `
trouble, problem, problems = error exception fail warn; why it failed, reason, reasons, what went wrong = cause reason message error;
swallowed, swallows, hushed, silently = ignore suppress catch silent discard;
bad input, wrong input, nonsense, rubbish, gibberish = invalid validate parse error malformed; unforeseen, surprising = unexpected;
not supported, cannot handle, cannot deal = unsupported unknown implement; legal, illegal, is it legal = valid invalid allow illegal;
forgot, missing piece, forgets = missing required undefined default;
must have, mandatory, obligatory, have to give, must be given = required mandatory validate;
not given, not set, left blank, unless told otherwise, by default, nothing is given, nothing is set = default optional undefined unset nil;
may be left out, left away, can be left out = optional default omit;
where it happened, which line, line number = line column trace location position;
second chance, try again, tries again, tried again, another attempt, attempt again = retry attempt backoff;
how many tries, how many times, number of tries, number of attempts = attempt max count limit retries;
worth trying again, safe to repeat, may be repeated, can be repeated = retryable idempotent retry temporary transient;
passing, short lived, temporary trouble = temporary transient retry; does nothing with, not handled, unhandled = ignore unhandled default;
blames, blame = cause error message; too many errors, keeps failing, fails again and again = threshold breaker max backoff error;
panic, panics = panic recover throw; mess, messed up = corrupt invalid dirty;
turned down, says no, said no, is refused = reject deny refuse error; not wanted, unwanted = filter exclude ignore skip;
comes too late, arrives late = timeout stale ignore; does not match, mismatch, does not fit = mismatch match compare verify error;
lost, gets lost, get lost = lost drop missing discard
`,
  // Settings and extensions.
  `
knob, knobs, tweak, tweaked, adjust, adjusted, tune, tuned, customize, customise = option config setting parameter custom;
from the outside, from outside = external public env;
wins, beats, takes precedence, precedence, which one wins = priority override precedence merge order default;
inherits, inherited, passed down, handed down = inherit default merge extend parent;
command line, terminal, shell, typed in = cli argv args command shell stdin tty; colour, coloured, colors, colours = color ansi style;
progress, how far along = progress percent; asks the user, asked for, asks for = prompt input ask request;
chatty, noisy, talkative, more output = verbose debug log level;
own behaviour, own code, own function, third party, hooked in, plugged in = plugin hook extension register custom callback handler;
before and after = hook middleware; told when, gets told, hears about, hear about = event listener subscribe callback notify;
combine, combined, mixed together = merge combine compose join; known names, list of known = registry register map table;
turns on, turn on, enabled = enable flag option; turns off, turn off, disabled = disable flag option;
allowed list, list of allowed = allow whitelist permit; blocked list, list of blocked = deny block blacklist;
built in, comes with = builtin default internal; home made, self made = custom
`,
  // Data and messages.
  `
words and symbols, chopped, broken into, cut into = tokenize split lexer chunk slice; grammar, syntax = parse grammar token syntax lexer;
reads text, read text = parse read decode; children = child tree node; visits each, walk over, goes over = walk visit iterate traverse;
stands for, nickname, other name, another name, also called = alias name variable identifier;
worked out, works out, figured out, calculated = compute evaluate calculate resolve;
looked up once, kept for later, remembered for later, remembers, remembered = cache memo store state; marked safe = safe markup escape;
dummy, does nothing = mock stub fake dummy noop; translates between, translated, translates = adapter convert translate codec transform;
looks inside, inspects, peeks, peek = inspect peek introspect reflect;
cannot be changed, must not change, read only = readonly immutable frozen const; arranged, arranges, ranked = sort order rank priority;
pick out, picks out, picked out = filter select match extract; added up, adds up, summed = sum total aggregate;
already there, already exists, already seen, seen before, seen already = exist duplicate conflict seen known;
nearest, closest = nearest closest; belongs together, go together, belong together = group match pair bundle;
rows, records, entries = row record entry; permanently, for good, survive a restart = persist commit flush sync durable;
thrown out first, make room, makes room, making room, kicked out, pushed out = evict lru cache capacity remove;
housekeeping, swept, cleaned out, pruned = prune evict expire purge gc cleanup compact; logbook = log wal history;
confirmation, confirm, confirmed, got it, receipt = ack acknowledge confirm receipt;
not delivered, undelivered, undeliverable = dead letter reject nack return;
delivered twice, sent twice, sent again, delivered again = duplicate redeliver retry resend; mailbox, inbox = queue mailbox channel;
which way, directed, route, routed = route routing dispatch exchange match; one to many = broadcast fanout publish;
both ways, back and forth, round trip = bidirectional serialize encode decode; empty list, no items, nothing left = empty length zero none;
the rest, rest of, remainder, left over = rest remaining remainder tail;
upside down, backwards, other way round, back to front = reverse invert; how full, fills up, is full, gets full = full capacity size length;
half of = half middle; stick to, sticks to, sticky = session affinity pin;
inner, inside another, inside each other, one inside = nested inner child recursive; list of things, items = item element list array;
by name = name lookup get find; secretly, internal use = internal private; kinds of values, kind of value = type kind instanceof;
understands, speaks = parse support protocol decode; guesses, guessed, works out by itself = detect infer guess default;
picture, image, photo = image png jpeg; looks for words = search match token; marks, marked, marker, labelled = mark flag tag label;
written by hand = custom manual; glue together, stitched = join concat merge assemble
`,
].flatMap((theme) => theme.trim().split(/;\s+/));
