import type { Scope } from './viewer.ts';

/** A person, or a service account: a user for programs, which can't sign in. Times are epoch milliseconds. */
export interface User {
  /** Assigned once and never changed; conversations refer to it. */
  id: number;
  username: string;
  displayName: string;
  email?: string;
  siteAdmin: boolean;
  kind: 'user' | 'serviceAccount';
  createdMs: number;
}

/** An access token as it is stored: by its digest, never the token itself. */
export interface TokenRecord {
  id: number;
  digest: string;
  userId: number;
  scopes: Scope[];
  note: string;
  createdMs: number;
  /** Absent: never expires. */
  expiresMs?: number;
  /** The minute of the last use. */
  lastUsedMs?: number;
  /** Digest of the token that was used to sign in and make this one, which ends with it. */
  madeWith?: string;
}

/** A signed-in browser, stored by the digest of its cookie. It ends at the latest with the token that opened it. */
export interface SessionRecord {
  userId: number;
  /** Digest of the access token that was used to sign in. */
  tokenDigest: string;
  createdMs: number;
  expiresMs: number;
}

/** A registered OAuth app. */
export interface OAuthApp {
  clientId: string;
  name: string;
  redirectUris: string[];
  /** Absent: a public client, which has no secret and must use PKCE. */
  secretDigest?: string;
  /** The service account that the app gets tokens of without a person, by `client_credentials`. */
  serviceAccount?: number;
  createdMs: number;
}

/** What one user allowed one OAuth app; all its tokens end with it. */
export interface GrantRecord {
  id: string;
  clientId: string;
  userId: number;
  createdMs: number;
  /** When the newest code or refresh token of the grant expires. */
  expiresMs: number;
  /** Digest of the access token of the session in which it was allowed, which it ends with. */
  madeWith?: string;
}

/** An authorization code, stored by its digest. A used one is kept until it expires, to notice a replay. */
export interface CodeRecord {
  grantId: string;
  clientId: string;
  userId: number;
  redirectUri: string;
  scopes: string[];
  codeChallenge?: string;
  expiresMs: number;
  used: boolean;
  /** Digest of the access token of the session in which the grant was allowed. */
  madeWith: string;
}

/** The digests of an access token and a refresh token that were issued together. */
export interface TokenPair {
  access: string;
  refresh: string;
}

/** An OAuth token, stored by its digest. A replaced refresh token is kept until it expires, to notice its reuse. */
export interface OAuthTokenRecord {
  kind: 'access' | 'refresh';
  grantId: string;
  clientId: string;
  userId: number;
  scopes: string[];
  expiresMs: number;
  /** A refresh token: whether a token that was issued for it has been used. Until then it can be sent again. */
  used: boolean;
  /** Digest of the refresh token that this token was issued for. Absent for the first pair of a grant. */
  issuedFor?: string;
  /** The pairs that were issued for this refresh token, oldest first. */
  issued?: TokenPair[];
}
