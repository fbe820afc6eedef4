import type { Authentication } from '../../accounts/authentication.ts';
import { ConversationError } from '../../conversations/conversation-error.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { readSignedInForm, redirect } from '../forms.ts';
import { readQuestionText } from '../question-text.ts';
import type { Reply } from '../reply.ts';
import type { Route } from '../route.ts';
import { conversationRefusal } from './rest-conversations.ts';

/**
 * The forms of the conversation pages, for signed-in people: `POST /deepsearch` asks a question; below
 * `/deepsearch/<id>`, `/questions` asks a follow-up, `/questions/<id>/cancel` cancels and `/star` stars.
 */
export function createPageActionsRoute(conversations: Conversations, authentication: Authentication): Route {
  return async ({ method, segments, incoming }) => {
    const [first, id, action, questionId, cancel, ...more] = segments;
    if (method !== 'POST' || first !== 'deepsearch' || more.length > 0) return undefined;
    const { fields, session } = await readSignedInForm(incoming, authentication);
    const { userId } = session.viewer;
    try {
      if (id === undefined) {
        const created = await conversations.create(userId, readQuestionText(fields.get('question'), 'The question'));
        return open(created.readToken);
      }
      const { readToken } = conversations.get(userId, Number(id));
      if (action === 'star' && questionId === undefined) {
        await conversations.star(userId, Number(id), fields.get('starred') === 'true');
        return open(readToken);
      }
      if (action === 'questions' && questionId === undefined) {
        await conversations.followUp(userId, Number(id), readQuestionText(fields.get('question'), 'The question'));
        return open(readToken);
      }
      if (action === 'questions' && cancel === 'cancel') {
        await conversations.cancel(userId, Number(id), Number(questionId));
        return open(readToken);
      }
      return undefined;
    } catch (error) {
      throw error instanceof ConversationError ? conversationRefusal(error) : error;
    }
  };
}

function open(readToken: string): Reply {
  return redirect(`/deepsearch/${readToken}`);
}
