import type { DeserializedData } from 'keyv';

/**
 * Makes Keyv store plain texts without its envelope. An atomic operation next to Keyv then compares and writes the same
 * text, and the engine's own tools can read it. The engine handles expiry.
 */
export const textSerialization = {
  serialize<Value>({ value }: DeserializedData<Value>): string {
    if (typeof value !== 'string') throw new TypeError('Only texts are stored');
    return value;
  },
  deserialize<Value>(text: string): DeserializedData<Value> {
    // Keyv lets its caller choose the value's type. Both instances in this app are Keyv<string>.
    return { value: text as Value };
  },
};
