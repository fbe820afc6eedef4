import type { GrantRecord, OAuthApp, TokenRecord } from '../accounts/records.ts';
import { formTargetOf } from '../accounts/redirect-uris.ts';
import type { Viewer } from '../accounts/viewer.ts';
import { type Html, html } from './html.ts';
import { alert, formTokenField as hidden, type Page, page } from './page.ts';

/** Lifetimes offered for a new token, in days; 0 stands for no expiry. */
export const TOKEN_LIFETIMES = [30, 7, 90, 365, 0] as const;

/** A signed-in page: the person, and the token that its forms send back. */
export interface SignedIn {
  viewer: Viewer;
  formToken: string;
}

/** The form that asks for an access token. */
export function signInPage(returnTo: string, problem?: string): Page {
  return page({
    title: 'Sign in',
    heading: html`Sign in`,
    body: html`${alert(problem)}
<form method="post" action="/sign-in">
<input type="hidden" name="returnTo" value="${returnTo}">
<p><label>Access token<br><input type="password" name="token" required autocomplete="current-password" size="50"></label></p>
<p><button>Sign in</button></p></form>
<p class="dim">Signing in needs an access token with the scope user:all. The operator of this service gives you the first one.</p>`,
  });
}

export interface TokensContent extends SignedIn {
  tokens: readonly TokenRecord[];
  authorizations: readonly { grant: GrantRecord; app: OAuthApp }[];
  /** A token that was just created: this page is the only one that shows it. */
  created?: string;
  problem?: string;
}

/** The access tokens of a person and the apps that may act for them. */
export function tokensPage({ viewer, formToken, tokens, authorizations, created, problem }: TokensContent): Page {
  const rows = tokens.map(
    (token) =>
      html`<tr><td>${token.note}</td><td>${token.scopes.join(' ')}</td><td>${dateOf(token.createdMs)}</td><td>${dateOf(token.lastUsedMs)}</td><td>${dateOf(token.expiresMs)}</td><td>${button(`/settings/tokens/${token.id}/revoke`, formToken, 'Revoke')}</td></tr>`,
  );
  const grants = authorizations.map(
    ({ grant, app }) =>
      html`<tr><td>${app.name}</td><td>${dateOf(grant.createdMs)}</td><td>${button(`/settings/authorizations/${grant.id}/revoke`, formToken, 'Revoke')}</td></tr>`,
  );
  const scopes = [
    'user:all',
    'externalapi:read',
    'externalapi:write',
    ...(viewer.scopes.has('site-admin:sudo') && viewer.siteAdmin ? ['site-admin:sudo'] : []),
  ].map(
    (scope) =>
      html`<label><input type="checkbox" name="scope" value="${scope}"${scope === 'user:all' ? html` checked` : html``}> ${scope}</label> `,
  );
  const lifetimes = TOKEN_LIFETIMES.map(
    (days) => html`<option value="${days}">${days === 0 ? 'never' : `after ${days} days`}</option>`,
  );
  return page({
    title: 'Access tokens',
    heading: html`Access tokens of ${viewer.username}`,
    viewer,
    formToken,
    settingsEntry: '/settings/tokens',
    body: html`${alert(problem)}${
      created === undefined
        ? html``
        : html`<p role="status" class="notice">Copy the new token now; it is not shown again.</p><pre><code id="created-token">${created}</code></pre>`
    }
<table><thead><tr><th>Note</th><th>Scopes</th><th>Created</th><th>Last used</th><th>Expires</th><th></th></tr></thead><tbody>${rows}</tbody></table>
<h2>New token</h2>
<form method="post" action="/settings/tokens">${hidden(formToken)}
<p><label>Note<br><input name="note" maxlength="200" size="50"></label></p>
<p>${scopes}</p><p><label>Expires <select name="days">${lifetimes}</select></label></p>
<p><button>Create token</button></p></form>
<h2>Apps that may act for you</h2>
<table><thead><tr><th>App</th><th>Allowed</th><th></th></tr></thead><tbody>${grants}</tbody></table>`,
  });
}

export interface AppsContent extends SignedIn {
  apps: readonly OAuthApp[];
  /** An app that was just registered, with its secret if it has one. */
  created?: { app: OAuthApp; secret?: string };
  problem?: string;
}

/** The registered OAuth apps, for site admins. */
export function oauthAppsPage({ viewer, formToken, apps, created, problem }: AppsContent): Page {
  const rows = apps.map(
    (app) =>
      html`<tr><td>${app.name}</td><td><code>${app.clientId}</code></td><td>${app.secretDigest === undefined ? 'public' : 'confidential'}</td><td>${app.redirectUris.join(' ')}</td><td>${button(`/settings/oauth-apps/${app.clientId}/remove`, formToken, 'Remove')}</td></tr>`,
  );
  const shown =
    created === undefined
      ? html``
      : html`<p role="status" class="notice">The app ${created.app.name} is registered. Its client id is <code id="client-id">${created.app.clientId}</code>.</p>${
          created.secret === undefined
            ? html``
            : html`<p>Copy the client secret now; it is not shown again.</p><pre><code id="client-secret">${created.secret}</code></pre>`
        }`;
  return page({
    title: 'OAuth apps',
    heading: html`OAuth apps`,
    viewer,
    formToken,
    settingsEntry: '/settings/oauth-apps',
    body: html`${alert(problem)}${shown}
<table><thead><tr><th>Name</th><th>Client id</th><th>Kind</th><th>Redirect addresses</th><th></th></tr></thead><tbody>${rows}</tbody></table>
<h2>New app</h2>
<form method="post" action="/settings/oauth-apps">${hidden(formToken)}
<p><label>Name<br><input name="name" required maxlength="200" size="50"></label></p>
<p><label>Redirect addresses, one per line<br><textarea name="redirectUris" required rows="3" cols="60"></textarea></label></p>
<p><label><input type="checkbox" name="confidential" value="yes"> The app runs on a server and can keep a secret</label></p>
<p><button>Register app</button></p></form>`,
  });
}

/** Asks a signed-in person whether an app may act for them. */
export function consentPage(
  { viewer, formToken }: SignedIn,
  app: OAuthApp,
  redirectUri: string,
  parameters: Readonly<Record<string, string>>,
): Page {
  const fields = Object.entries(parameters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return page({
    title: `Allow ${app.name}?`,
    heading: html`Allow ${app.name} to act for you?`,
    viewer,
    formToken,
    // Browsers check the redirect that answers the form against the same policy.
    formTargets: [formTargetOf(redirectUri)],
    body: html`<p>${app.name} asks for access to this service as <strong>${viewer.username}</strong>: it may do everything that you may do (user:all), until you revoke it in the settings.</p>
<p>Afterwards your browser goes to <code>${redirectUri}</code>.</p>
<form method="post" action="/.auth/idp/oauth/authorize">${hidden(formToken)}${fields}
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Don’t allow</button></p></form>`,
  });
}

/** A page for a request that can't be answered otherwise. */
export function problemPage(title: string, problem: string): Page {
  return page({ title, heading: html`${title}`, body: html`${alert(problem)}` });
}

function button(action: string, formToken: string, label: string): Html {
  return html`<form method="post" action="${action}">${hidden(formToken)}<button>${label}</button></form>`;
}

function dateOf(ms: number | undefined): string {
  return ms === undefined ? 'never' : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
