import type { DeserializedData } from 'keyv';

/**
 * Makes Keyv store our texts as they are, without its envelope: what an atomic operation beside Keyv compares and writes
 * is then the very same text, and it can be read with the engine's own tools. Expiry is left to the engine.
 */
export const textSerialization = {
  serialize<Value>({ value }: DeserializedData<Value>): string {
    if (typeof value !== 'string') throw new TypeError('Only texts are stored');
    return value;
  },
  deserialize<Value>(text: string): DeserializedData<Value> {
    // Keyv's type leaves the value to its caller; both of ours are Keyv<string>.
    return { value: text as Value };
  },
};
