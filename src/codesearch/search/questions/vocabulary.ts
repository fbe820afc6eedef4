import { stem } from '../stem.ts';
import type { Intent } from './intent.ts';

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Words of grammar, which say nothing about the subject of a question. */
export const STOP_WORDS = list(`
a about across actually after again all already also although always am among an and another any anyone anything are aren around as
ask at be because been before being below best between both bot but by can cannot could couldn d did didn do does doesn doing don
done down during each eg either else end etc even ever every exactly explain few find for from further gets give given go goes
going good got had has have having he hello help her here hers hey hi him his how however i ie if in inside into is isn it its
itself just keep kind know less let like ll look m main many may maybe me mean means might mine more most much must my need no
nor not now of off often ok on once one only onto or other our ours out over own per please possible quite rather re really s
same say see seem shall she should shouldn show since so some someone something somewhere still such sure t take tell than
thank thanks that the their them then there these they thing things this those through to together too under until up upon us
ve very via want was wasn way ways we well were what whatever when where whether which while who whole whom whose why will with
within without won would wouldn yes yet you your yours happen happens happening happened there's what's it's currently today`);

const WEAK_WORDS = list(`
work works working code codebase repo repository project function functions method methods class classes file files use uses
used using usage make makes made handle handles handled handling implement implements implemented implementation logic system
part parts support supports supported call calls called caller callers defined define definition declared declare located
place places get set add added change changed changes written wrote different describe list various type types value values
name named new default details flow process responsible involved related purpose overview structure module modules package
library line lines want first last second next recently introduced test tests tested commit commits behavior behavior
mechanism feature app application service live lives done does example examples option options setting settings`);

/** Words too general to identify a part of a program; they get a low weight. */
export const WEAK_STEMS: ReadonlySet<string> = new Set([...WEAK_WORDS].map(stem));

const INTENT_WORDS: Partial<Record<Intent, string>> = {
  tests: 'test tests tested testing spec specs cover covers covered coverage case cases check',
  history:
    'added changed introduced removed newest latest recent first created commit commits history last modified version release reason moved renamed replaced deleted touched since updated',
  authors:
    'wrote author authors maintains maintainer contributed contributor added changed created worked introduced owner knows',
  files:
    'deal deals concern concerns related relate contain contains mention mentions show raise raised thrown throw exist',
  options:
    'configure configured configuration accept accepts available environment env variable variables parameter parameters argument arguments flag flags',
  usage: 'calls call callers invoked invokes imports imported depends references places everywhere instantiates',
  define: 'defined definition declared implemented implementation located find',
};

/** Stems that show the intent of a question, not its subject. */
export const INTENT_STEMS: Readonly<Partial<Record<Intent, ReadonlySet<string>>>> = Object.fromEntries(
  Object.entries(INTENT_WORDS).map(([intent, words]) => [intent, new Set(words.split(' ').map(stem))]),
);

const SYNONYM_GROUPS = `
config configuration configure settings options preferences
auth authentication authenticate authorization authorize login credential
delete remove destroy drop
cancel abort
retry backoff reattempt
error failure exception fail
start begin boot launch startup bootstrap
stop shutdown close terminate teardown
cache memoize caching
delay sleep wait backoff
limit throttle cap maximum max
queue backlog enqueue
database db storage store persistence
directory folder dir
repository repo
message msg
parse parser decode
serialize encode stringify
create make build construct new generate
compute calculate
renew extend refresh
survive recover resume
detect check find
fetch request http
log logger logging
environment env
parameter param argument arg
initialize init setup
dependency dependencies requirement
documentation docs doc readme
duplicate dedupe idempotent
schedule cron recurring repeat
timeout deadline expire ttl
permission access allow allowed
verify validate check assert
send post emit dispatch publish
receive listen subscribe handler
render format display
convert transform map translate
synchronous sync
asynchronous async
command cmd cli
flag switch option
secret token password key
concurrency parallel concurrent
stream pipe
lock mutex
priority prioritize
hook middleware interceptor
url uri endpoint address
signature sign signed signing
average mean
crash kill restart recover
`
  .trim()
  .split('\n')
  .map((line) => [...new Set(line.split(' ').map(stem))]);

/** Stems with a similar meaning in code, without the stem itself. */
export function relatedStems(of: string): string[] {
  const related = SYNONYM_GROUPS.filter((group) => group.includes(of)).flat();
  return [...new Set(related)].filter((other) => other !== of);
}
