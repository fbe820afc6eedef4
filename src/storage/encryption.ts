import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EncryptionKey } from '../core/accounts/accounts.ts';
import { AppError } from '../core/errors.ts';

/** NIST SP 800-38D recommends 96 bits for the IV of GCM and 128 bits for its tag. */
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** How an encrypted record is stored: as JSON, binary parts in base64. */
const sealedSchema = z.looseObject({
  version: z.literal(1),
  keyId: z.string(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
});

/**
 * Encrypts records and decrypts them. A record is bound to the key under which it is stored: it can't be decrypted
 * under another one, so a record that someone copied to another person is useless there.
 */
export interface KeyRing {
  /** Encrypts with the first key. Throws `AppError` of kind `storage` if there is no key. */
  seal(recordKey: string, text: string): string;
  /** Decrypts with any key. Throws `AppError` of kind `corrupt` that names the record, never its content. */
  open(recordKey: string, sealed: string): string;
  /** Whether a record is encrypted with the first key. Says nothing about whether it can be decrypted. */
  isCurrent(sealed: string): boolean;
}

/** Creates a ring of keys of 32 bytes with different ids. The first one encrypts. */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const bytesOf = new Map(keys.map(({ id, key }) => [id, Buffer.from(key.reveal(), 'base64')]));
  const [first] = keys;

  return {
    seal(recordKey, text) {
      const bytes = first && bytesOf.get(first.id);
      if (first === undefined || bytes === undefined) {
        throw new AppError('storage', `Record ${recordKey} can't be encrypted: ENCRYPTION_KEYS is not set`);
      }
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(recordKey));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return JSON.stringify({
        version: 1,
        keyId: first.id,
        iv: iv.toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
        data: data.toString('base64'),
      } satisfies z.output<typeof sealedSchema>);
    },

    open(recordKey, sealed) {
      const parsed = parseSealed(sealed);
      if (parsed === undefined) throw new AppError('corrupt', `Record ${recordKey} is not an encrypted record`);
      const bytes = bytesOf.get(parsed.keyId);
      if (bytes === undefined) {
        throw new AppError('corrupt', `Record ${recordKey} is encrypted with a key that ENCRYPTION_KEYS does not have`);
      }
      try {
        const decipher = createDecipheriv(CIPHER, bytes, Buffer.from(parsed.iv, 'base64'), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(recordKey));
        decipher.setAuthTag(Buffer.from(parsed.tag, 'base64'));
        return decipher.update(parsed.data, 'base64', 'utf8') + decipher.final('utf8');
      } catch {
        throw new AppError(
          'corrupt',
          `Record ${recordKey} can't be decrypted: it was changed, moved, or has another key`,
        );
      }
    },

    isCurrent: (sealed) => first !== undefined && parseSealed(sealed)?.keyId === first.id,
  };
}

function parseSealed(text: string): z.output<typeof sealedSchema> | undefined {
  try {
    return sealedSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
