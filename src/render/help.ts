import type { AccountMode } from '../core/accounts/accounts.ts';
import { context, section } from './blocks.ts';
import type { RenderedMessage } from './message.ts';
import { sayIn } from './say.ts';

/** Renders the help text. `commandName` begins with a slash. `accounts`: whose accounts people ask with. */
export function renderHelp(options: {
  commandName: string;
  botUserId: string;
  locale: string | undefined;
  accounts?: AccountMode;
  /** The reader is one of `ADMINS`. */
  isAdmin?: boolean;
}): RenderedMessage {
  const say = sayIn(options.locale);
  const lines = [
    say.help.title(),
    say.help.ask(options.commandName, `<@${options.botUserId}>`),
    say.help.followUp(`<@${options.botUserId}>`),
    say.help.cancel(),
    say.help.verbs(`<@${options.botUserId}>`),
    ...((options.accounts ?? 'shared') === 'shared' ? [] : [say.help.account(options.commandName)]),
    ...(options.isAdmin === true ? [say.help.admin(options.commandName)] : []),
  ];
  return {
    text: say.help.title(),
    blocks: [...lines.map((line) => section(line)), context(say.help.command(options.commandName))],
  };
}
