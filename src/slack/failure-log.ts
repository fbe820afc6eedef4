import { randomBytes } from 'node:crypto';
import type { Log, LogFields } from '../core/ports.ts';
import { referenceOf } from '../core/question/question.ts';

/**
 * Logs a failure that a person is told of, and returns the reference that they see: the beginning of the question's id.
 * Without a question, it is a new id (`e` and 8 hex digits), which is logged as `reference`.
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
