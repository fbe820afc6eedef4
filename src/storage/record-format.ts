import type { z } from 'zod';
import { AppError } from '../core/errors.ts';

/** Converts one type of record to text and back. Both methods throw `AppError` of kind `corrupt` that names the key. */
export interface RecordFormat<T> {
  /** Throws for a record that could not be read back, so that the last good one stays stored. */
  encode(key: string, record: T): string;
  decode(key: string, text: string): T;
}

/** The fields of `T` at any depth with their types, without the index signatures of loose objects. */
type Known<T> = T extends readonly (infer Item)[]
  ? Known<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T;

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** The first-level fields in which two types differ. */
type Difference<A, B> = {
  [K in keyof A | keyof B]: K extends keyof A & keyof B ? (Equal<A[K], B[K]> extends true ? never : K) : K;
}[keyof A | keyof B];

/** Compiles only if a schema describes exactly the core's type: the same fields, with the same ones optional. */
export type Exactly<Schema extends z.ZodType, T> =
  Equal<Known<z.output<Schema>>, Known<T>> extends true
    ? Schema
    : { schemaAndTypeDifferIn: Difference<Known<z.output<Schema>>, Known<T>> };

/**
 * Creates the format of records that a schema describes. `upgrade` receives the stored value, of any version and shape,
 * and returns it with today's names; it changes nothing else.
 */
export function createFormat<T>(
  schema: z.ZodType<T>,
  upgrade: (stored: unknown) => unknown = (stored) => stored,
): RecordFormat<T> {
  function decode(key: string, text: string): T {
    const parsed = schema.safeParse(upgrade(parseJson(key, text)));
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.slice(0, 3).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new AppError('corrupt', `Record ${key} does not match its schema (${problems.join('; ')})`);
  }

  return { encode: (key, record) => checkedText(key, record, decode), decode };
}

/** The text of a record. Throws what `decode` throws if the text could not be read back. */
export function checkedText<T>(key: string, record: T, decode: RecordFormat<T>['decode']): string {
  const text = JSON.stringify(record);
  decode(key, text);
  return text;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error has no cause, because the parser's message quotes the text, which may be a question or an answer.
    throw new AppError('corrupt', `Record ${key} is not JSON`);
  }
}
