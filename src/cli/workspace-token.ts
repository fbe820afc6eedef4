import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Secret } from '../core/secret.ts';
import { UsageError } from './program.ts';

/** Longest access token, in characters. */
const longestToken = 4_096;

/** Reads an access token from a file, or from the standard input for `-`. Throws `UsageError` without its text. */
export async function readToken(file: string): Promise<Secret> {
  const token = (await read(file)).trim();
  if (token === '') throw new UsageError('--token-file has no token in it');
  if (token.length > longestToken || !/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError('--token-file has more in it than a token');
  }
  return new Secret(token);
}

async function read(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--token-file can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
