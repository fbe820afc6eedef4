import { buildSchema, type GraphQLSchema } from 'graphql';

/** The schema that is served; its descriptions are the documentation that the console shows. */
export function createSchema(): GraphQLSchema {
  return buildSchema([HOST, REPOSITORIES, FILES, SEARCHES, PRECISE_INDEX].join('\n'));
}

/** The fields of an interface and of the types that have it. */
const SETTINGS_SUBJECT = `
  id: ID!
  "No settings are kept: always null."
  latestSettings: Settings
  settingsCascade: SettingsCascade!
  settingsURL: String
  "Whether the viewer is this user or a site admin."
  viewerCanAdminister: Boolean!`;

const TREE_ENTRY = `
  "From the root of the repository; empty for the root."
  path: String!
  name: String!
  isDirectory: Boolean!
  "Path of its page, at the revision that was asked for."
  url: String!
  "What a submodule points to; null for all other entries."
  submodule: Submodule
  "Whether it is a folder that is alone in the folder above it."
  isSingleChild: Boolean!`;

const HOST = `
"""A date and time in ISO 8601 with a time zone, for example 2026-03-05T09:00:00Z."""
scalar DateTime

"""A whole number that may be larger than 32 bits; sent as a JSON number."""
scalar BigInt

type Query {
  "The user who sent the request."
  currentUser: User
  "A user, by name or mail address."
  user(username: String, email: String): User
  "All users, by their numbers."
  users(
    "At most so many; 1000 is the most."
    first: Int
    "The endCursor of the page before."
    after: String
    "Text in the user name or display name."
    query: String
  ): UserConnection!
  "This service has no organizations: always empty."
  organizations(first: Int, query: String): OrgConnection!
  "This service has no organizations: always null."
  organization(name: String!): Org
  "No settings are kept; the cascade names whose settings they would be."
  viewerSettings: SettingsCascade!
  "The site or a user, by global id."
  settingsSubject(id: ID!): SettingsSubject
  "A repository, by name or by an address that git clones from; null when there is none that the viewer may read."
  repository(name: String, cloneURL: String): Repository
  "The same as repository; no repository has moved, so it is never a Redirect."
  repositoryRedirect(
    name: String
    cloneURL: String
    "SHA-256 of the name in lower case, as hexadecimal digits."
    hashedName: String
  ): RepositoryRedirect
  "The repositories that the viewer may read, by name."
  repositories(
    "At most so many; 1000 is the most."
    first: Int
    "The endCursor of the page before."
    after: String
    "Text in the name."
    query: String
    "Only repositories with these names."
    names: [String!]
    "All repositories are local, so false leaves none; the same holds for indexed."
    cloned: Boolean = true
    "No repository waits to be cloned or indexed: these change nothing."
    notCloned: Boolean = true
    indexed: Boolean = true
    notIndexed: Boolean = true
    "Every order is the order by name."
    orderBy: RepositoryOrderBy = REPOSITORY_NAME
    descending: Boolean = false
  ): RepositoryConnection!
  "Runs a search over the repositories that the viewer may read."
  search(
    "How words are read that patternType: in the query does not settle: V1 as regular expressions, V2 literally, V3 as standard."
    version: SearchVersion = V3
    "How words are read; patternType: in the query wins."
    patternType: SearchPatternType
    "For example: repo:harbour lang:typescript retryDelay"
    query: String! = ""
  ): Search
  "This installation."
  site: Site!
  "The viewer's quota of answered questions; null when there is no limit."
  deepSearchQuotaUsage: DeepSearchQuotaUsage
}

enum RepositoryOrderBy { REPOSITORY_NAME REPO_CREATED_AT REPOSITORY_CREATED_AT SIZE STARS LAST_CHANGED }

enum SearchVersion { V1 V2 V3 }

"""Lucky is read as standard."""
enum SearchPatternType { standard literal regexp keyword lucky }

"""Where a page of a list ends."""
type PageInfo {
  "For the argument after of the next page."
  endCursor: String
  hasNextPage: Boolean!
}

type UserConnection { nodes: [User!]!, totalCount: Int!, pageInfo: PageInfo! }

"""A person, or a service account for programs. Only the user and site admins see the mail address."""
type User implements SettingsSubject {
  "The number that the conversation API calls user_id."
  databaseID: Int!
  username: String!
  displayName: String
  "The mail address, or empty text."
  email: String!
  emails: [UserEmail!]!
  primaryEmail: UserEmail
  hasVerifiedEmail: Boolean!
  "Pictures of people are not kept: always null."
  avatarURL: String
  "Path that stands for the user; there is no page."
  url: String!
  session: Session!
  "There are no terms of service: always true."
  tosAccepted: Boolean!
  siteAdmin: Boolean!
  "This service has no organizations: always empty."
  organizations: OrgConnection!
  ${SETTINGS_SUBJECT}
}

type Session {
  "Whether the request came with the session of a browser of this user."
  canSignOut: Boolean!
}

type UserEmail {
  email: String!
  "Mail addresses come from the operator and are taken as right."
  verified: Boolean!
}

type OrgConnection { nodes: [Org!]!, totalCount: Int! }

type Org implements SettingsSubject {
  name: String!
  displayName: String
  url: String!
  members: UserConnection!
  ${SETTINGS_SUBJECT}
}

type Site implements SettingsSubject {
  siteID: String!
  "The version that this service speaks like, for example 7.0.0."
  productVersion: String!
  buildVersion: String!
  "Older clients ask it before they ask for more: always true, as in the public service."
  hasCodeIntelligence: Boolean!
  ${SETTINGS_SUBJECT}
}

"""What can have settings, which public clients read at their start: the site, an organization or a user."""
interface SettingsSubject {
  ${SETTINGS_SUBJECT}
}

type Settings { id: Int!, contents: String!, author: User, createdAt: DateTime! }

type SettingsCascade {
  "Whose settings these would be, the strongest last."
  subjects: [SettingsSubject!]!
  "All settings merged, as JSON: an empty object."
  final: String!
}

type DeepSearchQuotaUsage {
  "Questions in one period."
  limit: BigInt!
  "Questions answered in this period."
  consumed: BigInt!
  "When the next period begins."
  resetTime: DateTime
}
`;

/** Repositories, refs, commits and comparisons. */
const REPOSITORIES = `
type RepositoryConnection { nodes: [Repository!]!, totalCount: Int, pageInfo: PageInfo! }

"""A local git repository: its commits, and for searches also what is staged."""
type Repository {
  id: ID!
  "For example github.com/org/name, or the name of the folder."
  name: String!
  uri: String! @deprecated(reason: "Use name.")
  "No description is kept: empty text."
  description: String!
  url: String!
  "Pages of the repository on the host it was cloned from."
  externalURLs: [ExternalLink!]!
  "Where the repository was cloned from, by its name."
  externalRepository: ExternalRepository!
  "When this service began to serve it."
  createdAt: DateTime!
  "Date of the commit at HEAD; null before the first commit."
  updatedAt: DateTime
  "All repositories are local."
  mirrorInfo: MirrorRepositoryInfo!
  isFork: Boolean!
  isArchived: Boolean!
  "Whether access to it is restricted is not told: always false."
  isPrivate: Boolean!
  "Whether the viewer is a site admin."
  viewerCanAdminister: Boolean!
  "No stars of other hosts are known: always 0."
  stars: Int!
  "No metadata is kept."
  keyValuePairs: [KeyValuePair!]!
  "The branch of HEAD; null before its first commit, and when HEAD is at no branch."
  defaultBranch: GitRef
  "Branches with this text in the name, newest first."
  branches(first: Int, query: String): GitRefConnection!
  "Tags with this text in the name, newest first."
  tags(first: Int, query: String): GitRefConnection!
  "A commit by branch, tag, id or a form like HEAD~3; null when there is none."
  commit(rev: String!): GitCommit
  "What head changes since the commit it shares with base; both are HEAD unless given."
  comparison(base: String, head: String): RepositoryComparison
  "A link to the repository, for a list of results."
  label: Markdown!
}

union RepositoryRedirect = Repository | Redirect

type Redirect { url: String! }

type MirrorRepositoryInfo {
  cloned: Boolean!
  cloneInProgress: Boolean!
  "Nothing is cloned: always null."
  cloneProgress: String
  "The address may hold a password: always null."
  remoteURL: String
  "Repositories are not updated from elsewhere: always null."
  updatedAt: DateTime
  lastError: String
  isCorrupted: Boolean!
}

type ExternalLink { url: String!, serviceType: String }

type ExternalRepository {
  "The name on the host, for example org/name."
  id: String!
  "github, gitlab, bitbucketServer or other."
  serviceType: String!
  "Address of the host, or empty text."
  serviceID: String!
}

type KeyValuePair { key: String!, value: String }

type GitRefConnection { nodes: [GitRef!]!, pageInfo: PageInfo! }

"""A branch or a tag."""
type GitRef {
  "For example refs/heads/main."
  name: String!
  abbrevName: String!
  displayName: String!
  target: GitObject!
  url: String!
}

type GitObject { oid: String!, abbreviatedOID: String!, commit: GitCommit }

type GitCommitConnection {
  nodes: [GitCommit!]!
  "The number of commits when they are all listed, or else null."
  totalCount: Int
}

type GitCommit {
  id: ID!
  repository: Repository!
  oid: String!
  abbreviatedOID: String!
  message: String!
  "First paragraph of the message, in one line."
  subject: String!
  "The message after its first paragraph; null when there is none."
  body: String
  author: Signature!
  committer: Signature
  parents: [GitCommit!]!
  url: String!
  "The folder or file at a path; null when there is none."
  path(path: String = ""): TreeEntry
  "The folder at a path; null when there is none."
  tree(
    path: String = ""
    "Default of the same argument of entries."
    recursive: Boolean = false
  ): GitTree
  "The file at a path; null when there is none."
  blob(path: String!): GitBlob
  "The same as blob."
  file(path: String!): GitBlob
  "Definitions in the files, by their names."
  symbols(first: Int, query: String, includePatterns: [String!]): SymbolConnection!
  "Paths of all files; 1000 is the most."
  fileNames: [String!]!
  "Languages of the files, the one with the most bytes first."
  languages: [String!]!
  "This commit and those before it that change this file or folder, newest first; 1000 is the most."
  ancestors(first: Int, path: String): GitCommitConnection!
}

"""Who wrote or committed something, and when."""
type Signature {
  person: Person!
  "ISO 8601 with the recorded time zone."
  date: String!
}

type Person {
  name: String!
  email: String!
  displayName: String!
  "Pictures of people are not kept: always null."
  avatarURL: String
}

"""What one commit changes against another."""
type RepositoryComparison {
  "Commits of head that base does not have, newest first."
  commits(first: Int): GitCommitConnection!
  "The changed files; 3000 is the most that are read."
  fileDiffs(
    first: Int
    "Only these files, and those in these folders."
    paths: [String!]
  ): FileDiffConnection!
}

type FileDiffConnection { nodes: [FileDiff!]!, totalCount: Int }

type FileDiff {
  "Null for a new file."
  oldPath: String
  "Null for a deleted file."
  newPath: String
  "The changed lines; empty for binary files, and behind the first 1 MB of the patch of all files."
  hunks: [FileDiffHunk!]!
  stat: DiffStat!
}

"""Changed lines, with some lines around them."""
type FileDiffHunk {
  oldRange: FileDiffHunkRange!
  "Whether the old file ends without a line end here."
  oldNoNewlineAt: Boolean!
  newRange: FileDiffHunkRange!
  "A line above, for example the start of the function."
  section: String
  "Lines that begin with -, + or a space."
  body: String!
}

type FileDiffHunkRange { startLine: Int!, lines: Int! }

"""Lines; 0 for binary files."""
type DiffStat { added: Int!, deleted: Int! }
`;

const FILES = `
"""A file or a folder at a commit."""
interface TreeEntry {
  ${TREE_ENTRY}
}

type GitTree implements TreeEntry {
  ${TREE_ENTRY}
  isRoot: Boolean!
  "Folders, then files; with recursive, those of all folders below too, by path. 20000 is the most."
  entries(first: Int, recursive: Boolean): [TreeEntry!]!
}

type GitBlob implements TreeEntry {
  ${TREE_ENTRY}
  "The text, or its lines between these two, from 1. Bytes that are not UTF-8 are replaced. A file over 10 MB is an error."
  content(startLine: Int, endLine: Int): String!
  byteSize: Int!
  "Lines; 0 for a binary file."
  totalLines: Int!
  binary: Boolean!
  "text/plain or application/octet-stream."
  contentType: String!
  "No file is rendered: always empty text."
  richHTML: String!
  "The file as an HTML table, without colors whatever the format."
  highlight(
    disableTimeout: Boolean!
    format: HighlightResponseFormat = HTML_HIGHLIGHT
    "First line, from 1."
    startLine: Int
    "Last line."
    endLine: Int
  ): HighlightedFile!
  "The language by the file's name, in a list of one or none."
  languages: [String!]!
  commit: GitCommit!
  repository: Repository!
  "There is no precise index of code: always null. Searches with type:symbol find definitions."
  lsif: GitBlobLSIFData
  "There is no precise index of code: always null."
  codeGraphData: [CodeGraphData!]
  "Definitions in the file, by their names."
  symbols(first: Int, query: String): SymbolConnection!
  "Who wrote the lines between these two, from 1, in the order of the lines."
  blame(startLine: Int, endLine: Int): [Hunk!]!
}

enum HighlightResponseFormat { HTML_PLAINTEXT HTML_HIGHLIGHT JSON_SCIP }

type HighlightedFile {
  "Whether the lines have no colors: always true."
  aborted: Boolean!
  "A table with a row for each line; empty for a binary file."
  html: String!
  "No other form is offered: always empty text."
  lsif: String!
  "The rows of some lines, for each of the ranges."
  lineRanges(ranges: [HighlightLineRange!]!): [[String!]!]!
}

input HighlightLineRange {
  "First line, from 0."
  startLine: Int!
  "The line after the last one, from 0."
  endLine: Int!
}

type Submodule {
  "Address of the other repository, from .gitmodules; empty when it is not there."
  url: String!
  "Commit of the other repository."
  commit: String!
}

"""Consecutive lines that one commit wrote."""
type Hunk {
  "First line, from 1."
  startLine: Int!
  "The line after the last one, as the public service counts."
  endLine: Int!
  author: Signature!
  commit: GitCommit!
}
`;

const SEARCHES = `
type Search { results: SearchResults! }

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

type SearchFilter { value: String!, label: String!, count: Int!, limitHit: Boolean!, kind: String! }

type SearchAlert {
  title: String!
  description: String
  "For example invalid-pattern."
  kind: String
  proposedQueries: [SearchQueryDescription!]
}

type SearchQueryDescription { description: String, query: String! }

type Markdown {
  text: String!
  "The same as HTML, with everything escaped that is not Markdown."
  html: String!
}

type SearchResultMatch { url: String!, body: Markdown!, highlights: [Highlight!]! }

"""A place that matched; line and character count from 1."""
type Highlight { line: Int!, character: Int!, length: Int! }

type HighlightedString { value: String!, highlights: [Highlight!]! }

"""A commit whose message matched."""
type CommitSearchResult {
  label: Markdown!
  url: String!
  matches: [SearchResultMatch!]!
  commit: GitCommit!
  messagePreview: HighlightedString
  "Changes are not searched: always null."
  diffPreview: HighlightedString
}

"""A file whose content, path or symbols matched."""
type FileMatch {
  file: GitBlob!
  repository: Repository!
  lineMatches: [LineMatch!]!
  "The same matches, with consecutive lines joined."
  chunkMatches: [ChunkMatch!]!
  pathMatches: [Range!]!
  symbols: [Symbol!]!
}

type LineMatch {
  preview: String!
  "From 0."
  lineNumber: Int!
  "Pairs of offset and length, in characters."
  offsetAndLengths: [[Int!]!]!
  limitHit: Boolean!
}

type ChunkMatch { content: String!, contentStart: Position!, ranges: [Range!]! }

"""A place in a file; line and character count from 0."""
type Position { line: Int!, character: Int! }

type Range {
  start: Position!
  "The character after the last one."
  end: Position!
}

type SymbolConnection { nodes: [Symbol!]! }

type Symbol {
  name: String!
  "Containers are not told: always null."
  containerName: String
  kind: SymbolKind!
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
}

enum SymbolKind { FUNCTION METHOD CLASS INTERFACE CONSTANT MODULE }
`;

/** There is no such index; the types are here so that queries of public clients validate. */
const PRECISE_INDEX = `
"""What a precise index tells about a file. This service has no such index."""
type GitBlobLSIFData {
  stencil: [Range!]!
  ranges(startLine: Int!, endLine: Int!): CodeIntelligenceRangeConnection
  definitions(line: Int!, character: Int!): LocationConnection!
  references(line: Int!, character: Int!, after: String, first: Int): LocationConnection!
  implementations(line: Int!, character: Int!, after: String, first: Int): LocationConnection!
  hover(line: Int!, character: Int!): Hover
}

type CodeIntelligenceRangeConnection { nodes: [CodeIntelligenceRange!]! }

type CodeIntelligenceRange {
  range: Range!
  definitions: LocationConnection!
  references: LocationConnection!
  hover: Hover
}

type LocationConnection { nodes: [Location!]!, pageInfo: PageInfo! }

type Hover { markdown: Markdown!, range: Range! }

"""What a precise index tells about a file. This service has no such index."""
type CodeGraphData { provenance: String! }
`;
