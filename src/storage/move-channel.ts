import { isAppError } from '../core/errors.ts';
import type { Thread } from '../core/question/question.ts';
import { attendanceType, dayCountType, messageLogType } from './brief-records.ts';
import { channelSettingsType } from './channel-records.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { type Life, lifeOf, questionLife, threadLife } from './lives.ts';
import { readerChoicesType } from './reader-choices.ts';
import type { RecordFormat } from './record-format.ts';
import { questionFormat, questionPrefix, threadFormat, threadNotesType, threadPrefix } from './records.ts';

/** A channel whose id Slack changed. */
export interface ChannelMove {
  teamId: string;
  from: string;
  to: string;
}

/** How often a record is read again because the app changed it meanwhile. */
const attempts = 100;

interface Kind<T> {
  prefix: string;
  format: RecordFormat<T>;
  life: Life<T>;
  /** The record with the channel's new id. The same object if it does not name the channel. */
  moved(record: T): T;
  /** Joins both records if there is already one with the new id. Default: that one stays. */
  merged?: (moved: T, there: T) => T;
}

/**
 * Gives everything that is stored of a channel its new id: settings, threads with their notes, counts of a day, the message log,
 * people's choices of readers, and questions. Safe beside a running app, and safe to interrupt and to repeat. Returns how
 * many records changed. Throws `AppError` of kind `storage`.
 */
export async function moveChannel(
  kv: Pick<KeyValueStore, 'get' | 'keys' | 'compareAndSet' | 'compareAndDelete'>,
  { teamId, from, to }: ChannelMove,
  retentionMs: number,
): Promise<number> {
  const idOf = (channelId: string): string => (channelId === from ? to : channelId);
  const withId = <T extends { channelId: string }>(record: T): T => ({ ...record, channelId: to });
  const same = <T>(record: T): T => record;
  return (
    (await renameAll({
      prefix: channelSettingsType.key(''),
      format: channelSettingsType.format,
      life: channelSettingsType,
      moved: withId,
    })) +
    (await renameAll({
      prefix: threadPrefix,
      format: threadFormat,
      life: threadLife,
      moved: withId,
      merged: mergedThread,
    })) +
    (await renameAll({
      prefix: threadNotesType.key(''),
      format: threadNotesType.format,
      life: threadNotesType,
      moved: same,
    })) +
    (await renameAll({
      prefix: messageLogType.key(''),
      format: messageLogType.format,
      life: messageLogType,
      moved: same,
    })) +
    (await renameAll({ prefix: dayCountType.key(''), format: dayCountType.format, life: dayCountType, moved: same })) +
    (await changeAll(questionPrefix, {
      format: questionFormat,
      life: questionLife,
      moved(question) {
        const { place, readsFrom } = question;
        if (place.teamId !== teamId) return question;
        if (place.channelId !== from && readsFrom?.channelId !== from) return question;
        const moved = { ...question, place: { ...place, channelId: idOf(place.channelId) } };
        return readsFrom === undefined
          ? moved
          : { ...moved, readsFrom: { ...readsFrom, channelId: idOf(readsFrom.channelId) } };
      },
    })) +
    (await changeAll(readerChoicesType.key(`${teamId}:`), {
      format: readerChoicesType.format,
      life: readerChoicesType,
      moved: (choices) =>
        choices.channels.includes(from) || choices.threads.some(({ channelId }) => channelId === from)
          ? {
              ...choices,
              channels: [...new Set(choices.channels.map(idOf))],
              threads: choices.threads.map((thread) => ({ ...thread, channelId: idOf(thread.channelId) })),
            }
          : choices,
    })) +
    (await changeAll(attendanceType.key(teamId), {
      format: attendanceType.format,
      life: attendanceType,
      moved: (attendance) =>
        attendance.threads.some(({ channelId }) => channelId === from)
          ? {
              ...attendance,
              threads: attendance.threads.map((thread) => ({ ...thread, channelId: idOf(thread.channelId) })),
            }
          : attendance,
    }))
  );

  /** Records whose names begin with the workspace and the channel. */
  async function renameAll<T>(kind: Kind<T>): Promise<number> {
    const begin = `${kind.prefix}${teamId}:`;
    let count = 0;
    for await (const key of kv.keys(`${begin}${from}`)) {
      const rest = key.slice(begin.length + from.length);
      if (rest !== '' && !rest.startsWith(':')) continue;
      if (await readable(() => rename(kind, key, `${begin}${to}${rest}`))) count += 1;
    }
    return count;
  }

  async function rename<T>({ format, life, moved, merged }: Kind<T>, key: string, newKey: string): Promise<boolean> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const [text, there] = [await kv.get(key), await kv.get(newKey)];
      if (text === undefined) return false;
      const here = moved(format.decode(key, text));
      const known = there === undefined ? undefined : format.decode(newKey, there);
      const next = known === undefined ? here : (merged?.(here, known) ?? known);
      // Written first: a crash in between leaves both, and the next run removes the old one.
      const isStored = await kv.compareAndSet(
        newKey,
        there,
        format.encode(newKey, next),
        lifeOf(life, next, retentionMs),
      );
      if (isStored && (await kv.compareAndDelete(key, text))) return true;
    }
    return false;
  }

  async function changeAll<T>(prefix: string, kind: Omit<Kind<T>, 'prefix' | 'merged'>): Promise<number> {
    let count = 0;
    for await (const key of kv.keys(prefix)) if (await readable(() => change(kind, key))) count += 1;
    return count;
  }

  async function change<T>({ format, life, moved }: Omit<Kind<T>, 'prefix' | 'merged'>, key: string): Promise<boolean> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const text = await kv.get(key);
      if (text === undefined) return false;
      const record = format.decode(key, text);
      const next = moved(record);
      if (next === record) return false;
      if (await kv.compareAndSet(key, text, format.encode(key, next), lifeOf(life, next, retentionMs))) return true;
    }
    return false;
  }
}

/** A record that can't be read stays where it is. */
async function readable(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return false;
  }
}

/** Someone wrote in the thread under its new id before it was moved. */
function mergedThread(moved: Thread, there: Thread): Thread {
  return {
    ...moved,
    ...there,
    followsReplies: moved.followsReplies || there.followsReplies,
    asked: [...new Set([...(moved.asked ?? []), ...(there.asked ?? [])])],
    queue: [...new Set([...moved.queue, ...there.queue])],
  };
}
