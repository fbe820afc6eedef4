import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question.ts';
import { recallAnswer } from '../../../src/core/recalling.ts';
import { crash, createLifeDesk, down, failing } from '../../support/lifecycle/memory-requests.ts';

const confirmed = { guests: 0, outsiders: 0, organisations: 0, isKnown: true };
const elsewhere = { teamId: 'T1', channelId: 'C7' };

/** A world in which one question has been answered. */
async function answered() {
  const desk = createLifeDesk();
  const { id } = await desk.ask();
  await desk.life.run();
  const share = (withLink: boolean): Promise<Question> =>
    desk.ask({ place: elsewhere, origin: 'shared', shares: { questionId: id, withLink, confirmed } });
  return { ...desk, source: desk.life.question(id), share };
}

describe('an answer shown again', () => {
  it('is read from the service, posted in the other place, and asked of nobody', async () => {
    const { life, source, share } = await answered();
    const { id } = await share(false);
    await life.run();
    const shared = life.question(id);
    expect(shared).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' }, place: elsewhere });
    expect(shared.upstream.shareUrl).toBeUndefined();
    expect(life.messagesOf(shared, 'card').map(({ view }) => view)).toEqual([{ kind: 'shared' }]);
    const [part] = life.messagesOf(shared, 'part');
    expect(part?.channelId).toBe('C7');
    expect(part?.outcome).toMatchObject({ answer: { markdown: expect.stringMatching(/./) } });
    expect(life.upstream()).toHaveLength(1);
    expect(source.outcome).toMatchObject({ answer: { markdown: '' } });
  });

  it('carries the link only where its asker wants that', async () => {
    const { life, source, share } = await answered();
    const { id } = await share(true);
    await life.run();
    expect(life.question(id).upstream.shareUrl).toBe(source.upstream.shareUrl);
  });

  it('has neither quota nor a place in histories and durations', async () => {
    const { life, share } = await answered();
    const before = await life.ports.histories.of('T1', 'U1');
    await share(false);
    await life.run();
    expect(await life.ports.histories.of('T1', 'U1')).toEqual(before);
  });

  it.each([
    ['the process dies', crash('no'), 'answered'],
    ['the service is down for a moment', down, 'answered'],
    ['the conversation was deleted', failing('notFound'), 'failed'],
    ['the service refuses the token', failing('unauthorized'), 'failed'],
  ])('ends visibly where %s', async (_, fault, ends) => {
    const desk = await answered();
    const { life } = desk;
    life.ports.codeSearch.read = faultyOnce(life.ports.codeSearch.read, fault.error);
    const { id } = await desk.share(false);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: ends } });
  });
});

describe('an answer that cannot be shown where it was shared', () => {
  it('is no question to be asked again: its sharer is told to add the app', async () => {
    const { life, share } = await answered();
    life.ports.messenger.postCard = faultyOnce(
      life.ports.messenger.postCard,
      failing('undeliverable', { invitationHelps: true }).error,
    );
    const { id } = await share(false);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'undeliverable' } });
    expect(life.whispers).toMatchObject([{ notice: { kind: 'shareUndeliverable', channelId: 'C7' } }]);
  });
});

describe('recallAnswer', () => {
  it('gives the text back that is not kept', async () => {
    const { life, source } = await answered();
    const answer = await recallAnswer(life.ports, source);
    expect(answer?.markdown).not.toBe('');
    expect(answer?.title).toBe(source.outcome?.kind === 'answered' ? source.outcome.answer.title : '');
  });

  it('knows nothing of a question without an answer', async () => {
    const { life, source } = await answered();
    const { outcome: _, ...open } = source;
    expect(await recallAnswer(life.ports, open)).toBeUndefined();
  });
});

function faultyOnce<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
  error: Error,
): (...args: Args) => Promise<Result> {
  let failed = false;
  return async (...args) => {
    if (failed) return work(...args);
    failed = true;
    throw error;
  };
}
