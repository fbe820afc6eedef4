/** What a credential allows; the names are those of the service. */
export type Scope = 'user:all' | 'site-admin:sudo' | 'externalapi:read' | 'externalapi:write';

/** The user a request acts for, and how the request proved it. */
export interface Viewer {
  userId: number;
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

/** A credential is missing, unknown, expired or not allowed here; clients read the message. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly kind: 'unauthenticated' | 'forbidden';

  constructor(kind: AccessError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
