import type { AccountMode } from '../core/accounts/accounts.ts';
import { context, type RenderedMessage, section } from './blocks.ts';
import { type Say, sayIn } from './say.ts';
import { namesOf } from './text.ts';

/** Renders the help text. `commandName` begins with a slash. `accounts`: whose accounts people ask with. */
export function renderHelp(options: {
  commandName: string;
  botUserId: string;
  locale: string | undefined;
  accounts?: AccountMode;
  /** What the reader's questions can search here, if that is known. */
  repositories?: readonly string[];
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
    ...repositoryLines(options.repositories, say),
    ...((options.accounts ?? 'shared') === 'shared' ? [] : [say.help.account(options.commandName)]),
    ...(options.isAdmin === true ? [say.help.admin(options.commandName)] : []),
  ];
  return {
    text: say.help.title(),
    blocks: [...lines.map((line) => section(line)), context(say.help.command(options.commandName))],
  };
}

/** Most characters of the names of repositories in a list. */
const MAX_NAMES = 600;

/** Says which repositories can be searched, and how to choose one. Nothing if that is not known. */
export function repositoryLines(repositories: readonly string[] = [], say: Say): string[] {
  return repositories.length === 0 ? [] : [say.help.repositories(namesOf(repositories, MAX_NAMES, say))];
}
