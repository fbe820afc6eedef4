import { findAsset } from '../../pages/assets.ts';
import { type Route, requireMethod } from '../route.ts';

/** `GET /-/assets/<version>/<name>`: style and scripts of the pages, without a token. */
export function createAssetsRoute(): Route {
  return async ({ method, segments }) => {
    const asset = findAsset(segments);
    if (asset === undefined) return undefined;
    requireMethod(method, ['GET']);
    return {
      kind: 'file',
      status: 200,
      contentType: asset.contentType,
      body: asset.text,
      headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
    };
  };
}
