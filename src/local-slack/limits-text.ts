/** An object in a payload, not checked yet. */
export type Fields = Record<string, unknown>;

/** Adds the problems for which Slack would refuse a text object. */
export function checkText(
  raw: unknown,
  at: string,
  min: number,
  max: number,
  types: string[],
  problems: string[],
): void {
  if (!isFields(raw)) {
    problems.push(`${at}: not a text object`);
    return;
  }
  if (!types.includes(String(raw.type))) problems.push(`${at}: must be ${types.join(' or ')}, is ${String(raw.type)}`);
  if (raw.type === 'plain_text' && raw.verbatim !== undefined) problems.push(`${at}: plain_text has no verbatim`);
  if (raw.type === 'mrkdwn' && raw.emoji !== undefined) problems.push(`${at}: mrkdwn has no emoji`);
  checkLength(raw.text, at, min, max, problems);
}

/** Checks that a text has an allowed length in UTF-16 units and no half surrogate pair. */
export function checkLength(
  raw: unknown,
  at: string,
  min: number,
  max: number,
  problems: string[],
  optional = false,
): void {
  if (raw === undefined && optional) return;
  if (typeof raw !== 'string') {
    problems.push(`${at}: not a string`);
    return;
  }
  if (raw.length < min || raw.length > max) problems.push(`${at}: has ${raw.length} characters, not ${min} to ${max}`);
  checkWellFormed(at, raw, problems);
}

/** Checks for half surrogate pairs, which cannot be sent as UTF-8. */
export function checkWellFormed(at: string, text: string, problems: string[]): void {
  if (/(?:[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF])/.test(text)) {
    problems.push(`${at}: half a surrogate pair`);
  }
}

/** Reads a list of objects, or its JSON; for anything else, adds a problem and returns undefined. */
export function list(raw: unknown, at: string, problems: string[]): Fields[] | undefined {
  if (raw === undefined) return undefined;
  const value = typeof raw === 'string' ? parsed(raw) : raw;
  if (Array.isArray(value) && value.every(isFields)) return value;
  problems.push(`${at}: not a list of objects`);
  return undefined;
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object and not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
