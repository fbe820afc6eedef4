import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { people, team } from '../../../src/local-slack/people.ts';
import { parseArgs, type Reply, refused } from '../../../src/local-slack/wire.ts';
import { type FakeSlack, startFakeSlack } from './fake-slack.ts';

export const slackApp = { clientId: '111.222', clientSecret: 'the-client-secret' };

/** A workspace or organization that may install the app. All have the same people and channels, by the same ids. */
interface Installer {
  id: string;
  /** The workspace's own organization, or the organization itself. */
  enterpriseId?: string;
  slack: FakeSlack;
}

interface Token {
  installer: Installer;
  isRevoked?: boolean;
  expiresMs?: number;
}

/**
 * A fake Slack of several workspaces and organizations, with the OAuth flow of installations. It issues codes and tokens
 * that work once, and passes each call on to the fake of the workspace that its token belongs to. There, the id of the
 * workspace is always `team.id`; this server translates it. With `lifeSeconds` it rotates tokens: they live so long, and
 * each refresh token works once.
 */
export async function startInstallingSlack({ lifeSeconds }: { lifeSeconds?: number } = {}) {
  const installers = new Map<string, Installer>();
  const codes = new Map<string, { installer: Installer; redirectUri: string }>();
  const tokens = new Map<string, Token>();
  const refreshTokens = new Map<string, { installer: Installer; uses: number }>();
  let refusesRefresh = false;
  const violations: string[] = [];
  let serial = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`fake broke: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${address.port}`;

  return {
    url: `${origin}/api/`,
    add,
    install,
    grant,
    revoke,
    deliverable,
    responseUrl,
    tokens: () => [...tokens.keys()],
    /** How often each refresh token was used. */
    refreshes: () => [...refreshTokens.values()].map(({ uses }) => uses),
    /** From now on, no refresh token is accepted, or each is again. */
    refuseRefresh: (refuses: boolean) => {
      refusesRefresh = refuses;
    },
    violations: () => [...violations, ...[...installers.values()].flatMap(({ slack }) => slack.violations)],
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { slack } of installers.values()) await slack.stop();
    },
  };

  /** A new workspace (`T…`) or organization (`E…`). */
  async function add(id: string, enterpriseId?: string): Promise<FakeSlack> {
    const slack = await startFakeSlack();
    installers.set(id, { id, slack, ...(enterpriseId === undefined ? {} : { enterpriseId }) });
    if (id.startsWith('E')) {
      const user = { team_id: memberOf(id), enterprise_user: { enterprise_id: id } };
      for (const person of [people.ada, people.bob, people.gerd]) slack.changePerson(person, user);
    }
    return slack;
  }

  /** A response URL of a workspace. The app answers only to one at the server of the Web API. */
  function responseUrl(slack: FakeSlack, name: string): string {
    const of = [...installers.values()].find((each) => each.slack === slack);
    return `${origin}/response/${of?.id}/${name}`;
  }

  /** What a browser of an admin of the workspace does from the app's install page on. `pages`: where the app's pages are. */
  async function install(pages: string, id: string): Promise<Response> {
    const begun = await fetch(`${pages}/slack/install`, { redirect: 'manual' });
    const location = new URL(begun.headers.get('location') ?? '', origin);
    if (location.origin !== origin) throw new Error(`the install page leads to ${location.origin}`);
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const back = grant(location, id);
    return fetch(`${pages}${back.pathname}${back.search}`, { headers: { cookie }, redirect: 'manual' });
  }

  /** The address to which Slack sends the browser after an admin of the workspace allowed what `authorize` asks for. */
  function grant(authorize: URL, id: string): URL {
    const query = authorize.searchParams;
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== slackApp.clientId) violations.push('another client id');
    if (!(query.get('scope') ?? '').split(',').includes('chat:write')) violations.push('no scopes');
    serial += 1;
    const code = `code-${serial}`;
    codes.set(code, { installer: installer(id), redirectUri });
    const back = new URL(redirectUri);
    back.search = `${new URLSearchParams({ code, state: query.get('state') ?? '' })}`;
    return back;
  }

  /** The workspace removes the app: its tokens stop to work. */
  function revoke(id: string): void {
    for (const token of tokens.values()) if (token.installer.id === id) token.isRevoked = true;
  }

  /** A delivery as Slack sends it from this workspace, or from a workspace of this organization. */
  function deliverable(id: string, body: Record<string, unknown>): Record<string, unknown> {
    const { enterpriseId } = installer(id);
    const enterprise = id.startsWith('E') ? id : enterpriseId;
    const text = JSON.stringify(body).replaceAll(team.id, id.startsWith('E') ? memberOf(id) : id);
    const own: Record<string, unknown> = JSON.parse(text);
    const isForAll = id.startsWith('E');
    return {
      ...own,
      ...('command' in own ? { is_enterprise_install: String(isForAll) } : { is_enterprise_install: isForAll }),
      ...(enterprise === undefined ? {} : { enterprise_id: enterprise, enterprise: { id: enterprise, name: 'Org' } }),
      ...('authorizations' in own
        ? {
            authorizations: [
              {
                enterprise_id: enterprise ?? null,
                team_id: isForAll ? memberOf(id) : id,
                user_id: team.botUserId,
                is_bot: true,
                is_enterprise_install: isForAll,
              },
            ],
          }
        : {}),
    };
  }

  function installer(id: string): Installer {
    const found = installers.get(id);
    if (found === undefined) throw new Error(`no workspace ${id}`);
    return found;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString('utf8');
    const [, id, name] = /^\/response\/([A-Z0-9]+)\/(.*)$/.exec(request.url ?? '') ?? [];
    if (id !== undefined && name !== undefined) {
      const reply = await fetch(installer(id).slack.responseUrl(name), { method: 'POST', body });
      response.writeHead(reply.status).end();
      return;
    }
    const method = (request.url ?? '').replace(/^\/api\//, '');
    if (method === 'oauth.v2.access') return sendJson(response, access(parseArgs(body)));
    const token = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (token === undefined) return sendJson(response, refused('invalid_auth'));
    if (token.isRevoked === true) return sendJson(response, refused('token_revoked'));
    if ((token.expiresMs ?? Number.POSITIVE_INFINITY) < Date.now()) return sendJson(response, refused('token_expired'));
    const { installer: owner } = token;
    if (method === 'auth.revoke') {
      token.isRevoked = true;
      return sendJson(response, { ok: true, revoked: true });
    }
    const isOrganization = owner.id.startsWith('E');
    if (isOrganization && method === 'auth.teams.list') {
      return sendJson(response, { ok: true, teams: [{ id: memberOf(owner.id), name: 'Member' }] });
    }
    if (isOrganization && method === 'users.list' && parseArgs(body).team_id !== memberOf(owner.id)) {
      return sendJson(response, refused('missing_argument'));
    }
    await passOn(owner, method, request, body, response);
  }

  async function passOn(
    { id, enterpriseId, slack }: Installer,
    method: string,
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const named = method === 'auth.test' || !id.startsWith('E') ? id : memberOf(id);
    const reply = await fetch(new URL(method, slack.url), {
      method: 'POST',
      headers: {
        'content-type': request.headers['content-type'] ?? '',
        authorization: `Bearer ${team.botToken}`,
      },
      body: body.replaceAll(named, team.id),
    });
    const text = (await reply.text()).replaceAll(team.id, named);
    const enterprise = id.startsWith('E') ? id : enterpriseId;
    const parsed: Record<string, unknown> | undefined = method === 'auth.test' ? JSON.parse(text) : undefined;
    const more = enterprise === undefined ? {} : { enterprise_id: enterprise };
    const retryAfter = reply.headers.get('retry-after');
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
    });
    response.end(parsed === undefined ? text : JSON.stringify({ ...parsed, ...more }));
  }

  /** See docs.slack.dev/reference/methods/oauth.v2.access. */
  function access(args: Record<string, unknown>): Reply {
    if (args.client_id !== slackApp.clientId || args.client_secret !== slackApp.clientSecret) {
      return refused('bad_client_secret');
    }
    if (args.grant_type === 'refresh_token') return refreshed(String(args.refresh_token));
    const code = codes.get(String(args.code));
    codes.delete(String(args.code));
    if (code === undefined) return refused('invalid_code');
    if (code.redirectUri !== args.redirect_uri) return refused('bad_redirect_uri');
    return { ok: true, ...issued(code.installer) };
  }

  /** See docs.slack.dev/authentication/using-token-rotation. */
  function refreshed(refreshToken: string): Reply {
    const known = refreshTokens.get(refreshToken);
    if (known === undefined || refusesRefresh) return refused('invalid_refresh_token');
    known.uses += 1;
    if (known.uses > 1) {
      violations.push('a refresh token was used twice');
      return refused('invalid_refresh_token');
    }
    return { ok: true, ...issued(known.installer) };
  }

  function issued(owner: Installer): Record<string, unknown> {
    serial += 1;
    const token = `xoxb-${serial}-${owner.id}`;
    const refreshToken = `xoxe-${serial}-${owner.id}`;
    tokens.set(token, {
      installer: owner,
      ...(lifeSeconds === undefined ? {} : { expiresMs: Date.now() + lifeSeconds * 1_000 }),
    });
    if (lifeSeconds !== undefined) refreshTokens.set(refreshToken, { installer: owner, uses: 0 });
    const isOrganization = owner.id.startsWith('E');
    const enterprise = isOrganization ? owner.id : owner.enterpriseId;
    return {
      access_token: token,
      token_type: 'bot',
      scope: 'chat:write,commands',
      bot_user_id: team.botUserId,
      app_id: 'A0APP',
      team: isOrganization ? null : { id: owner.id, name: `Workspace ${owner.id}` },
      enterprise: enterprise === undefined ? null : { id: enterprise, name: `Organization ${enterprise}` },
      authed_user: { id: people.ada },
      is_enterprise_install: isOrganization,
      ...(lifeSeconds === undefined ? {} : { refresh_token: refreshToken, expires_in: lifeSeconds }),
    };
  }
}

export type InstallingSlack = Awaited<ReturnType<typeof startInstallingSlack>>;

/** The one workspace of a fake organization. */
export function memberOf(organizationId: string): string {
  return organizationId.replace(/^E/, 'T');
}

function sendJson(response: ServerResponse, reply: Reply): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}
