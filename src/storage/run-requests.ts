import type { KeyValueStore } from './key-value-store.ts';

/** Key of the set with the ids of questions that a program beside the app wants to be run. */
const RUN_REQUESTS_KEY = 'ds:run-requests';

/** The questions that a program beside the app wants to be run. The app plans a run of each, then removes it. */
export interface RunRequests {
  ids(): Promise<string[]>;
  add(questionId: string): Promise<void>;
  remove(questionId: string): Promise<void>;
}

export function createRunRequests(kv: Pick<KeyValueStore, 'members' | 'addMember' | 'removeMember'>): RunRequests {
  return {
    ids: () => kv.members(RUN_REQUESTS_KEY),
    add: (questionId) => kv.addMember(RUN_REQUESTS_KEY, questionId),
    remove: (questionId) => kv.removeMember(RUN_REQUESTS_KEY, questionId),
  };
}
