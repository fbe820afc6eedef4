import { stringify } from 'yaml';
import { TemplateError } from './template-syntax.ts';

/** A value in a template. A number of values.yaml is a `number`, and Go's whole number a `bigint`: Go compares no two kinds. */
export type Value = undefined | null | string | number | bigint | boolean | Value[] | { [name: string]: Value };

/**
 * Whether `if` takes the value for true. Helm reads numbers of values.yaml sometimes as texts, for which 0 is true; so a
 * template must not ask that of a number.
 */
export function isTrue(value: Value): boolean {
  if (typeof value === 'number') throw new TemplateError('a number of the values is used as a condition; use int');
  if (typeof value === 'bigint') return value !== 0n;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/** The text of a value. Throws for what Go writes in another form than YAML: nothing at all, lists, large numbers. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4)) {
      throw new TemplateError(`${value} would be written with an exponent; use int, or quotation marks in the values`);
    }
    return String(value);
  }
  throw new TemplateError(`${value === undefined || value === null ? 'nothing' : 'a list or a map'} can't be written`);
}

function isEmpty(value: Value): boolean {
  return typeof value === 'number' ? value === 0 : !isTrue(value);
}

function text(value: Value): string {
  if (typeof value !== 'string') throw new TemplateError(`a text is expected, not ${typeof value}`);
  return value;
}

function whole(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new TemplateError(`a number is expected, not ${typeof value}`);
}

function sameKind(left: Value, right: Value): void {
  if (typeof left !== typeof right || typeof left === 'object') {
    throw new TemplateError(`${typeof left} and ${typeof right} can't be compared`);
  }
}

function indent(spaces: Value, value: Value): string {
  const pad = ' '.repeat(Number(whole(spaces)));
  return pad + text(value).replaceAll('\n', `\n${pad}`);
}

function print(format: Value, values: Value[]): string {
  const open = [...values];
  const written = text(format).replaceAll(/%(.)/g, (_, verb: string) => {
    const value = open.shift();
    if (verb === 's') return text(value);
    if (verb === 'd' && typeof value === 'bigint') return String(value);
    throw new TemplateError(`printf does not support %${verb} of ${typeof value}`);
  });
  if (open.length > 0) throw new TemplateError('printf has more values than verbs');
  return written;
}

/** The functions of Go's templates, Sprig and Helm that the chart uses, with the order of their arguments there. */
export const functions: Record<string, (...values: Value[]) => Value> = {
  add: (...values) => values.map(whole).reduce((sum, value) => sum + value, 0n),
  contains: (part, value) => text(value).includes(text(part)),
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  eq: (left, right) => {
    sameKind(left, right);
    return left === right;
  },
  fail: (message) => {
    throw new TemplateError(text(message));
  },
  gt: (left, right) => {
    sameKind(left, right);
    return typeof left === 'bigint' && typeof right === 'bigint' ? left > right : text(left) > text(right);
  },
  int: (value) => whole(value),
  ne: (left, right) => {
    sameKind(left, right);
    return left !== right;
  },
  nindent: (spaces, value) => `\n${indent(spaces, value)}`,
  not: (value) => !isTrue(value),
  printf: (format, ...values) => print(format, values),
  quote: (...values) => values.map((value) => JSON.stringify(textOf(value))).join(' '),
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new TemplateError(text(message));
    return value;
  },
  toYaml: (value) => stringify(value, { lineWidth: 0, sortMapEntries: true }).trimEnd(),
  trimSuffix: (suffix, value) => {
    const end = text(suffix);
    return end !== '' && text(value).endsWith(end) ? text(value).slice(0, -end.length) : text(value);
  },
  trunc: (length, value) => text(value).slice(0, Number(whole(length))),
};
