/** Sets a value as the newest of a map, and drops the oldest ones beyond `most`. */
export function keepNewest<Key, Value>(values: Map<Key, Value>, key: Key, value: Value, most: number): void {
  values.delete(key);
  values.set(key, value);
  for (const oldest of values.keys()) {
    if (values.size <= most) break;
    values.delete(oldest);
  }
}
