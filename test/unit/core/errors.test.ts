import { describe, expect, it } from 'vitest';
import { AppError, type ErrorKind, isAppError, isTransient } from '../../../src/core/errors.ts';

describe('an error of the app', () => {
  it('is certain and has no details unless they are given', () => {
    const error = new AppError('refused', 'no');
    expect(error).toMatchObject({ name: 'AppError', kind: 'refused', outcomeUnknown: false, invitationHelps: false });
    expect([error.retryAfterMs, error.code, 'cause' in error]).toEqual([undefined, undefined, false]);
  });

  it('keeps its details and its cause', () => {
    const cause = new Error('the socket was closed');
    const details = { cause, retryAfterMs: 5, outcomeUnknown: true, code: 'x', invitationHelps: true };
    expect(new AppError('unavailable', 'no answer', details)).toMatchObject({ ...details, message: 'no answer' });
  });

  it('is distinguished from other errors, and by its kind', () => {
    const error = new AppError('storage', 'down');
    expect(isAppError(error)).toBe(true);
    expect(isAppError(error, 'corrupt', 'storage')).toBe(true);
    expect(isAppError(error, 'corrupt')).toBe(false);
    expect(isAppError(new Error('other'))).toBe(false);
    expect(isAppError({ name: 'AppError', kind: 'storage' }, 'storage')).toBe(false);
  });

  it.each<[ErrorKind, boolean]>([
    ['rateLimited', true],
    ['unavailable', true],
    ['badReply', true],
    ['refused', false],
    ['unauthorized', false],
    ['notFound', false],
    ['unrenderable', false],
    ['undeliverable', false],
    ['storage', false],
    ['corrupt', false],
  ])('of kind %s makes it %j that a later try may succeed', (kind, passes) => {
    expect(isTransient(new AppError(kind, 'planned'))).toBe(passes);
  });
});
