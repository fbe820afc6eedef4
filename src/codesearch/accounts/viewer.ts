const SCOPES = ['user:all', 'site-admin:sudo', 'externalapi:read', 'externalapi:write'] as const;

/** What a credential allows; the names are those of the service. */
export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** The user a request acts for, and how the request proved it. */
export interface Viewer {
  /** 0 without a credential. */
  userId: number;
  /** Empty without a credential. */
  username: string;
  displayName: string;
  kind: 'user' | 'serviceAccount';
  siteAdmin: boolean;
  scopes: ReadonlySet<Scope>;
  /** `session`: a signed-in browser; `none`: no credential, for example a page on the loopback address. */
  credential: 'token' | 'oauth' | 'sudo' | 'session' | 'none';
  /** Whether the user may read a repository, by its name. Everything that shows code asks this. */
  canRead(repository: string): boolean;
}

/** Which credentials a surface takes, beside an access token with the scope `user:all`. */
export interface Accepts {
  /** Also accepts credentials with this scope alone; `user:all` includes it. */
  scope?: 'externalapi:read' | 'externalapi:write';
  /** Accepts access tokens under `Bearer` too, as the second generation of the conversation API does. */
  bearerTakesAccessTokens?: boolean;
}

/** A credential is missing, unknown, expired or not allowed here; clients read the message. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly kind: 'unauthenticated' | 'forbidden';

  constructor(kind: AccessError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
