import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** A file that browsers load. Its address never changes its content, so that browsers may keep it. */
export interface Asset {
  contentType: string;
  text: string;
}

const folder = new URL('./assets/', import.meta.url);
const assets = new Map<string, Asset>(
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const contentType = TYPES[extname(name)];
      return contentType === undefined
        ? []
        : [[name, { contentType, text: readFileSync(new URL(name, folder), 'utf8') }] as const];
    }),
);

/** One version for all files, because they import each other by relative names. */
const version = createHash('sha256')
  .update(JSON.stringify([...assets]))
  .digest('hex')
  .slice(0, 16);

/** The address of a file of the folder `assets`. */
export function assetAddress(name: string): string {
  if (!assets.has(name)) throw new Error(`There is no asset ${name}.`);
  return `/-/assets/${version}/${name}`;
}

/** The asset at an address; undefined for all other addresses and for those of an earlier version. */
export function findAsset(segments: readonly string[]): Asset | undefined {
  const [dash, word, asked, name, ...rest] = segments;
  if (dash !== '-' || word !== 'assets' || asked !== version || rest.length > 0) return undefined;
  return assets.get(name ?? '');
}
