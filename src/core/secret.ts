/** A secret text. It prints as `[secret]` everywhere; only `reveal` returns its value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  /** The method that `node:util` calls to print a value. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
