import { randomBytes } from 'node:crypto';
import type { Log, LogFields } from '../core/ports.ts';
import { referenceOf } from '../core/question/reference.ts';

/**
 * Logs a failure that a person is told of, and returns the reference they are shown: the beginning of the question's id,
 * or, where no question exists, a name made for this failure (`e` and 8 hex digits) that stands in the line as `reference`.
 */
export function logFailure(
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  level: 'info' | 'warn' | 'error',
  fields: LogFields,
  error?: unknown,
): string {
  const { questionId } = fields;
  const reference = questionId === undefined ? `e${randomBytes(4).toString('hex')}` : referenceOf(questionId);
  const line = questionId === undefined ? { ...fields, reference } : fields;
  if (level === 'info') log.info(line);
  else log[level](line, error);
  return reference;
}
