import type { ConversationId } from './question.ts';

/**
 * Names a service that is not the app's own one, and the account that the app uses there: 12 hexadecimal digits of the
 * service's address, or `app` if that is the address of the app's own service, a dot, and 8 digits of the account.
 */
export type ServiceKey = string;

const tagged = /^((?:app|[0-9a-f]{12})\.[0-9a-f]{8})\/(.+)$/s;

/** The service of a conversation. Undefined: the app's own one. */
export function serviceKeyOf(id: ConversationId | undefined): ServiceKey | undefined {
  return typeof id === 'string' ? tagged.exec(id)?.[1] : undefined;
}

/** The id of a conversation at another service than the app's own, as everything but that service's client knows it. */
export function withServiceKey(key: ServiceKey, id: ConversationId): ConversationId {
  return `${key}/${id}`;
}

/** The id as the service itself knows it. */
export function withoutServiceKey(id: ConversationId): ConversationId {
  const bare = typeof id === 'string' ? tagged.exec(id)?.[2] : undefined;
  return bare === undefined ? id : conversationIdOf(bare);
}

/** The id that this text is: a number if it is written as one and a number can hold it, else the text. */
export function conversationIdOf(text: string): ConversationId {
  const id = Number(text);
  return Number.isSafeInteger(id) && String(id) === text ? id : text;
}

/**
 * The same text for a conversation whichever account the app sees it with, and another one at another service. Claims have
 * it: who asked in a conversation counts for everyone who can open it.
 */
export function nameAtService(id: ConversationId): string {
  const key = serviceKeyOf(id);
  if (key === undefined) return plainId(id);
  const address = key.slice(0, key.indexOf('.'));
  return address === 'app' ? plainId(id) : `${address}/${plainId(id)}`;
}

/** The id in an address or a name of the service: without its service's key, a text is without its quotes. */
export function plainId(id: ConversationId): string {
  return `${withoutServiceKey(id)}`.replace(/^"(.+)"$/s, '$1');
}

/**
 * The id as generation 1 of the API writes it in JSON: a number of any length, or a text in quotes. Undefined: an id that
 * only generation 2 has, which writes all of them as parts of names.
 */
export function literalId(id: ConversationId): string | undefined {
  return /^(?:0|-?[1-9]\d*|".+")$/s.test(`${id}`) ? `${id}` : undefined;
}
