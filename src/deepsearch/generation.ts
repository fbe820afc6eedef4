import type { DeepSearch } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';

/** A generation of the conversation API: 1 is `/.api/deepsearch/v1`, 2 is `/api/deepsearch.v1.Service`. */
export type GenerationNumber = 1 | 2;

/** What a generation can do. Code asks for this, never for the number of the generation. */
export interface Capabilities {
  /** A conversation can be found by the read token in its share URL. */
  readToken: boolean;
}

/** What each generation can do. */
export const capabilitiesOf: Record<GenerationNumber, Capabilities> = {
  1: { readToken: true },
  2: { readToken: false },
};

/** The core's port, with what only programs beside the app use. */
export interface DeepSearchAdapter extends DeepSearch {
  /** Deletes a conversation for good. Succeeds when it is already gone. */
  delete(conversationId: ConversationId): Promise<void>;
}

/** One generation of the conversation API, as one account sees it. */
export interface Generation {
  number: GenerationNumber;
  capabilities: Capabilities;
  deepSearch: DeepSearchAdapter;
}
