import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** The cost limits of GraphQL queries, by their names in the site configuration. */
export interface RateLimits {
  /** Objects within each other. */
  graphQLMaxDepth: number;
  /** Fields of the response; fields within a list count as often as `first` or `last` asks for. */
  graphQLMaxFieldCount: number;
  graphQLMaxAliases: number;
  /** How often one place of the response may be selected. */
  GraphqlMaxDuplicateFieldCount: number;
  /** Different names of fields. */
  GraphqlMaxUniqueFieldCount: number;
}

export const DEFAULT_RATE_LIMITS: RateLimits = {
  graphQLMaxDepth: 30,
  graphQLMaxFieldCount: 500_000,
  graphQLMaxAliases: 500,
  GraphqlMaxDuplicateFieldCount: 500,
  GraphqlMaxUniqueFieldCount: 500,
};

const whole = (most: number) => z.int().min(1).max(most).optional();
const largest = 1_000_000_000;

/** Other keys of the site configuration are ignored; an unknown key within `rateLimits` is a mistake. */
const schema = z.object({
  rateLimits: z
    .strictObject({
      graphQLMaxDepth: whole(LIMITS.graphqlNesting - 100),
      graphQLMaxFieldCount: whole(largest),
      graphQLMaxAliases: whole(largest),
      GraphqlMaxDuplicateFieldCount: whole(largest),
      GraphqlMaxUniqueFieldCount: whole(largest),
    })
    .optional(),
});

/** Reads a site configuration: JSON that may contain `//` comments. Returns the limits, and every problem as a sentence. */
export function parseSiteConfiguration(text: string): { rateLimits: RateLimits; problems: string[] } {
  let content: unknown;
  try {
    content = JSON.parse(withoutComments(text));
  } catch {
    return { rateLimits: DEFAULT_RATE_LIMITS, problems: ['the site configuration is not valid JSON'] };
  }
  const { success, data, error } = schema.safeParse(content);
  if (!success) {
    const problems = error.issues.map(
      ({ path, message }) => `the site configuration: ${path.join('.') || 'the whole'}: ${message}`,
    );
    return { rateLimits: DEFAULT_RATE_LIMITS, problems };
  }
  const given = Object.entries(data.rateLimits ?? {}).filter(([, value]) => value !== undefined);
  return { rateLimits: { ...DEFAULT_RATE_LIMITS, ...Object.fromEntries(given) }, problems: [] };
}

/** Reads the site configuration from a file; a file that can't be read is a problem like a bad value. */
export function readSiteConfiguration(path: string): ReturnType<typeof parseSiteConfiguration> {
  try {
    if (statSync(path).size <= LIMITS.siteConfigurationBytes) return parseSiteConfiguration(readFileSync(path, 'utf8'));
    return { rateLimits: DEFAULT_RATE_LIMITS, problems: [`--site-config ${path}: the file is too large`] };
  } catch {
    return { rateLimits: DEFAULT_RATE_LIMITS, problems: [`--site-config ${path}: the file can't be read`] };
  }
}

function withoutComments(text: string): string {
  return text.replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*/g, (piece) => (piece.startsWith('"') ? piece : ''));
}
