import type { DeepSearch } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';

/** A generation of the conversation API: 1 is `/.api/deepsearch/v1`, 2 is `/api/deepsearch.v1.Service`. */
export type GenerationNumber = 1 | 2;

/** What a generation can tell and do. Code asks for these, never for the number of the generation. */
export interface Capabilities {
  /** All sources that were consulted, not only the links of the answer. */
  sources: boolean;
  followUps: boolean;
  /** Duration, steps and credits of a finished question. */
  stats: boolean;
  /** What a running question does. */
  progress: boolean;
  /** A conversation can be found by the read token in its share URL. */
  readToken: boolean;
  /** Cancelling names a question, not only a conversation. */
  cancelQuestion: boolean;
  /** A list carries whole conversations, so that nothing needs to be read one by one. */
  listStates: boolean;
}

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
