/** When someone last looked at the app's Home, so that it is kept fresh for those who do. */
export interface Visit {
  version: 1;
  openedMs: number;
}
