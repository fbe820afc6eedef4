import type { Clock } from '../../core/ports.ts';
import { longestAppointmentGraceMs, mostCallsWaiting } from '../settings.ts';

/** A call that waits for room and comes again. The smallest `order` goes first, compared number by number. */
export interface WaitingCall {
  id: string;
  order: readonly [number, number];
}

interface Appointed extends WaitingCall {
  atMs: number;
}

/** The calls of one limiter that wait for room, and when each comes again. */
export interface WaitingCalls {
  /** How many waiting calls go before this one. Those that did not come in time are forgotten. */
  countBefore(key: string, call: WaitingCall): number;
  /**
   * Adds a call, or moves it to its place, and returns the milliseconds until its time. There is no room before
   * `missingMs`.
   */
  add(key: string, call: WaitingCall, missingMs: number): number;
  /** Removes a call that got room. */
  remove(key: string, call: WaitingCall): void;
  /** A time for a call without a place of its own, after all that were given before. */
  appoint(key: string, missingMs: number): number;
}

/** `spacingMs`: the time between two calls at the highest lasting rate. */
export function createWaitingCalls(spacingMs: number, now: Clock): WaitingCalls {
  const calls = new Map<string, Map<string, Appointed>>();
  const freeFromMs = new Map<string, number>();
  const nextFreeMs = new Map<string, number>();

  return { countBefore, add, remove, appoint };

  function countBefore(key: string, call: WaitingCall): number {
    return [...waitingFor(key).values()].filter((other) => goesBefore(other, call)).length;
  }

  function add(key: string, call: WaitingCall, missingMs: number): number {
    const nowMs = now();
    forgetPast(freeFromMs, nowMs);
    const freeMs = Math.max(nowMs + missingMs, freeFromMs.get(key) ?? 0);
    freeFromMs.set(key, freeMs);
    const waiting = waitingFor(key);
    const atMs = freeMs + countBefore(key, call) * spacingMs;
    if (waiting.size < mostCallsWaiting) waiting.set(call.id, { ...call, atMs });
    if (waiting.size > 0) calls.set(key, waiting);
    return Math.max(1, Math.ceil(atMs - nowMs));
  }

  function remove(key: string, { id }: WaitingCall): void {
    const waiting = waitingFor(key);
    waiting.delete(id);
    if (waiting.size === 0) calls.delete(key);
  }

  function appoint(key: string, missingMs: number): number {
    const nowMs = now();
    forgetPast(nextFreeMs, nowMs);
    const freeMs = Math.max(nowMs + missingMs, nextFreeMs.get(key) ?? 0);
    nextFreeMs.set(key, freeMs + spacingMs);
    return Math.ceil(freeMs - nowMs);
  }

  function waitingFor(key: string): Map<string, Appointed> {
    const waiting = calls.get(key) ?? new Map<string, Appointed>();
    const nowMs = now();
    for (const [id, { atMs }] of waiting) if (atMs + longestAppointmentGraceMs < nowMs) waiting.delete(id);
    return waiting;
  }
}

/** Whether one call goes before another one. A call of the same question does not wait for itself. */
function goesBefore(one: WaitingCall, other: WaitingCall): boolean {
  const [first, second] = one.order;
  if (one.id === other.id) return false;
  return first < other.order[0] || (first === other.order[0] && second < other.order[1]);
}

function forgetPast(times: Map<string, number>, nowMs: number): void {
  for (const [key, atMs] of times) if (atMs <= nowMs) times.delete(key);
}
