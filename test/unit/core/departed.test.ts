import { describe, expect, it } from 'vitest';
import { createEndDeparted } from '../../../src/core/accounts/connecting.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createMemoryAccounts } from '../../support/accounts/memory-accounts.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { exampleQuestion } from '../render/example.ts';

const ada = { teamId: 'T1', userId: 'U0ADA' };

function departing(mode: 'shared' | 'required', open: Partial<Question>[] = []) {
  const memory = createMemoryAccounts({ mode });
  const done: string[] = [];
  let reads = 0;
  let failures = 0;
  const questions = open.map((changes) =>
    exampleQuestion({ askerId: ada.userId, place: { teamId: 'T1', channelId: 'C1' }, ...changes }),
  );
  const endDeparted = createEndDeparted(
    only<Parameters<typeof createEndDeparted>[0]>({
      accounts: only({
        mode,
        remove: async (person) => {
          const hadOne = await memory.accounts.remove(person);
          done.push(`remove ${hadOne}`);
          return hadOne;
        },
      }),
      askedQuestions: only({
        of: async () => {
          reads += 1;
          if (failures > 0) {
            failures -= 1;
            throw new AppError('storage', 'planned');
          }
          return questions.map(({ id }) => id);
        },
      }),
      questions: only({
        get: async (id) => questions.find((each) => each.id === id),
        update: async (id, change) => {
          const question = questions.find((each) => each.id === id);
          if (question !== undefined) done.push(`cancel ${id} of ${change(question)?.cancel?.byUserId}`);
          return undefined;
        },
      }),
      now: () => 0,
      log: createRecordingLog().log,
    }),
  );
  const failNextRead = () => {
    failures += 1;
  };
  return { endDeparted, memory, done, reads: () => reads, failNextRead };
}

describe('a person who left', () => {
  it('loses the account first, and then the questions that use it or wait for it', async () => {
    const { endDeparted, memory, done } = departing('required', [
      { id: 'q1', access: 'own' },
      { id: 'q2', awaitsAccount: { reason: 'notConnected', sinceMs: 1 } },
      { id: 'q3', access: 'app' },
      { id: 'q4' },
    ]);
    memory.connect(ada, { username: 'ada' });
    await endDeparted(ada);
    expect(done).toEqual(['remove true', 'cancel q1 of U0ADA', 'cancel q2 of U0ADA']);
  });

  it('is looked at once, however often Slack is asked about them, but an account that appears later goes as well', async () => {
    const { endDeparted, memory, done, reads } = departing('required');
    await endDeparted(ada);
    await endDeparted(ada);
    expect(reads()).toBe(1);
    memory.connect(ada, { username: 'ada' });
    await endDeparted(ada);
    expect(done).toEqual(['remove false', 'remove false', 'remove true']);
    expect(reads()).toBe(2);
  });

  it('has no questions of their own account where everyone asks with the app', async () => {
    const { endDeparted, memory, reads } = departing('shared');
    await endDeparted(ada);
    expect(reads()).toBe(0);
    memory.connect(ada, { username: 'ada' });
    await endDeparted(ada);
    expect(reads()).toBe(1);
  });

  it('is not done when the storage fails, so the next look at them does it', async () => {
    const { endDeparted, memory, reads } = departing('required');
    memory.connect(ada, { username: 'ada' });
    memory.fail('storage');
    await expect(endDeparted(ada)).rejects.toThrow('cannot be read');
    expect(reads()).toBe(0);
    memory.fail();
    await endDeparted(ada);
    expect(memory.removed).toEqual(['U0ADA']);
  });

  it('loses the questions at the next look, if the storage fails between the account and them', async () => {
    const { endDeparted, memory, done, failNextRead } = departing('required', [{ id: 'q1', access: 'own' }]);
    memory.connect(ada, { username: 'ada' });
    failNextRead();
    await expect(endDeparted(ada)).rejects.toThrow('planned');
    await endDeparted(ada);
    expect(done).toEqual(['remove true', 'remove false', 'cancel q1 of U0ADA']);
  });
});
