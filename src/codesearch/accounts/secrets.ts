import { createHash, randomBytes } from 'node:crypto';

/** The kinds of secrets we make; the prefix lets people and scanners recognize one. */
const PREFIXES = {
  accessToken: 'cst_',
  oauthCode: 'csc_',
  oauthAccessToken: 'cso_',
  oauthRefreshToken: 'csr_',
  clientSecret: 'css_',
  session: '',
} as const;

type SecretKind = keyof typeof PREFIXES;

/** A new secret of 256 random bits. Show it once and store its {@link digestOf}. */
export function newSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(32).toString('hex');
}

/** Whether a text has the form of our OAuth access tokens. */
export function isOAuthToken(text: string): boolean {
  return text.startsWith(PREFIXES.oauthAccessToken);
}

/**
 * SHA-256 in hexadecimal. Secrets are looked up by digest, so that neither the stored data nor the duration of a lookup
 * reveals them; our own are random enough to need no salt.
 */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
