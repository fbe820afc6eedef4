import type { Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import type { Place } from '../../core/question/question.ts';
import { within } from '../../core/timeout.ts';
import { renderHelp } from '../../render/help.ts';
import { COMMAND } from '../../render/ids.ts';
import type { ChosenRules } from '../access/channel-rules.ts';
import type { Doctor } from '../checks/doctor.ts';
import type { AccountViews } from '../home/accounts.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import { helpPatienceMs } from '../settings.ts';
import { type ActionCheckDeps, refusalOfAction } from './block-actions.ts';

export interface HelpDeps extends ActionCheckDeps {
  accountViews: Pick<AccountViews, 'mode'>;
  doctor: Pick<Doctor, 'isFor'>;
  chosenRules: ChosenRules;
  /** As in the ports of the lifecycle. */
  repositoriesFor: (person: Person) => Promise<string[] | undefined>;
}

/** What this person can do with the app here. */
export async function helpOf(deps: HelpDeps, userId: string, place: Place): Promise<PrivateMessage> {
  const { slack, accountViews, doctor } = deps;
  const { botUserId } = slack.identity;
  const repositories = await within(searchable(deps, userId, place), helpPatienceMs);
  const shown = { commandName: COMMAND, botUserId, accounts: accountViews.mode, isAdmin: doctor.isFor(userId) };
  return (locale) => renderHelp({ ...shown, repositories, locale });
}

/** What a question of this person can search here. Only people who may ask see names. */
async function searchable(deps: HelpDeps, userId: string, place: Place): Promise<readonly string[] | undefined> {
  try {
    const { teamId, channelId } = place;
    const refusal = await refusalOfAction(deps, { requester: { userId, teamId, channelId }, named: {} }, 'person');
    if (refusal !== undefined) return undefined;
    const limited = (await deps.chosenRules.of(place))?.repositories ?? [];
    return limited.length > 0 ? limited : await deps.repositoriesFor({ teamId, userId });
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}
