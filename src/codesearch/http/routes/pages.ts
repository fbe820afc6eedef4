import type { createPages } from '../../pages/pages.ts';
import { type Route, requireMethod } from '../route.ts';

/** The pages people open in a browser: every address outside `/.api`. */
export function createPagesRoute(pages: ReturnType<typeof createPages>): Route {
  return async ({ method, segments, search, pageViewer }) => {
    if (segments[0] === '.api') return undefined;
    const page = await pages(segments, search, await pageViewer());
    if (page === undefined) return undefined;
    requireMethod(method, ['GET', 'HEAD']);
    return { kind: 'page', status: 200, ...page };
  };
}
