import { hideCredentials } from '../core/credentials-in-text.ts';
import { AppError } from '../core/errors.ts';
import type { Conversation, UpstreamQuestion } from '../core/ports.ts';
import type { DeepSearchAdapter } from './generation.ts';
import { remember } from './remembered.ts';

/**
 * The service with the credentials hidden in all that it says: answers, titles, sources, follow-ups, steps and errors, and
 * why it refused a call. So no surface in Slack and no record can have them. The question's text is not changed, because
 * the app recognizes its questions by it; only `byReadToken` (previews of share links) hides it too. Addresses of sources
 * are not changed either, because they must work.
 */
export function withCredentialsHidden(deepSearch: DeepSearchAdapter): DeepSearchAdapter {
  const hideInAnswer = remember(hideCredentials);
  const question = (asked: UpstreamQuestion): UpstreamQuestion => ({
    ...asked,
    sources: asked.sources.map((source) => ({ ...source, label: hideCredentials(source.label) })),
    followUps: asked.followUps.map(hideCredentials),
    ...(asked.title === undefined ? {} : { title: hideCredentials(asked.title) }),
    ...(asked.answer === undefined ? {} : { answer: hideInAnswer(asked.answer) }),
    ...(asked.lastStep === undefined ? {} : { lastStep: hideCredentials(asked.lastStep) }),
    ...(asked.error === undefined
      ? {}
      : {
          error: {
            ...asked.error,
            title: hideCredentials(asked.error.title),
            message: hideCredentials(asked.error.message),
          },
        }),
  });
  const conversation = (read: Conversation): Conversation => ({ ...read, questions: read.questions.map(question) });

  // Every method is listed, so that the compiler asks for a new one.
  return {
    create: async (text) => conversation(await hidingSaid(deepSearch.create(text))),
    followUp: async (id, text) => question(await hidingSaid(deepSearch.followUp(id, text))),
    read: async (id) => conversation(await hidingSaid(deepSearch.read(id))),
    async byReadToken(readToken) {
      const shared = conversation(await hidingSaid(deepSearch.byReadToken(readToken)));
      return {
        ...shared,
        questions: shared.questions.map((asked) => ({ ...asked, text: hideCredentials(asked.text) })),
      };
    },
    newest: async (...search) => (await hidingSaid(deepSearch.newest(...search))).map(conversation),
    async changes(most, after) {
      const page = await hidingSaid(deepSearch.changes(most, after));
      const conversations = page.conversations.map((listed) => {
        const read = listed.conversation;
        return read === undefined ? listed : { ...listed, conversation: () => conversation(read()) };
      });
      return { ...page, conversations };
    },
    cancel: (...target) => hidingSaid(deepSearch.cancel(...target)),
    delete: (id) => hidingSaid(deepSearch.delete(id)),
  };
}

/** The same call. If it fails, what the service said of that has no credentials. */
async function hidingSaid<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof AppError) || error.said === undefined) throw error;
    throw new AppError(error.kind, error.message, {
      ...error,
      cause: error.cause,
      said: hideCredentials(error.said),
    });
  }
}
