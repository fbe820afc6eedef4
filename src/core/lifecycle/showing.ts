import { personName } from '../accounts/accounts.ts';
import type { Core } from '../context.ts';
import { type AppError, isAppError, isTransient } from '../errors.ts';
import { isMarkedPrivate, withKeptPrivate } from '../question/conversations.ts';
import { type ConversationId, isInThread, newThread, type Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import {
  areReadersAccepted,
  type ReaderChoices,
  type Showing,
  withReadersAccepted,
} from '../question/reader-choices.ts';
import { isChoiceAwaited, isKeptPrivate, keptPrivateClaim } from '../question/readers.ts';
import type { ShowingStep } from './decide.ts';
import { postFailed } from './delivery.ts';
import { changeQuestion, ifReadable, leaveQueueAndSlot } from './steps.ts';

/** Carries out a step before an answer is shown whose asker decides who sees it. */
export function takeShowing(w: Core, question: Question, step: ShowingStep): Promise<Question> {
  switch (step) {
    case 'read':
      return read(w, question);
    case 'ask':
      return ask(w, question);
    case 'expire':
      return expire(w, question);
    case 'remember':
      return remember(w, question);
    case 'send':
      return send(w, question);
    case 'proveLink':
      return proveLink(w, question);
  }
}

async function read(w: Core, question: Question): Promise<Question> {
  const isAccepted = areReadersAccepted(await choicesOf(w, question), question.place);
  return change(w, question, (showing) =>
    isAccepted && showing.choice === undefined ? { ...showing, choice: 'here', by: 'earlier' } : showing,
  );
}

/** Reads again: since the question began, the asker may have agreed to show another answer here. */
async function ask(w: Core, question: Question): Promise<Question> {
  const current = await read(w, question);
  if (current.showing?.choice !== undefined) return current;
  const asked = await change(w, current, (showing) => ({ ...showing, askedMs: showing.askedMs ?? w.now() }));
  if (!isChoiceAwaited(asked)) return asked;
  await leaveQueueAndSlot(w, asked);
  const people = await w.answerReaders.count(asked.place);
  await w.messenger.notifyPrivately(asked, asked.askerId, {
    kind: 'chooseReaders',
    questionId: asked.id,
    channelId: asked.place.channelId,
    text: asked.text,
    ...(asked.outcome?.kind === 'answered' ? { answer: asked.outcome.answer.markdown } : {}),
    people,
  });
  return change(w, asked, (showing) => ({ ...showing, noticedMs: w.now() }));
}

function expire(w: Core, question: Question): Promise<Question> {
  return changeQuestion(w, question, ({ trouble: _, ...stored }) =>
    isChoiceAwaited(stored) ? { ...stored, showing: { ...stored.showing, choice: 'onlyMe', by: 'time' } } : stored,
  );
}

async function remember(w: Core, question: Question): Promise<Question> {
  const { place, askerId, showing } = question;
  const name = personName({ teamId: place.teamId, userId: askerId });
  const choice = showing?.choice ?? 'onlyMe';
  const storing = w.readerChoices.update(name, (choices) => withReadersAccepted(choices, place, choice));
  await ifReadable(w, question, storing);
  return change(w, question, (stored) => ({ ...stored, rememberedMs: w.now() }));
}

/** Marks the conversation before the answer leaves, so that its link is not shown to others from then on. */
async function send(w: Core, question: Question): Promise<Question> {
  const { conversationId } = question.upstream;
  if (conversationId !== undefined) await markPrivate(w, question, conversationId);
  await w.answerReaders.showPrivately(question);
  return change(w, question, (showing) => ({ ...showing, sentMs: w.now() }));
}

/** A claim ends by itself, and a thread that is used may last longer, so both have the mark. */
async function markPrivate(w: Core, { id, place }: Question, conversationId: ConversationId): Promise<void> {
  await w.claims.claim(keptPrivateClaim(conversationId), id);
  if (!isInThread(place) || (await w.threads.get(place)) === undefined) return;
  await w.threads.update(place, (stored = newThread(place, false)) => withKeptPrivate(stored, conversationId));
}

/** One try: the answer does not wait for it. Without a proof, the link is not shown. */
async function proveLink(w: Core, question: Question): Promise<Question> {
  const isLinkOpen = await canOthersOpen(w, question);
  return changeQuestion(w, question, (stored) => ({ ...stored, upstream: { ...stored.upstream, isLinkOpen } }));
}

async function canOthersOpen(w: Core, question: Question): Promise<boolean> {
  const { shares } = question;
  const source = shares === undefined ? question : await getReadable(w.questions, shares.questionId);
  const { shareUrl, conversationId } = source?.upstream ?? {};
  if (source === undefined || shareUrl === undefined || conversationId === undefined) return false;
  if ((await w.claims.ownerOf(keptPrivateClaim(conversationId))) !== undefined) return false;
  const thread = isInThread(source.place) ? await w.threads.get(source.place) : undefined;
  if (isMarkedPrivate(thread, conversationId)) return false;
  if (await hasUnshown(w, source, conversationId, thread?.asked)) return false;
  try {
    return await w.answerReaders.canOpen(shareUrl, conversationId);
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
    w.log.debug({ event: 'share_link_not_proven', questionId: question.id, kind: error.kind });
    return false;
  }
}

/** Whether the asker may still keep another answer of the conversation private. */
async function hasUnshown(
  w: Core,
  { id }: Question,
  conversationId: ConversationId,
  asked: readonly string[] = [],
): Promise<boolean> {
  const others = await Promise.all(
    asked.filter((other) => other !== id).map((other) => getReadable(w.questions, other)),
  );
  return others.some(
    (other) => other?.upstream.conversationId === conversationId && (isChoiceAwaited(other) || isKeptPrivate(other)),
  );
}

export async function showingFailed(
  w: Core,
  question: Question,
  step: ShowingStep,
  error: AppError,
): Promise<Question | undefined> {
  if (isTransient(error)) return undefined;
  if (step === 'send') return postFailed(w, question, error);
  if (step !== 'ask') return undefined;
  w.log.warn({ event: 'readers_not_asked_for', questionId: question.id, kind: error.kind }, error);
  return expire(w, question);
}

async function choicesOf(w: Core, question: Question): Promise<ReaderChoices | undefined> {
  const { place, askerId } = question;
  const name = personName({ teamId: place.teamId, userId: askerId });
  return ifReadable(w, question, w.readerChoices.get(name));
}

function change(w: Core, question: Question, apply: (showing: Showing) => Showing): Promise<Question> {
  return changeQuestion(w, question, (stored) => {
    const showing = apply(stored.showing ?? {});
    return showing === stored.showing ? stored : { ...stored, showing };
  });
}
