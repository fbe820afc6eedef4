import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  nameAtService,
  serviceKeyOf,
  withoutServiceKey,
  withServiceKey,
} from '../../../src/core/question/service-ids.ts';

const [one, otherAccount, atApp] = ['0123456789ab.01234567', '0123456789ab.89abcdef', 'app.01234567'];
const ids = fc.oneof(
  fc.integer({ min: 0, max: 999_999_999_999_999 }),
  fc.uuid(),
  fc.constantFrom('users/1/conversations/x', '007', '"7"', '"c_01J8"', '18446744073709551615'),
);

test('an id finds its way to the service and back', () => {
  fc.assert(
    fc.property(ids, fc.constantFrom(one, otherAccount, atApp), (id, key) => {
      const outside = withServiceKey(key, id);
      expect(serviceKeyOf(outside)).toBe(key);
      expect(withoutServiceKey(outside)).toBe(id);
      expect(serviceKeyOf(id)).toBeUndefined();
      expect(withoutServiceKey(id)).toBe(id);
    }),
  );
});

test('a conversation has one name at its service for every account, and another one elsewhere', () => {
  expect(nameAtService(withServiceKey(one, 7))).toBe(nameAtService(withServiceKey(otherAccount, 7)));
  expect(nameAtService(withServiceKey(atApp, 7))).toBe(nameAtService(7));
  expect(nameAtService(withServiceKey(atApp, '"c_01"'))).toBe(nameAtService('c_01'));
  expect(nameAtService(withServiceKey(one, 7))).not.toBe(nameAtService(7));
  expect(nameAtService(withServiceKey(one, 7))).not.toBe(nameAtService(withServiceKey('ba9876543210.01234567', 7)));
});
