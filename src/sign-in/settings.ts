/**
 * How many requests in a second are answered that name no sign-in of the app, from all people together. They are counted
 * apart, so that such requests keep out no one who has a link.
 */
export const mostUnknownPerSecond = 50;
/** How many requests one sign-in may take. A person needs three, and a few more with the browser's back button. */
export const mostRequestsPerTicket = { points: 40, windowSeconds: 600 };
/** Largest form, in bytes. The form of the page has about 100. */
export const mostFormBytes = 4_096;
/** Longest authorization code that is sent on, in characters. RFC 6749 sets no limit. */
export const longestCode = 4_096;
/** Characters of a name in Slack that a page shows. */
export const longestShownName = 80;
