import type { Authentication } from '../../accounts/authentication.ts';
import type { Graphql } from '../../graphql/graphql.ts';
import { createSchema } from '../../graphql/schema/schema.ts';
import { type ConsoleContent, createConsolePage } from '../../pages/console-page.ts';
import { isObject } from '../body.ts';
import { readSignedInForm } from '../forms.ts';
import { type Route, requireMethod } from '../route.ts';

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
