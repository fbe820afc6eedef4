import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random text of 256 bits that stands in addresses and cookies as it is. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A random text that names a record, and is no secret. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether this text has this digest. Takes equally long for every wrong one. */
export function hasDigest(secret: string | undefined, digest: string | undefined): boolean {
  if (secret === undefined || digest === undefined) return false;
  const [a, b] = [Buffer.from(digestOf(secret)), Buffer.from(digest)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The PKCE verifier of a sign-in (RFC 7636). It is computed from the browser's cookie and the state, and stored nowhere,
 * so only the browser that began can finish.
 */
export function codeVerifierOf(cookie: string, state: string): string {
  return createHmac('sha256', cookie).update(`code verifier of ${state}`).digest('base64url');
}

/** The S256 challenge of a verifier. */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
