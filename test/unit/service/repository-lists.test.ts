import { expect, it } from 'vitest';
import { createRepositoryLists } from '../../../src/service/graphql.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

it('tells every account its repositories, also when more accounts ask at once than lists are kept', async () => {
  const allRepositoryNames = async () => ['github.com/acme/app'];
  const listOf = createRepositoryLists(() => ({ allRepositoryNames }), createRecordingLog().log);
  const people = Array.from({ length: 300 }, (_, index) => ({ teamId: 'T1', userId: `U${index}` }));
  const found = await Promise.all(people.map(listOf));
  expect(found.filter((names) => names?.join() === 'github.com/acme/app')).toHaveLength(people.length);
});
