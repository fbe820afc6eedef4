import { createHash, randomBytes } from 'node:crypto';

/** A browser with one cookie jar: follows no redirects, sends what browsers send with forms. */
export function createPerson(url: string) {
  const cookies = new Map<string, string>();

  async function open(path: string, init: RequestInit = {}): Promise<{ response: Response; text: string }> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(new URL(path, url), { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { response, text: await response.text() };
  }

  const person = {
    cookies,
    open,
    /** Sends a form as this service's pages do; a field with a list is repeated. */
    submit(path: string, fields: Record<string, string | readonly string[]>, headers: Record<string, string> = {}) {
      const body = new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) =>
          [value].flat().map((single): [string, string] => [name, single]),
        ),
      );
      return open(path, {
        method: 'POST',
        body,
        headers: { Origin: url, 'Sec-Fetch-Site': 'same-origin', ...headers },
      });
    },
    signIn: (token: string, returnTo = '/') => person.submit('/sign-in', { token, returnTo }),
    /** The hidden token of the forms on a page. */
    async formToken(path = '/settings/tokens'): Promise<string> {
      const { text } = await open(path);
      return hiddenField(text, 'formToken');
    },
    /** Creates an access token in the settings. */
    async createToken(fields: Record<string, string | readonly string[]> = {}): Promise<string> {
      const formToken = await person.formToken();
      const { text } = await person.submit('/settings/tokens', { formToken, scope: 'user:all', days: '30', ...fields });
      const token = /id="created-token">([^<]+)</.exec(text)?.[1];
      if (token === undefined) throw new Error(`no token on the page: ${text}`);
      return token;
    },
  };
  return person;
}

export type Person = ReturnType<typeof createPerson>;

/** The value of a hidden field, which has no characters that HTML escapes. */
export function hiddenField(text: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
  if (value === undefined) throw new Error(`no field ${name} on the page: ${text.slice(0, 500)}`);
  return value;
}

/** A PKCE verifier and its S256 challenge. */
export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
