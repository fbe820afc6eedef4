import type { Viewer } from '../accounts/viewer.ts';

/** What a page knows of its request. */
export interface PageRequest {
  segments: readonly string[];
  /** The text after `?`, not decoded. */
  search: string;
  viewer: Viewer;
  /** Sent back by every form of a signed-in person; undefined without a session. */
  formToken: string | undefined;
}

/** A parameter of the address; undefined when it is missing or empty. */
export function parameter({ search }: Pick<PageRequest, 'search'>, name: string): string | undefined {
  return new URLSearchParams(search).get(name) || undefined;
}
