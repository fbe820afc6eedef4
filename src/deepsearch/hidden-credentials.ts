import { hideCredentials } from '../core/credentials-in-text.ts';
import type { Conversation, UpstreamQuestion } from '../core/ports.ts';
import type { DeepSearchAdapter } from './generation.ts';
import { remember } from './remembered.ts';

/**
 * The service with the credentials hidden in all that it says: answers, titles, sources, follow-ups, steps and errors. So
 * no surface in Slack and no record can have them. The question's text is not changed, because the app recognizes its
 * questions by it; only `byReadToken` (previews of share links) hides it too. Addresses of sources are not changed either,
 * because they must work.
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

  return {
    ...deepSearch,
    create: async (text) => conversation(await deepSearch.create(text)),
    followUp: async (id, text) => question(await deepSearch.followUp(id, text)),
    read: async (id) => conversation(await deepSearch.read(id)),
    async byReadToken(readToken) {
      const shared = conversation(await deepSearch.byReadToken(readToken));
      return {
        ...shared,
        questions: shared.questions.map((asked) => ({ ...asked, text: hideCredentials(asked.text) })),
      };
    },
    newest: async (...search) => (await deepSearch.newest(...search)).map(conversation),
    async changes(most, after) {
      const page = await deepSearch.changes(most, after);
      const conversations = page.conversations.map((listed) => {
        const read = listed.conversation;
        return read === undefined ? listed : { ...listed, conversation: () => conversation(read()) };
      });
      return { ...page, conversations };
    },
  };
}
