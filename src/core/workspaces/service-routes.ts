import { AppError } from '../errors.ts';
import type { Conversation, ConversationSearch, DeepSearch, DeepSearchOf, ListedConversation } from '../ports.ts';
import type { ConversationId, Question } from '../question/question.ts';
import { type ServiceKey, serviceKeyOf, withoutServiceKey, withServiceKey } from '../question/service-ids.ts';
import { upstreamWindowMs } from '../settings.ts';
import type { Watching } from '../watching/watching.ts';

/**
 * A service whose conversations have its key in their ids. Without a key it is the app's own one. For a conversation of
 * another service every method throws `notFound`, and nothing is sent.
 */
export function scopedTo(key: ServiceKey | undefined, deepSearch: DeepSearch): DeepSearch {
  const outward = (id: ConversationId): ConversationId => (key === undefined ? id : withServiceKey(key, id));
  const told = (conversation: Conversation): Conversation =>
    key === undefined ? conversation : { ...conversation, id: outward(conversation.id) };
  return {
    create: async (text) => told(await deepSearch.create(text)),
    followUp: async (id, text) => deepSearch.followUp(inward(id), text),
    read: async (id) => told(await deepSearch.read(inward(id))),
    byReadToken: async (readToken) => told(await deepSearch.byReadToken(readToken)),
    newest: async (limit, sinceMs, search) =>
      (await deepSearch.newest(limit, sinceMs, search && searching(search))).map(told),
    async changes(most, after) {
      const page = await deepSearch.changes(most, after);
      return key === undefined ? page : { ...page, conversations: page.conversations.map(listed) };
    },
    cancel: async (id, target) =>
      deepSearch.cancel(inward(id), { ...target, find: (conversation) => target.find(told(conversation)) }),
  };

  function inward(id: ConversationId): ConversationId {
    if (serviceKeyOf(id) !== key) throw new AppError('notFound', 'the conversation is at another service');
    return withoutServiceKey(id);
  }

  function searching(search: ConversationSearch): ConversationSearch {
    return { ...search, isSought: (conversation) => search.isSought(told(conversation)) };
  }

  function listed({ conversation, ...rest }: ListedConversation): ListedConversation {
    return {
      ...rest,
      id: outward(rest.id),
      ...(conversation === undefined ? {} : { conversation: () => told(conversation()) }),
    };
  }
}

/** A service other than the app's own one, with the app's account there. */
export interface ServiceRoute {
  key: ServiceKey;
  /** As {@link scopedTo} returns it. */
  deepSearch: DeepSearch;
  watching: Watching;
}

export interface ServiceRoutes {
  /** The app's own service, as {@link scopedTo} returns it. */
  app: { deepSearch: DeepSearchOf; watching: Watching };
  /** Where new conversations begin. Absent: at the app's own service. */
  current: ServiceRoute | undefined;
  /** For what was asked there before. */
  former: readonly ServiceRoute[];
  /** Since when new conversations begin there. */
  changedMs: number;
}

/**
 * The services of one workspace as one. New conversations begin at its current service. What was asked at another one is
 * read and cancelled there, and never continued. People's own accounts are at the app's own service.
 */
export function routeServices({ app, current, former, changedMs }: ServiceRoutes): DeepSearchOf {
  const appAccount = app.deepSearch('app');
  const target = current?.deepSearch ?? appAccount;
  const others = [...former.map(({ deepSearch }) => deepSearch), ...(current === undefined ? [] : [appAccount])];
  const byKey = new Map([...former, ...(current === undefined ? [] : [current])].map((each) => [each.key, each]));
  const at = (id: ConversationId): DeepSearch => {
    const key = serviceKeyOf(id);
    // The app's own service answers `notFound` for a key that is not known any more.
    return key === undefined ? appAccount : (byKey.get(key)?.deepSearch ?? appAccount);
  };
  const routed: DeepSearch = {
    create: (text) => target.create(text),
    followUp: (id, text) => target.followUp(id, text),
    read: (id) => at(id).read(id),
    byReadToken: (readToken) => target.byReadToken(readToken),
    newest: (limit, sinceMs, search) =>
      search === undefined || (sinceMs ?? 0) > changedMs + upstreamWindowMs
        ? target.newest(limit, sinceMs, search)
        : searchAll(limit, sinceMs, search),
    changes: (most, after) => target.changes(most, after),
    cancel: (id, cancelled) => at(id).cancel(id, cancelled),
  };
  return (account) => (account === 'app' ? routed : app.deepSearch(account));

  /** The question may have been asked before the change. One service that fails hides nothing of another one. */
  async function searchAll(
    limit: number,
    sinceMs: number | undefined,
    search: ConversationSearch,
  ): Promise<Conversation[]> {
    const found: Conversation[] = [];
    const failures: unknown[] = [];
    let isFound = false;
    const isSought = async (conversation: Conversation): Promise<boolean> => {
      isFound ||= await search.isSought(conversation);
      return isFound;
    };
    for (const service of [target, ...others]) {
      try {
        found.push(...(await service.newest(limit, sinceMs, { ...search, isSought })));
      } catch (error) {
        failures.push(error);
      }
      if (isFound) return found;
    }
    for (const failure of failures) throw failure;
    return found;
  }
}

/** Watches each question at the service where it was asked. */
export function routeWatching({ app, current, former }: ServiceRoutes): Omit<Watching, 'tick' | 'stop'> {
  const byKey = new Map([...former, ...(current === undefined ? [] : [current])].map((each) => [each.key, each]));
  const of = (question: Question): Watching => {
    const key = question.access === 'own' ? undefined : serviceKeyOf(question.upstream.conversationId);
    return (key === undefined ? undefined : byKey.get(key)?.watching) ?? app.watching;
  };
  return {
    read: (question, options) => of(question).read(question, options),
    goesOn: (question, ...wait) => of(question).goesOn(question, ...wait),
    resumed: (question) => of(question).resumed(question),
    leave: (question) => of(question).leave(question),
  };
}
