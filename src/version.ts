import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version from package.json, which is one folder above both `src` and `dist`. */
export const version: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;
