/** Searches and their results. */
export const SEARCH_TYPES = `
type Search {
  results: SearchResults!
}

union SearchResult = FileMatch | CommitSearchResult | Repository

type SearchResults {
  results: [SearchResult!]!
  "Matches, not lines: a line with two matches counts twice; a path, repository or commit counts once."
  matchCount: Int!
  resultCount: Int! @deprecated(reason: "The same as matchCount.")
  "The number of matches, with + when there are more."
  approximateResultCount: String!
  "Whether there are more matches than count: asks for, or a limit of the service ended the search."
  limitHit: Boolean!
  "Repositories of the results."
  repositories: [Repository!]!
  repositoriesCount: Int!
  "All repositories are local: always empty."
  cloning: [Repository!]!
  "Repositories without the revision that was asked for."
  missing: [Repository!]!
  "Repositories that were not searched completely in time."
  timedout: [Repository!]!
  indexUnavailable: Boolean!
  "Why there are no results, or not all."
  alert: SearchAlert
  "Always empty; for clients that ask."
  dynamicFilters: [SearchFilter!]!
  elapsedMilliseconds: Int!
}

type SearchFilter {
  "For the query, for example lang:go."
  value: String!
  label: String!
  "Matches in these results."
  count: Int!
  "Whether there may be more matches."
  limitHit: Boolean!
  "repo or lang."
  kind: String!
}

type SearchAlert {
  title: String!
  description: String
  "For example invalid-pattern."
  kind: String
  "Queries that would work."
  proposedQueries: [SearchQueryDescription!]
}

type SearchQueryDescription {
  description: String
  query: String!
}

"""Text in Markdown."""
type Markdown {
  text: String!
  "The same as HTML, with everything escaped that is not Markdown."
  html: String!
}

interface GenericSearchResultInterface {
  label: Markdown!
  url: String!
  detail: Markdown!
  matches: [SearchResultMatch!]!
}

type SearchResultMatch {
  url: String!
  body: Markdown!
  highlights: [Highlight!]!
}

"""A place that matched; line and character count from 1."""
type Highlight {
  line: Int!
  character: Int!
  length: Int!
}

type HighlightedString {
  value: String!
  highlights: [Highlight!]!
}

"""A commit whose message matched."""
type CommitSearchResult implements GenericSearchResultInterface {
  label: Markdown!
  url: String!
  detail: Markdown!
  matches: [SearchResultMatch!]!
  commit: GitCommit!
  messagePreview: HighlightedString
}

"""A file whose content, path or symbols matched."""
type FileMatch {
  file: GitBlob!
  repository: Repository!
  "The revision of the query; null for the default."
  revSpec: GitRevSpecExpr
  lineMatches: [LineMatch!]!
  "The same matches, with consecutive lines joined."
  chunkMatches: [ChunkMatch!]!
  pathMatches: [Range!]!
  symbols: [Symbol!]!
  limitHit: Boolean!
  languages: [String!]!
}

type LineMatch {
  "The whole line."
  preview: String!
  "From 0."
  lineNumber: Int!
  "Pairs of offset and length, in characters."
  offsetAndLengths: [[Int!]!]!
  limitHit: Boolean!
}

type ChunkMatch {
  content: String!
  contentStart: Position!
  ranges: [Range!]!
}

"""A place in a file; line and character count from 0."""
type Position {
  line: Int!
  character: Int!
}

type Range {
  start: Position!
  "The character after the last one."
  end: Position!
}

type SymbolConnection {
  nodes: [Symbol!]!
  pageInfo: PageInfo!
}

type Symbol {
  name: String!
  "Containers are not told: always null."
  containerName: String
  kind: SymbolKind!
  language: String!
  location: Location!
  url: String!
  canonicalURL: String!
  "Symbols are those that other files can name: always false."
  fileLocal: Boolean!
}

type Location {
  resource: GitBlob!
  "The line of the symbol."
  range: Range
  url: String!
  canonicalURL: String!
}

enum SymbolKind {
  UNKNOWN FILE MODULE NAMESPACE PACKAGE CLASS METHOD PROPERTY FIELD CONSTRUCTOR ENUM INTERFACE FUNCTION VARIABLE
  CONSTANT STRING NUMBER BOOLEAN ARRAY OBJECT KEY NULL ENUMMEMBER STRUCT EVENT OPERATOR TYPEPARAMETER
}
`;
