import { isAppError } from '../core/errors.ts';
import type { VotedQuestion } from '../core/history/usage.ts';
import { questionType } from '../core/question/question.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { VOTES_KEY } from './record-kinds.ts';
import { readVote } from './repositories.ts';

/** How many questions are read at once: about 5 ms of work, so that others need not wait for it. */
const PAGE = 50;

export interface AskedPage {
  found: VotedQuestion[];
  /** How many questions and votes could not be read. */
  unreadable: number;
}

/**
 * Reads the stored questions that were accepted at or after `fromMs`, each once and in no particular order, with the votes
 * on them. Changes nothing, and may run beside the app. Throws `AppError` of kind `storage`.
 */
export async function* readAskedSince(
  kv: Pick<KeyValueStore, 'get' | 'keys' | 'members'>,
  fromMs: number,
): AsyncGenerator<AskedPage> {
  const voters = await readVoters(kv);
  // A listing may yield a key twice.
  const read = new Set<string>();
  let page: string[] = [];
  for await (const key of kv.keys(questionType.key(''))) {
    if (read.has(key)) continue;
    read.add(key);
    page.push(key);
    if (page.length < PAGE) continue;
    yield await readPage(page);
    page = [];
  }
  yield await readPage(page);

  async function readPage(keys: readonly string[]): Promise<AskedPage> {
    let unreadable = 0;
    const ifReadable = async <T>(reading: Promise<T>): Promise<T | undefined> => {
      try {
        return await reading;
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        unreadable += 1;
        return undefined;
      }
    };
    const found = await Promise.all(
      keys.map(async (key): Promise<VotedQuestion[]> => {
        const question = await ifReadable(readQuestion(key));
        if (question === undefined || question.acceptedMs < fromMs) return [];
        const names = voters.get(question.id) ?? [];
        const votes = await Promise.all(names.map((name) => ifReadable(readVote(kv, name))));
        return [{ question, votes: votes.filter((vote) => vote !== undefined) }];
      }),
    );
    return { found: found.flat(), unreadable };
  }

  async function readQuestion(key: string) {
    const text = await kv.get(key);
    return text === undefined ? undefined : questionType.format.decode(key, text);
  }
}

/** The names of all votes, by the id of their question. */
async function readVoters(kv: Pick<KeyValueStore, 'members'>): Promise<Map<string, string[]>> {
  const voters = new Map<string, string[]>();
  for (const name of await kv.members(VOTES_KEY)) {
    const id = name.slice(0, name.indexOf(':'));
    voters.set(id, [...(voters.get(id) ?? []), name]);
  }
  return voters;
}
