import type { CommandLine } from '../command-line.ts';
import { UsageError } from './program.ts';

/** Slack's ids of people: `U…`, or `W…` in an organization. */
const userIds = /^[UW][A-Z0-9]{1,40}$/;
const teamIds = /^[TE][A-Z0-9]{1,40}$/;

/** The options that name a person. */
export const personOptions = { user: { takes: 'text' }, team: { takes: 'text' } } as const;

/** The person that the arguments name. Throws `UsageError` with all problems at once. */
export function readPerson({
  values: { user: userId, team: teamId },
  problems,
}: Pick<CommandLine<typeof personOptions>, 'values' | 'problems'>): { userId: string; teamId?: string } {
  if (userId === undefined || !userIds.test(userId)) problems.push('--user must be the id of a person in Slack: U…');
  if (teamId !== undefined && !teamIds.test(teamId))
    problems.push('--team must be the id of a workspace or organization in Slack: T… or E…');
  if (userId === undefined || problems.length > 0) throw new UsageError(problems.join('\n'));
  return { userId, teamId };
}
