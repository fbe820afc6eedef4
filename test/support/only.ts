/** Stands in for an object of which a test uses only some members. Reading any other one throws. */
export function only<Whole extends object>(used: NoInfer<Partial<Whole>>): Whole {
  return new Proxy(used as Whole, {
    get(target, name) {
      if (!(name in target)) throw new TypeError(`this test has no ${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}
