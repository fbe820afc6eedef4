import { repositoryPath } from '../addresses.ts';
import {
  type Asking,
  BASE_MARK,
  cites,
  type EarlierQuestion,
  type Finding,
  type Investigate,
  type SourceRecord,
} from '../ask/finding.ts';
import { saysUnread } from '../ask/unread.ts';
import { withinBudget } from '../git/budget.ts';
import type { Corpus } from '../index/corpus.ts';
import { readableCorpus } from '../index/readable-corpus.ts';
import { LIMITS } from '../limits.ts';
import type { Search } from '../query/search.ts';
import { readWrittenAnswer, type WrittenAnswer } from './answer.ts';
import { askModel, describeLimit } from './ask-model.ts';
import { ModelFailure, NO_ANSWER } from './failure.ts';
import { createFence } from './fence.ts';
import { createLanguageModel } from './model-server.ts';
import { instructions, PROMPTS_VERSION, questionPrompt } from './prompts.ts';
import { createReadable, type Readable } from './readable.ts';
import { createMeter, type LimitKind, type ModelReport } from './report.ts';
import type { ModelSettings } from './settings.ts';
import { createTools } from './tools.ts';

export interface AgentSetup {
  settings: ModelSettings;
  corpus: Corpus;
  search: Search;
  /** Answers without a model. */
  investigate: Investigate;
  clock: () => number;
  /** Called once for each question that the model was asked. */
  onReport: (report: ModelReport) => void;
  /** Called with each internal failure. */
  onProblem: (error: unknown) => void;
}

/**
 * Answers questions with a model that uses the service's own searches. The answer without a model comes first: the model begins
 * with it, and it is what remains when the model fails.
 */
export function createAgent(setup: AgentSetup): Investigate {
  const model = createLanguageModel(setup.settings);
  return async (question, earlier, step, canRead, asking) => {
    const without = await setup.investigate(question, earlier, step, canRead, asking);
    const readable = createReadable(setup.corpus, canRead);
    if (asking === undefined || readable.repositories().length === 0) return without;
    const leftMs = asking.endsMs - setup.clock() - LIMITS.afterModelMs;
    const settings = { ...setup.settings, timeMs: Math.max(0, Math.min(setup.settings.timeMs, leftMs)) };
    return answer({ ...setup, settings, model, question, earlier, step, canRead, asking, without, readable });
  };
}

interface Question extends AgentSetup {
  model: ReturnType<typeof createLanguageModel>;
  question: string;
  earlier: readonly EarlierQuestion[];
  step: (reasoning: string) => Promise<void>;
  canRead: (repository: string) => boolean;
  asking: Asking;
  without: Finding;
  readable: Readable;
}

async function answer(question: Question): Promise<Finding> {
  const { settings, clock, without, readable } = question;
  const startedMs = clock();
  // The model searches from now on.
  const unread = saysUnread(readableCorpus(question.corpus, question.canRead).index);
  const meter = createMeter(settings.prices);
  const time = new AbortController();
  const seconds = Math.round(settings.timeMs / 1_000);
  const tooSlow = new ModelFailure('tooSlow', `it took more than ${seconds} seconds`);
  const timer = setTimeout(() => time.abort(tooSlow), settings.timeMs).unref();
  const asking = { ...question.asking, signal: AbortSignal.any([question.asking.signal, time.signal]) };
  const fence = createFence();
  let ended: { error: unknown } | undefined;
  const step = async (reasoning: string): Promise<void> => {
    try {
      await question.step(reasoning);
    } catch (error) {
      ended ??= { error };
      throw error;
    }
  };
  const tools = createTools({ ...question, step, asking, fence });
  const report: Pick<ModelReport, 'outcome' | 'reason' | 'status' | 'steps' | 'droppedLinks'> = {
    outcome: 'ended',
    reason: undefined,
    status: undefined,
    steps: 0,
    droppedLinks: 0,
  };
  try {
    if (settings.timeMs === 0) throw new ModelFailure('tooSlow', 'no time was left for it');
    await step(`Asking the model ${settings.model}`);
    const written = await withinBudget({ user: asking.user, signal: asking.signal }, async () => {
      const { text, limit, isCut } = await askModel({
        ...{ model: question.model, tools, meter, settings, clock, signal: asking.signal },
        system: instructions(fence.id),
        prompt: questionPrompt(promptOf(question), fence),
        throwIfEnded() {
          if (ended !== undefined) throw ended.error;
        },
        onLimit: (kind) => step(`Writing the answer: ${describeLimit(kind, settings)}`),
        onStep: (steps) => {
          report.steps = steps;
        },
        onUse: () => asking.onModelUse(meter.use()),
      });
      report.reason = limit;
      const checked = await readWrittenAnswer(text, readable);
      return { ...checked, limit, isCut: isCut || checked.isCut };
    });
    if (written.answer === '') throw new ModelFailure('noAnswer', NO_ANSWER);
    report.outcome = 'answered';
    report.droppedLinks = written.dropped;
    if (written.dropped > 0) await step(describeDropped(written.dropped));
    return { ...findingOf(written, { ...question, unread }), ...used() };
  } catch (error) {
    if (question.asking.signal.aborted) throw error;
    const failure = time.signal.aborted ? tooSlow : failureOf(error, question.onProblem);
    Object.assign(report, { outcome: 'failed', reason: failure.kind, status: failure.status });
    await step(`The model failed: ${failure.message}`);
    const note = `_This answer was written without the model ${code(settings.model)}: ${failure.message}._`;
    return { ...without, answer: `${without.answer}\n\n${note}`, ...used() };
  } finally {
    clearTimeout(timer);
    const toolCalls = tools.counts().calls;
    const durationMs = clock() - startedMs;
    question.onReport({ ...report, ...meter.use(), toolCalls, durationMs, prompts: PROMPTS_VERSION });
  }

  function used() {
    return { toolCalls: without.toolCalls + tools.counts().calls, modelUse: meter.use() };
  }
}

/** What the model gets at first. Of earlier answers, only those that show nothing the asker may not read any more. */
function promptOf({ question, earlier, without, readable, corpus }: Question) {
  const names = readable.repositories().map(({ name }) => name);
  const closed = corpus.repositories.map(({ name }) => name).filter((name) => !names.includes(name));
  const open = earlier
    .filter(({ answer }) => answer !== undefined)
    .filter((one) => !closed.some((name) => cites(one, name)))
    .slice(-LIMITS.modelEarlierQuestions);
  for (const name of names) {
    if (cites(without, name) || open.some((one) => cites(one, name))) readable.seen.add(name);
  }
  return {
    question,
    earlier: open.map(({ text = '', answer = '' }) => ({
      question: text.slice(0, LIMITS.modelEarlierCharacters),
      answer: answer.slice(0, LIMITS.modelEarlierCharacters),
    })),
    repositories: names.slice(0, LIMITS.modelRepositories),
    more: Math.max(0, names.length - LIMITS.modelRepositories),
    draft: without.answer,
  };
}

function findingOf(
  written: WrittenAnswer & { limit: LimitKind | undefined },
  { without, readable, settings, question, unread }: Question & { unread: string },
): Finding {
  const notes = [
    ...(written.limit === undefined
      ? []
      : [`_The model ended its search because ${describeLimit(written.limit, settings)}: something may be missing._`]),
    ...(written.isCut ? ['_The answer is cut here: it reached its greatest length._'] : []),
    ...(unread === '' ? [] : [unread]),
  ];
  const cited = new Map(written.sources.map((source) => [source.link, source]));
  const own = cited.size > 0 ? [...cited.values()] : [...readable.opened.values()];
  const followUps = written.followUps.filter((followUp) => followUp.toLowerCase() !== question.trim().toLowerCase());
  const files = new Map(
    [...written.files, ...without.focus.files].map((file) => [`${file.repository}\0${file.path}`, file]),
  );
  return {
    title: written.title || without.title,
    answer: [written.answer, ...notes].join('\n\n'),
    // An answer may hold code of every repository that the model saw: who may not read one of them gets no shared answer.
    sources: [...own.slice(0, LIMITS.modelSources), ...[...readable.seen].sort().map(repositorySource)],
    followUps: followUps.length > 0 ? followUps : without.followUps,
    focus: { ...without.focus, files: [...files.values()].slice(0, 8) },
    toolCalls: without.toolCalls,
    tokensRead: without.tokensRead,
  };
}

function describeDropped(count: number): string {
  return count === 1
    ? 'Removed 1 link that names no file, line or commit'
    : `Removed ${count} links that name no file, line or commit`;
}

function repositorySource(name: string): SourceRecord {
  return { type: 'Repository', link: repositoryPath(name), label: name };
}

function code(text: string): string {
  return `\`${text.replaceAll(BASE_MARK, '').replace(/[`\s]+/g, ' ')}\``;
}

function failureOf(error: unknown, onProblem: (error: unknown) => void): ModelFailure {
  if (error instanceof ModelFailure) return error;
  onProblem(error);
  return new ModelFailure('badReply', 'its answer could not be read', { cause: error });
}
