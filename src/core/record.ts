import { z } from 'zod';
import { AppError } from './errors.ts';
import { Secret } from './secret.ts';

export const dayMs = 24 * 60 * 60 * 1_000;

/** Read as a {@link Secret}. Only encrypted records have one. */
export const secret = z.string().transform((value) => new Secret(value));

/** Converts one type of record to text and back. Both methods throw `AppError` of kind `corrupt` that names the key. */
export interface RecordFormat<T> {
  /** Throws for a record that could not be read back, so that the last good one stays stored. */
  encode(key: string, record: T): string;
  decode(key: string, text: string): T;
}

/** One type of stored record. Its schema is its type: see {@link RecordOf}. */
export interface RecordType<T> {
  /** The key of the record with this name. */
  key: (name: string) => string;
  /** Its life after the last write, in milliseconds. */
  ttlMs: number;
  format: RecordFormat<T>;
  /** Whether an open question needs the record. `RETENTION_DAYS` does not shorten its life then. */
  isInUse?: (record: T) => boolean;
}

/**
 * The type that a schema describes. Objects are loose, so that during a rolling deploy an older process does not drop
 * fields that a newer one added; here they have only the fields that this process knows.
 */
export type Known<T> = T extends Secret
  ? T
  : T extends readonly unknown[]
    ? { -readonly [Index in keyof T]: Known<T[Index]> }
    : T extends object
      ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
      : T;

/** The type of what a schema reads. */
export type Read<Schema extends z.ZodType> = Known<z.output<Schema>>;

/** The type of the records that {@link defineRecord} describes. */
export type RecordOf<Type> = Type extends RecordType<infer T> ? T : never;

export function defineRecord<Schema extends z.ZodType>({
  schema,
  ...type
}: Omit<RecordType<Read<Schema>>, 'format'> & { schema: Schema }): RecordType<Read<Schema>> {
  return { ...type, format: createFormat(schema) };
}

/** Creates the format of records that a schema describes. */
export function createFormat<Schema extends z.ZodType>(schema: Schema): RecordFormat<Read<Schema>> {
  function decode(key: string, text: string): Read<Schema> {
    const parsed = schema.safeParse(parseJson(key, text));
    if (parsed.success) return parsed.data as Read<Schema>;
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

type Change<T> = (current: T | undefined) => T;
type Update<T> = (name: string, change: Change<T>) => Promise<T>;

/** One write of a record, which stores several changes: the record after each of them. */
interface Write<T> {
  changes: Change<T>[];
  records: T[];
  isBegun: boolean;
  stored: Promise<void>;
}

/**
 * Changes records that many change at once, each with one write at a time, and returns the record after the change. Throws
 * what `update` throws. If each of a thousand questions changed the record by itself, most would lose it to another, and would
 * read and write it all again; so the changes that come during a write are stored together by the next one.
 */
export function storedTogether<T>(update: Update<T>): Update<T> {
  const newest = new Map<string, Write<T>>();

  return async (name, change) => {
    let write = newest.get(name);
    if (write === undefined || write.isBegun) write = plan(name, write?.stored);
    const at = write.changes.push(change) - 1;
    await write.stored;
    return write.records[at] as T;
  };

  function plan(name: string, before: Promise<void> | undefined): Write<T> {
    const write: Write<T> = { changes: [], records: [], isBegun: false, stored: Promise.resolve() };
    write.stored = carryOut(name, write, before);
    newest.set(name, write);
    return write;
  }

  async function carryOut(name: string, write: Write<T>, before: Promise<void> | undefined): Promise<void> {
    // Its own callers are told when the write before fails.
    await before?.catch(() => {});
    write.isBegun = true;
    try {
      await update(name, (current) => {
        write.records = [];
        let record = current;
        for (const each of write.changes) {
          record = each(record);
          write.records.push(record);
        }
        return record as T;
      });
    } finally {
      if (newest.get(name) === write) newest.delete(name);
    }
  }
}
