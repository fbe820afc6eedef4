import { createPerson, hiddenField, type Person } from './people.ts';

export interface RegisteredApp {
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
}

/** Registers an OAuth app with a secret at the embedded service, as the site admin with this access token. */
export async function registerOAuthApp(url: string, adminToken: string, redirectUri: string): Promise<RegisteredApp> {
  const admin = createPerson(url);
  await admin.signIn(adminToken);
  const fields = {
    formToken: await admin.formToken(),
    name: 'The app',
    redirectUris: redirectUri,
    confidential: 'yes',
  };
  const { text } = await admin.submit('/settings/oauth-apps', fields);
  const [clientId, clientSecret] = ['client-id', 'client-secret'].map(
    (id) => new RegExp(`id="${id}">([^<]+)<`).exec(text)?.[1],
  );
  if (clientId === undefined || clientSecret === undefined) throw new Error(`the app was not registered: ${text}`);
  const address = `${url}/.auth/idp/oauth`;
  return { clientId, clientSecret, authorizeUrl: `${address}/authorize`, tokenUrl: `${address}/token` };
}

/** Answers the consent page of the embedded service. Returns the address that the person is sent back to. */
export async function answerConsent(
  person: Person,
  authorizeUrl: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { pathname, searchParams } = new URL(authorizeUrl);
  const { text } = await person.open(authorizeUrl);
  const fields = { ...Object.fromEntries(searchParams), formToken: hiddenField(text, 'formToken'), decision };
  const { response } = await person.submit(pathname, fields);
  return new URL(response.headers.get('location') ?? 'missing:');
}
