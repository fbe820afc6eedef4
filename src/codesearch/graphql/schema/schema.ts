import { buildSchema, type GraphQLSchema } from 'graphql';
import { CODE_INTELLIGENCE_TYPES } from './code-intelligence.ts';
import { FILE_TYPES } from './files.ts';
import { HOST_TYPES } from './host.ts';
import { REPOSITORY_TYPES } from './repository.ts';
import { SEARCH_TYPES } from './search.ts';
import { SETTINGS_TYPES } from './settings.ts';

/** The schema that is served; its descriptions are the documentation that the console shows. */
export function createSchema(): GraphQLSchema {
  return buildSchema(
    [HOST_TYPES, SETTINGS_TYPES, REPOSITORY_TYPES, FILE_TYPES, SEARCH_TYPES, CODE_INTELLIGENCE_TYPES].join('\n'),
  );
}
