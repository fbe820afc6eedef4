/** A global id: base64 of the type, a colon and a key, for example `User:1`. */
export function globalId(type: string, key: number | string): string {
  return Buffer.from(`${type}:${key}`).toString('base64');
}

/** The type and key of a global id; undefined for text that is none. */
export function parseGlobalId(id: string): { type: string; key: string } | undefined {
  const [, type, key] = /^(\w+):(.+)$/s.exec(Buffer.from(id, 'base64').toString('utf8')) ?? [];
  return type === undefined || key === undefined || globalId(type, key) !== id ? undefined : { type, key };
}

/** The id of something in a repository, by the names that public ids use: `r` for the repository's id. */
export function idWithin(type: string, repositoryId: string, key: Record<string, string>): string {
  return globalId(type, JSON.stringify({ r: repositoryId, ...key }));
}

/** A text of a key that {@link idWithin} made; undefined when it is missing. */
export function textOfKey(key: string, name: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(key);
    const value = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    const found = value.find(([own]) => own === name)?.[1];
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
