import { renderHelp } from '../../render/help.ts';
import { COMMAND } from '../../render/ids.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Doctor } from '../checks/doctor.ts';
import type { AccountViews } from '../home/accounts.ts';
import type { PrivateMessage } from '../messages/messenger.ts';

export interface HelpDeps {
  slack: Pick<SlackApi, 'identity'>;
  accountViews: Pick<AccountViews, 'mode'>;
  doctor: Pick<Doctor, 'isFor'>;
}

/** What this person can do with the app here. */
export function helpOf({ slack, accountViews, doctor }: HelpDeps, userId: string): PrivateMessage {
  const { botUserId } = slack.identity;
  return (locale) =>
    renderHelp({ commandName: COMMAND, botUserId, locale, accounts: accountViews.mode, isAdmin: doctor.isFor(userId) });
}
