import { describe, expect, it } from 'vitest';
import { mayWantMute, withReplier } from '../../../src/core/question/conversations.ts';
import { newThread, type Thread } from '../../../src/core/question/question.ts';

const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.000001' };
const begun: Thread = { ...newThread(place, true), startedBy: 'U1' };
const old: Thread = newThread(place, true);

describe('a thread', () => {
  it('stays as it is while only the person replies who began it', () => {
    expect(withReplier(begun, 'U1')).toBe(begun);
  });

  it('has a second person once another one replies, and does not change any more then', () => {
    const talk = withReplier(begun, 'U2');
    expect(talk).toEqual({ ...begun, hasSecondPerson: true });
    for (const user of ['U1', 'U2', 'U3']) expect(withReplier(talk, user)).toBe(talk);
  });

  it('whose first person is forgotten takes the first to reply for the one who began it', () => {
    const first = withReplier(old, 'U2');
    expect(first).toEqual({ ...old, startedBy: 'U2' });
    expect(withReplier(first, 'U1').hasSecondPerson).toBe(true);
  });
});

describe('the offer to take only mentions', () => {
  const talk: Thread = { ...begun, hasSecondPerson: true };

  it.each<[string, Thread | undefined, boolean]>([
    ['is made in a thread with a second person', talk, true],
    ['is not made in a thread without one', begun, false],
    ['is not made in a thread whose first person is forgotten', old, false],
    ['is not made where no thread is known', undefined, false],
    ['is not made in a thread that is muted', { ...talk, muted: true }, false],
    ['is made in a thread that was unmuted', { ...talk, muted: false }, true],
    ['is not made in a thread of people', { ...talk, followsReplies: false }, false],
    ['is not made in direct messages', { ...talk, channelId: 'D1' }, false],
  ])('%s', (_, thread, isMade) => {
    expect(mayWantMute(thread)).toBe(isMade);
  });
});
