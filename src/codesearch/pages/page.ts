import { randomBytes } from 'node:crypto';
import type { Viewer } from '../accounts/viewer.ts';
import { assetAddress } from './assets.ts';
import { type Html, html } from './html.ts';

/** What {@link page} turns into a whole page. Forms, tables, lists and buttons in `body` need no classes. */
export interface PageContent {
  title: string;
  /** The heading within the page; default: the title. */
  heading?: Html;
  /** A dim line below the heading. */
  detail?: Html;
  body: Html;
  /** The user of the page, for the navigation; without one, or with credential `none`, it offers to sign in. */
  viewer?: Viewer | undefined;
  /** The token of the session, for the form that signs out. */
  formToken?: string | undefined;
  /** The entry of the navigation that is marked as current. */
  section?: 'search' | 'repositories' | 'conversations' | 'settings';
  /** Shows the menu of the settings beside the body and marks the entry with this address. */
  settingsEntry?: string;
  /** Uses the full width, for code. */
  wide?: boolean;
  /** The text in the search box of the header. */
  query?: string;
  /**
   * Where forms may lead, beside this service: origins such as `https://app.example`, or schemes such as `app:`. The
   * browser also checks redirects that answer a form.
   */
  formTargets?: readonly string[];
  /** Modules of the folder `assets`, beside `page.js`. */
  scripts?: readonly string[];
  /** Loads the page again after this many seconds when the browser runs no scripts. */
  refreshSeconds?: number;
  /** Default 200. */
  status?: number;
}

/** A whole page, and the headers that protect it. */
export interface Page {
  status: number;
  html: string;
  contentSecurityPolicy: string;
}

/** The content of a file, which is sent as it is. */
export interface RawFile {
  contentType: string;
  body: string | Buffer;
  headers: Record<string, string>;
}

/** An entry of a list of tabs. */
export function tab(label: string, address: string, isCurrent: boolean): Html {
  return html`<a href="${address}"${isCurrent ? html` aria-current="true"` : undefined}>${label}</a>`;
}

/** The link to the next page of a list, which keeps the other parameters of the address. */
export function pager(label: string, { search }: { search: string }, after: string | null | undefined): Html {
  const parameters = new URLSearchParams(search);
  parameters.set('after', after ?? '');
  return html`<p><a class="button" rel="next" href="?${parameters.toString()}">${label}</a></p>`;
}

/** What is wrong, where there is something. */
export function alert(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<p role="alert" class="error">${problem}</p>`;
}

/** The hidden field that every form of a signed-in person sends back. */
export function formTokenField(formToken: string | undefined): Html | undefined {
  return formToken === undefined ? undefined : html`<input type="hidden" name="formToken" value="${formToken}">`;
}

const SECTIONS = [
  ['search', '/search', 'Search'],
  ['repositories', '/', 'Repositories'],
  ['conversations', '/deepsearch', 'Conversations'],
  ['settings', '/settings', 'Settings'],
] as const;

/** The entries of the settings menu; accounts add no entry without a line here. */
const SETTINGS = [
  { address: '/settings/tokens', label: 'Access tokens', adminOnly: false },
  { address: '/settings/oauth-apps', label: 'OAuth apps', adminOnly: true },
  { address: '/api/console', label: 'API console', adminOnly: false },
];

/**
 * Builds a page. Its policy allows the style, the scripts and the requests of this service only: nothing from other
 * hosts, no inline scripts, no frames.
 */
export function page(content: PageContent): Page {
  const nonce = randomBytes(16).toString('base64');
  const { title, viewer, detail, refreshSeconds } = content;
  const scripts = ['page.js', ...(content.scripts ?? [])].map(
    (name) => html`<script nonce="${nonce}" type="module" src="${assetAddress(name)}"></script>`,
  );
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,"><link rel="stylesheet" nonce="${nonce}" href="${assetAddress('style.css')}">
${refreshSeconds === undefined ? undefined : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}${scripts}</head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">Code search</a>
<form class="search" action="/search" role="search"><input type="search" name="q" value="${content.query ?? ''}" placeholder="Search code, for example repo:app lang:ts retry" aria-label="Search code" autocomplete="off" spellcheck="false"></form>
${navigation(content)}</header>
<div class="${content.settingsEntry === undefined ? 'page' : 'page with-menu'}">${
    content.settingsEntry === undefined ? undefined : settingsMenu(content.settingsEntry, viewer)
  }
<main id="main" class="${content.wide === true ? 'wide' : ''}"><div class="title"><h1>${content.heading ?? title}</h1>${
    detail === undefined ? undefined : html`<p>${detail}</p>`
  }</div>${content.body}</main></div></body></html>`;
  return { status: content.status ?? 200, html: document.text, contentSecurityPolicy: policy(nonce, content) };
}

function policy(nonce: string, { formTargets = [] }: PageContent): string {
  const targets = formTargets.filter((target) => /^[a-z][a-z0-9+.-]*:(?:\/\/[a-z0-9.:[\]-]+)?$/i.test(target));
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action ${["'self'", ...targets].join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

function navigation({ viewer, formToken, settingsEntry, ...content }: PageContent): Html {
  const section = content.section ?? (settingsEntry === undefined ? undefined : 'settings');
  const signedIn = viewer !== undefined && viewer.credential !== 'none';
  return html`<nav aria-label="Main">${SECTIONS.map(([name, address, label]) => tab(label, address, name === section))}${
    signedIn
      ? html`<form class="sign-out" method="post" action="/sign-out">${formTokenField(formToken)}<span title="${viewer.displayName}">${viewer.username}</span><button class="plain">Sign out</button></form>`
      : html`<a href="/sign-in">Sign in</a>`
  }</nav>`;
}

function settingsMenu(current: string, viewer: Viewer | undefined): Html {
  const entries = SETTINGS.filter(({ adminOnly }) => !adminOnly || viewer?.siteAdmin === true).map(
    ({ address, label }) =>
      html`<li><a href="${address}"${address === current ? html` aria-current="page"` : undefined}>${label}</a></li>`,
  );
  return html`<nav class="menu" aria-label="Settings"><h2>Settings</h2><ul>${entries}</ul></nav>`;
}

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
