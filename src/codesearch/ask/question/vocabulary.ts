import { stem } from '../../index/stem.ts';
import type { Kind } from './kind.ts';

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

const KIND_WORDS: Partial<Record<Kind, string>> = {
  tests: 'test tests tested testing spec specs cover covers covered coverage case cases check unit',
  history:
    'added changed introduced removed newest latest recent first created commit commits history last modified version release reason moved renamed replaced deleted touched since updated dropped add remove change support',
  who: 'wrote author authors maintains maintainer maintainers contributed contributor contributors added changed created worked working introduced owner knows ask expert person top most implemented originally original commits commit started responsible',
  list: 'deal deals concern concerns related relate contain contains mention mentions exist available',
  option:
    'default defaults configure configured available environment env variable variables parameter parameters argument arguments flag flags long many much',
  callers:
    'calls call callers invoked invokes imports imported depends references places everywhere instantiates thrown raised',
  where: 'defined definition declared implementation located find',
  howTo: 'command commands step steps way possible need',
};

/** Stems that show the kind of a question, not its subject. */
export const KIND_STEMS: Readonly<Partial<Record<Kind, ReadonlySet<string>>>> = Object.fromEntries(
  Object.entries(KIND_WORDS).map(([kind, words]) => [kind, new Set(words.split(' ').map(stem))]),
);
