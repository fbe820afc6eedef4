import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import type { Installation } from '../../../src/core/workspaces/installations.ts';
import { createKeyRing } from '../../../src/storage/encryption.ts';
import { createInstallations, rotateInstallationKeys } from '../../../src/storage/sealed-records.ts';
import { memoryStore } from '../../support/storage/memory-store.ts';

const newKey = (id: string) => ({ id, key: new Secret(randomBytes(32).toString('base64')) });
const corrupt = expect.objectContaining({ name: 'AppError', kind: 'corrupt' });

function installed(workspaceId: string, token = 'xoxb-1'): Installation {
  return {
    workspaceId,
    name: 'Acme',
    enterpriseId: 'E1',
    url: 'https://acme.slack.com/',
    botUserId: 'U1',
    botId: 'B1',
    token: new Secret(token),
    scopes: ['chat:write'],
    installedMs: 1,
  };
}

describe('stored installations', () => {
  it('keep every field, encrypted, under the id of their workspace', async () => {
    const kv = memoryStore();
    const installations = createInstallations(kv, createKeyRing([newKey('a')]));
    await installations.replace(installed('T1'));
    await installations.replace(installed('E1', 'xoxb-2'));
    expect((await installations.get('T1'))?.token.reveal()).toBe('xoxb-1');
    expect(await installations.get('E1')).toMatchObject({ name: 'Acme', scopes: ['chat:write'], installedMs: 1 });
    expect(await installations.get('T2')).toBeUndefined();
    expect((await installations.ids()).toSorted()).toEqual(['E1', 'T1']);
    const text = await kv.get('ds:installation:T1');
    expect(text).not.toContain('xoxb');
    expect(text).not.toContain('Acme');
  });

  it('can not be read under the id of another workspace', async () => {
    const kv = memoryStore();
    const installations = createInstallations(kv, createKeyRing([newKey('a')]));
    await installations.replace(installed('T1'));
    await kv.set('ds:installation:T2', (await kv.get('ds:installation:T1')) ?? '');
    await expect(installations.get('T2')).rejects.toEqual(corrupt);
  });

  it('are removed by a change to nothing, and replaced when no key decrypts them', async () => {
    const kv = memoryStore();
    await createInstallations(kv, createKeyRing([newKey('lost')])).replace(installed('T1'));
    const installations = createInstallations(kv, createKeyRing([newKey('a')]));
    await expect(installations.update('T1', () => undefined)).rejects.toEqual(corrupt);
    await installations.replace(installed('T1', 'xoxb-2'));
    expect((await installations.get('T1'))?.token.reveal()).toBe('xoxb-2');
    expect(await installations.update('T1', () => undefined)).toBeUndefined();
    expect(await installations.ids()).toEqual([]);
  });

  it('get a new key with the other encrypted records', async () => {
    const kv = memoryStore();
    const [first, second] = [newKey('a'), newKey('b')];
    await createInstallations(kv, createKeyRing([first])).replace(installed('T1'));
    const both = createKeyRing([second, first]);
    expect(await rotateInstallationKeys(kv, both)).toEqual({ rotated: 1, current: 0, unreadable: 0 });
    expect(await rotateInstallationKeys(kv, both)).toEqual({ rotated: 0, current: 1, unreadable: 0 });
    expect((await createInstallations(kv, createKeyRing([second])).get('T1'))?.token.reveal()).toBe('xoxb-1');
  });
});
