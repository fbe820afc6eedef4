import type { Viewer } from '../accounts/viewer.ts';
import { html } from './html.ts';
import { type Page, page } from './page.ts';

const TITLES: Record<number, string> = {
  400: 'This request is not valid',
  401: 'Sign in first',
  403: 'This is not allowed',
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'Too busy at the moment',
};

/** A refusal for people who read it in a browser. */
export function errorPage(status: number, message: string, viewer?: Viewer): Page {
  const advice =
    status === 404
      ? html` The repository, branch, file or conversation may have been moved or removed, or you may not be allowed to read it.`
      : undefined;
  return page({
    title: TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'This did not work'),
    status,
    viewer,
    body: html`<p>${message}${advice}</p><p><a href="/">Repositories</a> · <a href="/search">Search</a></p>`,
  });
}
