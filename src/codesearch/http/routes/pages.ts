import type { Authentication } from '../../accounts/authentication.ts';
import { errorPage } from '../../pages/error-page.ts';
import type { createPages } from '../../pages/pages.ts';
import { isForPeople } from '../reply.ts';
import { type Route, requireMethod } from '../route.ts';

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
