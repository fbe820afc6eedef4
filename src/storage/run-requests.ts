import type { RunRequests, WorkspaceEnds } from '../core/ports.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** Key of the set with the ids of questions that a program beside the app wants to be run. */
const RUN_REQUESTS_KEY = 'ds:run-requests';

export function createRunRequests(kv: KeyValueStore): RunRequests {
  return {
    ids: () => kv.members(RUN_REQUESTS_KEY),
    add: (questionId) => kv.addMember(RUN_REQUESTS_KEY, questionId),
    remove: (questionId) => kv.removeMember(RUN_REQUESTS_KEY, questionId),
  };
}

/** Key of the set with the ends of workspaces that are not carried out yet. */
const WORKSPACE_ENDS_KEY = 'ds:workspace-ends';

/** The ends of workspaces as names of a set: `T…:Ev…:time`. */
export function createWorkspaceEnds(kv: KeyValueStore): WorkspaceEnds {
  return {
    async all() {
      const names = await kv.members(WORKSPACE_ENDS_KEY);
      return names.map((name) => {
        const [teamId = '', eventId = '', atMs = ''] = name.split(':');
        return { teamId, eventId, atMs: Number(atMs) };
      });
    },
    add: ({ teamId, eventId, atMs }) => kv.addMember(WORKSPACE_ENDS_KEY, `${teamId}:${eventId}:${atMs}`),
    remove: ({ teamId, eventId, atMs }) => kv.removeMember(WORKSPACE_ENDS_KEY, `${teamId}:${eventId}:${atMs}`),
  };
}
