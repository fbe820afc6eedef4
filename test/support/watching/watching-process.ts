import type { Question } from '../../../src/core/question/question.ts';
import { watchBackstopMs } from '../../../src/core/settings.ts';
import { createWatching, type Watching } from '../../../src/core/watching/watching.ts';
import { createRecordingLog } from '../recording-log.ts';
import { afterReading, type ListedService, runningQuestion } from './listed-service.ts';

/** The wait of a question that is read alone. */
export const paceMs = 2_000;

/** The watching of one process. */
export interface WatchingProcess {
  watching: Watching;
  /** Ids of the questions that the process scheduled. */
  ran: string[];
  /** Runs a question that goes on afterwards. Returns it as its record is then. */
  run(question: Question): Promise<Question>;
}

/** Starts a process that watches questions. `schedule` is told what the process schedules. */
export function startWatching(
  { deepSearch, now }: Pick<ListedService, 'now'> & { deepSearch: Partial<ListedService['deepSearch']> },
  { schedule, random = 0.5 }: { schedule?: (id: string) => void; random?: number } = {},
): WatchingProcess {
  const ran: string[] = [];
  const unused = async (): Promise<never> => {
    throw new Error('watching does not use this');
  };
  const watching = createWatching({
    deepSearch: () => ({
      create: unused,
      followUp: unused,
      byReadToken: unused,
      newest: unused,
      cancel: unused,
      read: unused,
      changes: unused,
      ...deepSearch,
    }),
    scheduler: {
      async schedule(id) {
        ran.push(id);
        schedule?.(id);
      },
    },
    now,
    random: () => random,
    log: createRecordingLog().log,
  });
  return {
    watching,
    ran,
    async run(question) {
      const seen = afterReading(question, await watching.read(question));
      watching.goesOn(seen, paceMs);
      return seen;
    },
  };
}

/** Watches `count` questions from q`from` on in this process until each has run once with what a list showed. */
export async function watchMany(
  service: ListedService,
  { watching, ran, run }: WatchingProcess,
  count: number,
  from = 1,
): Promise<Question[]> {
  const questions = Array.from({ length: count }, (_, index) => runningQuestion(index + from));
  for (const question of questions) {
    service.change(question.upstream.conversationId ?? 0);
    watching.goesOn(question, paceMs);
  }
  await watching.tick();
  const seen: Question[] = [];
  for (const question of questions) seen.push(await run(question));
  // What holds at the start of a process has other tests.
  service.pass(watchBackstopMs / 2);
  for (const question of seen) watching.goesOn(question, paceMs);
  await watching.tick();
  await watching.tick();
  ran.length = 0;
  service.taken();
  service.takenConversations();
  return seen;
}
