import { describe, expect, it } from 'vitest';
import { createAccept, type NewQuestion } from '../../../src/core/accept.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import type { Question } from '../../../src/core/question.ts';
import { createRequests } from '../../../src/core/requests.ts';
import { Crash, createMemoryLife, type Fault, type Operation, type Work } from '../../support/memory-life.ts';

const thread = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000001' };
const press = { userId: 'U9', teamId: 'T1', channelId: 'C1' };

/** A world in which some operations fail: of each kind the first call meets the first entry, and so on. */
function setUp({
  faults = {},
  work,
}: {
  faults?: Partial<Record<Operation, (Fault | undefined)[]>>;
  work?: Work;
} = {}) {
  const left = new Map(Object.entries(faults).map(([operation, list]) => [operation, [...list]]));
  const life = createMemoryLife({
    fate: (operation) => left.get(operation)?.shift(),
    ...(work === undefined ? {} : { work: () => work }),
  });
  let keys = 0;
  const accept = createAccept({
    ...life.ports,
    digest: (key) => Buffer.from(key).toString('hex').padEnd(24, '0').slice(0, 24),
  });
  const ask = async (request: Partial<NewQuestion> = {}): Promise<Question> => {
    keys += 1;
    const acceptance = await accept({
      key: `key${keys}`,
      place: thread,
      askerId: 'U1',
      text: `question ${keys}`,
      origin: 'mention',
      beginsThread: true,
      ...request,
    });
    if (acceptance.kind !== 'accepted') throw new Error(acceptance.kind);
    return acceptance.question;
  };
  return { life, accept, ask, requests: createRequests({ ...life.ports, accept }) };
}

function failing(kind: ErrorKind, details: AppErrorDetails = {}, happens: Fault['happens'] = 'no'): Fault {
  return { error: new AppError(kind, `planned ${kind}`, details), happens };
}

const lost = failing('unavailable', { outcomeUnknown: true }, 'yes');
const late = failing('unavailable', { outcomeUnknown: true }, 'late');
const down = failing('unavailable');
const limitedFor = (retryAfterMs: number): Fault => failing('rateLimited', { retryAfterMs });
const crash = (happens: Fault['happens']): Fault => ({ error: new Crash('killed'), happens });

describe('asking with an unknown outcome', () => {
  it.each([
    ['the reply is lost', lost],
    ['the request arrives after its deadline', late],
    ['the process dies after it', crash('yes')],
    ['the process dies before it', crash('no')],
    ['the service is down', down],
  ])('asks once where %s', async (_, fault) => {
    const { life, ask } = setUp({ faults: { create: [fault] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });

  it('asks once where the search for the lost question is told to wait for long', async () => {
    const { life, ask } = setUp({ faults: { create: [lost], newest: [limitedFor(120_000)] } });
    const { id } = await ask();
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(1);
  });

  it('stops what it asked at the service where the question is cancelled while parked', async () => {
    const { life, ask, requests } = setUp({
      faults: { create: [lost], newest: [limitedFor(120_000)] },
      work: { takesMs: 600_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 30_000);
    expect(life.question(id).phase).toBe('parked');
    await requests.cancel(id, press);
    await life.run();
    expect(life.question(id).outcome).toEqual({ kind: 'cancelled' });
    expect(life.upstream().map(({ state }) => state)).toEqual(['cancelled']);
  });
});

describe('a cancelled question', () => {
  it('goes on to say so where Slack takes no edits for longer than usual', async () => {
    const { life, ask, requests } = setUp({
      faults: { updateCard: Array.from({ length: 30 }, () => down) },
      work: { takesMs: 60_000, ends: 'completed' },
    });
    const { id } = await ask();
    await life.run(life.startMs + 5_000);
    await requests.cancel(id, press);
    await life.run();
    const question = life.question(id);
    expect(question.outcome).toEqual({ kind: 'cancelled' });
    expect(life.messagesOf(question, 'card').map(({ view }) => view?.kind)).toEqual(['cancelled']);
  });
});
