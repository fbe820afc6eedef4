import type { Authentication } from '../../accounts/authentication.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { ConversationError } from '../../conversations/records.ts';
import type { Graphql } from '../../graphql/graphql.ts';
import { createSchema } from '../../graphql/schema.ts';
import { findAsset } from '../../pages/assets.ts';
import { type ConsoleContent, createConsolePage } from '../../pages/console-page.ts';
import { errorPage } from '../../pages/page.ts';
import type { createPages } from '../../pages/pages.ts';
import { isObject, readQuestionText } from '../body.ts';
import { readSignedInForm, redirect } from '../forms.ts';
import { isForPeople, type Reply } from '../reply.ts';
import { type Route, requireMethod } from '../route.ts';
import { conversationRefusal } from './rest-conversations.ts';

/** The pages people read: every address outside `/.api` that no earlier route has answered. */
export function createPagesRoute(
  pages: ReturnType<typeof createPages>,
  authentication: Pick<Authentication, 'session'>,
): Route {
  return async ({ method, segments, search, headers, incoming, pageViewer }) => {
    if (segments[0]?.startsWith('.') === true) return undefined;
    const viewer = await pageViewer();
    const formToken = authentication.session(headers)?.formToken;
    const found = await pages({ segments, search, viewer, formToken });
    const isRefusal = found !== undefined && 'html' in found && found.status === 404;
    if (found !== undefined && (!isRefusal || isForPeople(incoming))) {
      requireMethod(method, ['GET']);
      return 'html' in found ? { kind: 'page', ...found } : { kind: 'file', status: 200, ...found };
    }
    if (!isForPeople(incoming)) return undefined;
    return { kind: 'page', ...errorPage(404, 'There is nothing at this address.', viewer) };
  };
}

/** `GET /-/assets/<version>/<name>`: style and scripts of the pages, without a token. */
export function createAssetsRoute(): Route {
  return async ({ method, segments }) => {
    const asset = findAsset(segments);
    if (asset === undefined) return undefined;
    requireMethod(method, ['GET']);
    return {
      kind: 'file',
      status: 200,
      contentType: asset.contentType,
      body: asset.text,
      headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
    };
  };
}

/** `/api/console`, also at its earlier address `/debug/console`: a form that runs a GraphQL query of a signed-in person. */
export function createConsoleRoute(graphql: Graphql, authentication: Authentication): Route {
  const consolePage = createConsolePage(createSchema());

  return async ({ method, segments, headers, incoming, pageViewer }) => {
    if (!['api/console', 'debug/console'].includes(segments.join('/'))) return undefined;
    requireMethod(method, ['GET', 'POST']);
    if (method !== 'POST') {
      const viewer = await pageViewer();
      return { kind: 'page', ...consolePage({ viewer, formToken: authentication.session(headers)?.formToken }) };
    }
    const { fields, session } = await readSignedInForm(incoming, authentication);
    const [query, variables] = [fields.get('query') ?? '', fields.get('variables') ?? ''];
    const content: ConsoleContent = { query, variables };
    const given = readVariables(variables);
    if (given === undefined) content.result = 'The variables must be a JSON object.';
    else {
      const { body } = await graphql({ query, variables: given, operationName: undefined }, session.viewer);
      content.result = JSON.stringify(body, undefined, 2);
    }
    return { kind: 'page', ...consolePage(session, content) };
  };
}

function readVariables(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

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
