import type { createPages } from '../../pages/pages.ts';
import { type Route, requireMethod } from '../route.ts';

/** The pages people open in a browser: every address outside `/.api`. */
export function createPagesRoute(pages: ReturnType<typeof createPages>): Route {
  return async ({ method, segments, search }) => {
    if (segments[0] === '.api') return undefined;
    const page = await pages(segments, search);
    if (page === undefined) return undefined;
    requireMethod(method, ['GET', 'HEAD']);
    return { kind: 'page', ...page };
  };
}
