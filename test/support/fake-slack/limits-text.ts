/** An object of a payload, of which nothing is known yet. */
export type Fields = Record<string, unknown>;

/** What Slack would refuse about a text object. */
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

/** A text of so many UTF-16 units, in which no surrogate pair is cut in half. */
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

/** Half a surrogate pair can't be sent as UTF-8. */
export function checkWellFormed(at: string, text: string, problems: string[]): void {
  if (/(?:[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF])/.test(text)) {
    problems.push(`${at}: half a surrogate pair`);
  }
}

/** A list of objects, or JSON of one; undefined, with a problem, for anything else. */
export function list(raw: unknown, at: string, problems: string[]): Fields[] | undefined {
  if (raw === undefined) return undefined;
  const value = typeof raw === 'string' ? parsed(raw) : raw;
  if (Array.isArray(value) && value.every(isFields)) return value;
  problems.push(`${at}: not a list of objects`);
  return undefined;
}

/** The value of a JSON text, or undefined. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether it is an object that is no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
