import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChannelSettings,
  channelSettingsType,
  settingsName,
  usualRules,
} from '../../../src/core/channels/channel-settings.ts';
import { dayMs } from '../../../src/core/record.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { createRecords } from '../../../src/storage/repositories.ts';
import type { Engine } from './storage-contract.ts';

const settings: ChannelSettings = {
  ...usualRules(false),
  version: 1,
  teamId: 'T1',
  channelId: 'C1',
  repositories: ['__proto__', 'github.com/acme/検索'],
  changedBy: 'U1',
  changedMs: 1,
};
const name = settingsName(settings);

/** The contract of channels' settings, for every engine. */
export function channelSettingsContract(engine: Engine): void {
  let kv: KeyValueStore;

  beforeEach(async () => {
    await engine.clear();
    kv = await engine.open();
  });

  afterEach(() => kv.close());

  describe('with settings of channels', () => {
    it('returns what was stored, and nothing for another channel or workspace', async () => {
      const records = createRecords(kv, channelSettingsType, Number.POSITIVE_INFINITY);
      expect(await records.get(name)).toBeUndefined();
      await records.update(name, () => settings);
      expect(await records.get(name)).toEqual(settings);
      expect(await records.get('T1:C2')).toBeUndefined();
      expect(await records.get('T2:C1')).toBeUndefined();
    });

    it('loses none of twenty simultaneous changes', async () => {
      const records = createRecords(kv, channelSettingsType, Number.POSITIVE_INFINITY);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          records.update(name, (stored = settings) => ({
            ...stored,
            repositories: [...stored.repositories, `r${index}`],
          })),
        ),
      );
      expect((await records.get(name))?.repositories).toHaveLength(22);
    });

    it('keeps the fields that a newer version of the app has added', async () => {
      const records = createRecords(kv, channelSettingsType, Number.POSITIVE_INFINITY);
      await kv.set(channelSettingsType.key(name), JSON.stringify({ ...settings, color: 'blue' }));
      await records.update(name, (stored = settings) => ({ ...stored, isOn: false }));
      expect(JSON.parse((await kv.get(channelSettingsType.key(name))) ?? '')).toMatchObject({
        isOn: false,
        color: 'blue',
      });
    });

    it('reports settings that can not be read by their key', async () => {
      const records = createRecords(kv, channelSettingsType, Number.POSITIVE_INFINITY);
      await kv.set(channelSettingsType.key(name), '{"version":1}');
      await expect(records.get(name)).rejects.toMatchObject({ kind: 'corrupt' });
    });

    it('replaces settings that can not be read only where that is meant', async () => {
      const records = createRecords(kv, channelSettingsType, Number.POSITIVE_INFINITY);
      await kv.set(channelSettingsType.key(name), '{"version":1}');
      const change = (stored: ChannelSettings | undefined) => ({ ...(stored ?? settings), isOn: false });
      await expect(records.update(name, change)).rejects.toMatchObject({ kind: 'corrupt' });
      await records.update(name, change, { replacesUnreadable: true });
      expect(await records.get(name)).toEqual({ ...settings, isOn: false });
    });

    it('keeps them although records are kept only a moment, because they may forbid something', async () => {
      await createRecords(kv, channelSettingsType, 1).update(name, () => settings);
      expect(await kv.shortenLife(channelSettingsType.key(name), 3_000 * dayMs)).toBe(true);
      expect(await createRecords(kv, channelSettingsType, 1).get(name)).toEqual(settings);
    });
  });
}
