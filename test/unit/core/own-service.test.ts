import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/app/own-service.ts';
import { Secret } from '../../../src/core/secret.ts';
import { formerServiceMs } from '../../../src/core/settings.ts';
import {
  type OwnService,
  type WorkspaceService,
  withoutOldServices,
  withService,
} from '../../../src/core/workspaces/own-service.ts';

const at = (endpoint: string, username = 'bot', token = 'sgp_1'): OwnService => ({
  endpoint,
  username,
  token: new Secret(token),
  api: 'auto',
});
const [a, b] = [at('https://a.example.com'), at('https://b.example.com')];

/** The record after these changes, one second apart. */
function afterChanges(...services: (OwnService | undefined)[]): WorkspaceService | undefined {
  return services.reduce<WorkspaceService | undefined>(
    (record, service, index) => withService('T1', record, service, (index + 1) * 1_000),
    undefined,
  );
}

const places = (record: WorkspaceService | undefined) => [
  record?.current?.endpoint,
  ...(record?.former ?? []).map(({ endpoint }) => endpoint),
];

describe('a change of the service', () => {
  test('keeps the one before', () => {
    expect(places(afterChanges(a, b))).toEqual([b.endpoint, a.endpoint]);
    expect(places(afterChanges(a, undefined))).toEqual([undefined, a.endpoint]);
    expect(afterChanges(a, b)?.former[0]?.untilMs).toBe(2_000);
  });

  test('back to a service before makes it the current one, once', () => {
    expect(places(afterChanges(a, b, a))).toEqual([a.endpoint, b.endpoint]);
  });

  test('of the token alone keeps no other one, and another account does', () => {
    const renewed = afterChanges(a, at(a.endpoint, 'bot', 'sgp_2'));
    expect(places(renewed)).toEqual([a.endpoint]);
    expect(renewed?.current?.token.reveal()).toBe('sgp_2');
    expect(places(afterChanges(a, at(a.endpoint, 'someone')))).toEqual([a.endpoint, a.endpoint]);
  });

  test('of the token alone may be another account where the service does not tell whose it is', () => {
    expect(places(afterChanges(at(a.endpoint, ''), at(a.endpoint, '', 'sgp_2')))).toEqual([a.endpoint, a.endpoint]);
    expect(places(afterChanges(at(a.endpoint, ''), at(a.endpoint, '')))).toEqual([a.endpoint]);
    const asUser = { ...at(a.endpoint, ''), sudoUser: 'bob' };
    expect(places(afterChanges(at(a.endpoint, ''), asUser))).toEqual([a.endpoint, a.endpoint]);
  });

  test('has a later time than the one before, whatever the clock says', () => {
    const record = withService('T1', afterChanges(a), b, 5);
    expect(record?.changedMs).toBe(1_001);
  });

  test('of nothing to nothing stores nothing', () => {
    expect(afterChanges(undefined)).toBeUndefined();
  });
});

describe('services that nothing needs any more', () => {
  const endMs = 2_000 + formerServiceMs;

  test('leave the record, and the app notices', () => {
    const record = afterChanges(a, b);
    if (record === undefined) throw new Error('no record');
    expect(withoutOldServices(record, endMs - 1)).toBe(record);
    const left = withoutOldServices(record, endMs);
    expect(places(left)).toEqual([b.endpoint]);
    expect(left?.changedMs).not.toBe(record.changedMs);
  });

  test('take the record with them if the workspace has no service of its own', () => {
    const record = afterChanges(a, undefined);
    expect(record && withoutOldServices(record, endMs)).toBeUndefined();
  });
});

test('the key of a service differs for another account, also where the service does not tell whose a token is', () => {
  const asUser = { ...at(a.endpoint, ''), sudoUser: 'bob' };
  const services = [at(a.endpoint, 'bob'), at(a.endpoint, ''), at(a.endpoint, '', 'sgp_2'), asUser];
  const keys = services.map((service) => keyOf(service, b.endpoint));
  expect(new Set(keys).size).toBe(services.length);
  expect(keyOf(at(a.endpoint, 'bob', 'sgp_2'), b.endpoint)).toBe(keys[0]);
  expect(keyOf(at(a.endpoint, ''), b.endpoint)).toBe(keys[1]);
});
