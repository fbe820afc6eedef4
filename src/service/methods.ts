import { hideCredentials } from '../core/credentials-in-text.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { Conversation, UpstreamQuestion } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import type { DeepSearchAdapter, Generation } from './generation.ts';
import { remember } from './links.ts';

/** What the steps of the pipeline need to know of a call. */
export interface Call {
  kind: 'question' | 'cancellation' | 'read';
  /** The conversation that it is about. */
  conversationId?: ConversationId;
  /** It reads a conversation by its share address, so a refusal may be about this conversation alone. */
  isShared?: true;
}

/** Carries one call. `spend` takes room for each request beyond the first, and throws if there is none. */
export type Perform = <Result>(
  call: Call,
  run: (generation: Generation, spend: () => Promise<void>) => Promise<Result>,
) => Promise<Result>;

/** All methods of the service, each as a call that `perform` carries: the only list of them beside the generations. */
export function createMethods(perform: Perform, hidesCredentials = false): DeepSearchAdapter {
  const { conversation, question, shared } = hidesCredentials ? hiding : showing;
  return {
    create: async (text) =>
      conversation(await perform({ kind: 'question' }, ({ deepSearch }) => deepSearch.create(text))),
    followUp: async (conversationId, text) =>
      question(
        await perform({ kind: 'question', conversationId }, ({ deepSearch }) =>
          deepSearch.followUp(conversationId, text),
        ),
      ),
    read: async (conversationId) =>
      conversation(
        await perform({ kind: 'read', conversationId }, ({ deepSearch }) => deepSearch.read(conversationId)),
      ),
    // Only generation 1 looks up read tokens.
    byReadToken: async (readToken) =>
      shared(await perform({ kind: 'read', isShared: true }, ({ deepSearch }) => deepSearch.byReadToken(readToken))),
    async newest(limit, sinceMs, search) {
      const found = await perform({ kind: 'read' }, ({ deepSearch }, spend) =>
        deepSearch.newest(limit, sinceMs, search && { ...search, beforeRequest: spend }),
      );
      return found.map(conversation);
    },
    async changes(most, after = '') {
      // A page is named with its generation: the other one begins with its first page.
      const { next, ...page } = await perform({ kind: 'read' }, async ({ number, deepSearch }) => {
        const prefix = `${number}:`;
        const changed = await deepSearch.changes(
          most,
          after.startsWith(prefix) ? after.slice(prefix.length) : undefined,
        );
        return { ...changed, next: changed.next && prefix + changed.next };
      });
      const conversations = page.conversations.map(({ conversation: read, ...listed }) => ({
        ...listed,
        ...(read && { conversation: () => conversation(read()) }),
      }));
      return { conversations, ...(next && { next }) };
    },
    async cancel(conversationId, target) {
      try {
        await perform({ kind: 'cancellation', conversationId }, ({ deepSearch }) =>
          deepSearch.cancel(conversationId, target),
        );
      } catch (error) {
        if (!isAppError(error, 'notFound')) throw error;
      }
    },
    delete: (conversationId) =>
      perform({ kind: 'cancellation', conversationId }, ({ deepSearch }) => deepSearch.delete(conversationId)),
  };
}

interface Shown {
  conversation: (read: Conversation) => Conversation;
  question: (asked: UpstreamQuestion) => UpstreamQuestion;
  /** Of a conversation that someone shared. */
  shared: (read: Conversation) => Conversation;
}

const showing: Shown = { conversation: (read) => read, question: (asked) => asked, shared: (read) => read };

const hideInAnswer = remember(hideCredentials);

/**
 * Hides the credentials in all that the service says: answers, titles, sources, follow-ups, steps and errors. So no surface
 * in Slack and no record can have them. The question's text is not changed, because the app recognizes its questions by it;
 * only that of a shared conversation (previews) is. Addresses of sources are not changed either, because they must work.
 */
const hiding: Shown = {
  question: ({ title, answer, lastStep, error, ...asked }) => ({
    ...asked,
    sources: asked.sources.map((source) => ({ ...source, label: hideCredentials(source.label) })),
    followUps: asked.followUps.map(hideCredentials),
    ...(title !== undefined && { title: hideCredentials(title) }),
    ...(answer !== undefined && { answer: hideInAnswer(answer) }),
    ...(lastStep !== undefined && { lastStep: hideCredentials(lastStep) }),
    ...(error && {
      error: { ...error, title: hideCredentials(error.title), message: hideCredentials(error.message) },
    }),
  }),
  conversation: (read) => ({ ...read, questions: read.questions.map(hiding.question) }),
  shared(read) {
    const { questions, ...rest } = hiding.conversation(read);
    return { ...rest, questions: questions.map((asked) => ({ ...asked, text: hideCredentials(asked.text) })) };
  },
};

/** The same error, without the credentials in what the service said. */
export function withoutCredentials(error: unknown): unknown {
  if (!(error instanceof AppError) || error.said === undefined) return error;
  return new AppError(error.kind, error.message, { ...error, cause: error.cause, said: hideCredentials(error.said) });
}
