import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { LIMITS } from '../limits.ts';

const limit = (standard: number, most = 1_000_000_000) => z.int().min(1).max(most).default(standard);

/** The cost limits of GraphQL queries, by their names in the site configuration. */
const costLimits = z.strictObject({
  /** Objects within each other. */
  graphQLMaxDepth: limit(30, LIMITS.graphqlNesting - 100),
  /** Fields of the response, as they are made. */
  graphQLMaxFieldCount: limit(500_000),
  graphQLMaxAliases: limit(500),
  /** How often one place of the response may be selected. */
  GraphqlMaxDuplicateFieldCount: limit(500),
  /** Different names of fields. */
  GraphqlMaxUniqueFieldCount: limit(500),
});

export type CostLimits = z.infer<typeof costLimits>;

export const DEFAULT_COST_LIMITS: CostLimits = costLimits.parse({});

/** Other keys of the site configuration are ignored; an unknown key within `rateLimits` is a mistake. */
const siteConfiguration = z.object({ rateLimits: costLimits.prefault({}) });

/** Reads a site configuration: JSON that may contain `//` comments. Returns the limits, and every problem as a sentence. */
export function parseSiteConfiguration(text: string): { costLimits: CostLimits; problems: string[] } {
  const failed = (...problems: string[]) => ({ costLimits: DEFAULT_COST_LIMITS, problems });
  let content: unknown;
  try {
    content = JSON.parse(withoutComments(text));
  } catch {
    return failed('the site configuration is not valid JSON');
  }
  const { success, data, error } = siteConfiguration.safeParse(content);
  if (success) return { costLimits: data.rateLimits, problems: [] };
  return failed(
    ...error.issues.map(({ path, message }) => `the site configuration: ${path.join('.') || 'the whole'}: ${message}`),
  );
}

/** Reads the site configuration from a file; a file that can't be read is a problem like a bad value. */
export function readSiteConfiguration(path: string): ReturnType<typeof parseSiteConfiguration> {
  let problem = "the file can't be read";
  try {
    if (statSync(path).size <= LIMITS.siteConfigurationBytes) return parseSiteConfiguration(readFileSync(path, 'utf8'));
    problem = 'the file is too large';
  } catch {
    // The problem is told below.
  }
  return { costLimits: DEFAULT_COST_LIMITS, problems: [`--site-config ${path}: ${problem}`] };
}

function withoutComments(text: string): string {
  return text.replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*/g, (piece) => (piece.startsWith('"') ? piece : ''));
}
