import { personName } from '../accounts/accounts.ts';
import { type AppError, isAppError, isTransient } from '../errors.ts';
import { isMarkedPrivate, withKeptPrivate } from '../question/conversations.ts';
import { type ConversationId, isBetweenTwo, isInThread, newThread, type Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import {
  areReadersAccepted,
  type ReaderChoices,
  type Showing,
  withReadersAccepted,
} from '../question/reader-choices.ts';
import {
  isChoiceAwaited,
  isChoiceNeeded,
  isForAskerOnly,
  isKeptPrivate,
  keptPrivateClaim,
} from '../question/readers.ts';
import { chooseReadersMs, parkedCheckMs } from '../settings.ts';
import { changeQuestion, ifReadable, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';

/** The steps between an answer and its first message, if its asker decides who sees it. */
export type ShowingStep =
  /** Reads whether the asker agreed earlier to show answers here. */
  | 'read'
  /** Asks the asker privately. Needs an admission that is not old. */
  | 'ask'
  /** The asker did not choose in time. */
  | 'expire'
  /** Stores the choice for later answers. */
  | 'remember'
  /** Hands the answer over to the asker's direct messages. */
  | 'send'
  /** Finds out whether other people can open the share URL. */
  | 'proveLink';

/** The next of these steps, or a wait for the asker. Undefined if nothing of this stands between answer and messages. */
export function decideShowing(
  question: Question,
  nowMs: number,
): { do: 'showing'; step: ShowingStep } | { do: 'wait'; ms: number } | undefined {
  const { outcome, showing } = question;
  if (outcome?.kind !== 'answered') return undefined;
  if (isForAskerOnly(question)) return showing?.sentMs === undefined ? { do: 'showing', step: 'send' } : undefined;
  if (isChoiceNeeded(question)) {
    if (showing?.choice === undefined) return decideChoice(showing, nowMs);
    if (showing.by === 'asker' && showing.rememberedMs === undefined) return { do: 'showing', step: 'remember' };
  }
  return isLinkUnproven(question) ? { do: 'showing', step: 'proveLink' } : undefined;
}

function decideChoice(
  { askedMs, noticedMs }: Showing = {},
  nowMs: number,
): { do: 'showing'; step: ShowingStep } | { do: 'wait'; ms: number } {
  // A time far in the future counts as over too: the clock was set back.
  const leftMs = chooseReadersMs - Math.abs(nowMs - (askedMs ?? nowMs));
  if (leftMs <= 0) return { do: 'showing', step: 'expire' };
  if (noticedMs === undefined) return { do: 'showing', step: 'ask' };
  return { do: 'wait', ms: Math.min(leftMs, parkedCheckMs) };
}

/** Also for an answer that is shared: its asker may include the link, and others must be able to open it. */
function isLinkUnproven({ access, place, upstream, delivery }: Question): boolean {
  if (access !== 'own' || isBetweenTwo(place) || delivery.posted.length > 0) return false;
  return upstream.shareUrl !== undefined && upstream.isLinkOpen === undefined;
}

/** Whether the asker's earlier choices have to be read, before the card of a running question may show its steps. */
export function isChoiceUnread(question: Question): boolean {
  return isChoiceNeeded(question) && question.showing === undefined;
}

/**
 * Carries out these steps. `leave` gives back the thread's queue and the run slot, so that other questions do not wait
 * for the asker. `sendFailed` is for an answer that can't be sent to the asker's direct messages.
 */
export function createShowing(
  ports: LifecyclePorts,
  leave: (question: Question) => Promise<void>,
  sendFailed: (question: Question, error: AppError) => Promise<Progress | undefined>,
) {
  const { readerChoices, answerReaders, claims, messenger, now } = ports;

  return { take, failed };

  async function take(question: Question, step: ShowingStep): Promise<Progress> {
    return { question: await taken(question, step) };
  }

  function taken(question: Question, step: ShowingStep): Promise<Question> {
    switch (step) {
      case 'read':
        return read(question);
      case 'ask':
        return ask(question);
      case 'expire':
        return expire(question);
      case 'remember':
        return remember(question);
      case 'send':
        return send(question);
      case 'proveLink':
        return proveLink(question);
    }
  }

  async function read(question: Question): Promise<Question> {
    const isAccepted = areReadersAccepted(await choicesOf(question), question.place);
    return change(question, (showing) =>
      isAccepted && showing.choice === undefined ? { ...showing, choice: 'here', by: 'earlier' } : showing,
    );
  }

  /** Reads again: since the question began, the asker may have agreed to show another answer here. */
  async function ask(question: Question): Promise<Question> {
    const current = await read(question);
    if (current.showing?.choice !== undefined) return current;
    const asked = await change(current, (showing) => ({ ...showing, askedMs: showing.askedMs ?? now() }));
    if (!isChoiceAwaited(asked)) return asked;
    await leave(asked);
    const people = await answerReaders.count(asked.place);
    await messenger.notifyPrivately(asked, asked.askerId, {
      kind: 'chooseReaders',
      questionId: asked.id,
      channelId: asked.place.channelId,
      text: asked.text,
      ...(asked.outcome?.kind === 'answered' ? { answer: asked.outcome.answer.markdown } : {}),
      people,
    });
    return change(asked, (showing) => ({ ...showing, noticedMs: now() }));
  }

  function expire(question: Question): Promise<Question> {
    return changeQuestion(ports, question, ({ trouble: _, ...stored }) =>
      isChoiceAwaited(stored) ? { ...stored, showing: { ...stored.showing, choice: 'onlyMe', by: 'time' } } : stored,
    );
  }

  async function remember(question: Question): Promise<Question> {
    const { place, askerId, showing } = question;
    const name = personName({ teamId: place.teamId, userId: askerId });
    const choice = showing?.choice ?? 'onlyMe';
    const storing = readerChoices.update(name, (choices) => withReadersAccepted(choices, place, choice));
    await ifReadable(ports, question, storing);
    return change(question, (stored) => ({ ...stored, rememberedMs: now() }));
  }

  /** Marks the conversation before the answer leaves, so that its link is not shown to others from then on. */
  async function send(question: Question): Promise<Question> {
    const { conversationId } = question.upstream;
    if (conversationId !== undefined) await markPrivate(question, conversationId);
    await answerReaders.showPrivately(question);
    return change(question, (showing) => ({ ...showing, sentMs: now() }));
  }

  /** A claim ends by itself, and a thread that is used may last longer, so both have the mark. */
  async function markPrivate({ id, place }: Question, conversationId: ConversationId): Promise<void> {
    await claims.claim(keptPrivateClaim(conversationId), id);
    if (!isInThread(place) || (await ports.threads.get(place)) === undefined) return;
    await ports.threads.update(place, (stored = newThread(place, false)) => withKeptPrivate(stored, conversationId));
  }

  /** One try: the answer does not wait for it. Without a proof, the link is not shown. */
  async function proveLink(question: Question): Promise<Question> {
    const isLinkOpen = await canOthersOpen(question);
    return changeQuestion(ports, question, (stored) => ({ ...stored, upstream: { ...stored.upstream, isLinkOpen } }));
  }

  async function canOthersOpen(question: Question): Promise<boolean> {
    const { shares } = question;
    const source = shares === undefined ? question : await getReadable(ports.questions, shares.questionId);
    const { shareUrl, conversationId } = source?.upstream ?? {};
    if (source === undefined || shareUrl === undefined || conversationId === undefined) return false;
    if ((await claims.ownerOf(keptPrivateClaim(conversationId))) !== undefined) return false;
    const thread = isInThread(source.place) ? await ports.threads.get(source.place) : undefined;
    if (isMarkedPrivate(thread, conversationId)) return false;
    if (await hasUnshown(source, conversationId, thread?.asked)) return false;
    try {
      return await answerReaders.canOpen(shareUrl, conversationId);
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage' || error.kind === 'corrupt') throw error;
      ports.log.debug({ event: 'share_link_not_proven', questionId: question.id, kind: error.kind });
      return false;
    }
  }

  /** Whether the asker may still keep another answer of the conversation private. */
  async function hasUnshown(
    { id }: Question,
    conversationId: ConversationId,
    asked: readonly string[] = [],
  ): Promise<boolean> {
    const others = await Promise.all(
      asked.filter((other) => other !== id).map((other) => getReadable(ports.questions, other)),
    );
    return others.some(
      (other) => other?.upstream.conversationId === conversationId && (isChoiceAwaited(other) || isKeptPrivate(other)),
    );
  }

  async function failed(question: Question, step: ShowingStep, error: AppError): Promise<Progress | undefined> {
    if (isTransient(error)) return undefined;
    if (step === 'send') return sendFailed(question, error);
    if (step !== 'ask') return undefined;
    ports.log.warn({ event: 'readers_not_asked_for', questionId: question.id, kind: error.kind }, error);
    return { question: await expire(question) };
  }

  async function choicesOf(question: Question): Promise<ReaderChoices | undefined> {
    const { place, askerId } = question;
    const name = personName({ teamId: place.teamId, userId: askerId });
    return ifReadable(ports, question, readerChoices.get(name));
  }

  function change(question: Question, apply: (showing: Showing) => Showing): Promise<Question> {
    return changeQuestion(ports, question, (stored) => {
      const showing = apply(stored.showing ?? {});
      return showing === stored.showing ? stored : { ...stored, showing };
    });
  }
}
