/** Repositories, refs, commits and comparisons. */
export const REPOSITORY_TYPES = `
type RepositoryConnection {
  nodes: [Repository!]!
  "Repositories on all pages."
  totalCount(precise: Boolean = false): Int
  pageInfo: PageInfo!
}

"""A local git repository: its commits, and for searches also what is staged."""
type Repository implements Node & GenericSearchResultInterface {
  id: ID!
  "A number that stays while the name stays."
  databaseID: Int!
  "For example github.com/org/name, or the name of the folder."
  name: String!
  uri: String! @deprecated(reason: "Use name.")
  "No description is kept: empty text."
  description: String!
  "Path of the repository's page."
  url: String!
  "Pages of the repository on the host it was cloned from."
  externalURLs: [ExternalLink!]!
  "Where the repository was cloned from, by its name."
  externalRepository: ExternalRepository!
  "The language with the most bytes at HEAD, or empty text."
  language: String!
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
  "Branches and tags, newest first."
  gitRefs(first: Int, after: String, query: String, type: GitRefType): GitRefConnection!
  "Branches, newest first."
  branches(first: Int, after: String, query: String): GitRefConnection!
  "Tags, newest first."
  tags(first: Int, after: String, query: String): GitRefConnection!
  "A commit by branch, tag, id or a form like HEAD~3; null when there is none."
  commit(rev: String!, inputRevspec: String): GitCommit
  "What head changes since the commit it shares with base; both are HEAD unless given."
  comparison(base: String, head: String): RepositoryComparison
  "A link to the repository, for a list of results."
  label: Markdown!
  detail: Markdown!
  "Empty: a repository matches by its name."
  matches: [SearchResultMatch!]!
}

union RepositoryRedirect = Repository | Redirect

"""Where a repository has moved to."""
type Redirect {
  url: String!
}

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

type ExternalLink {
  url: String!
  "github, gitlab, bitbucketServer or other."
  serviceKind: String
  serviceType: String @deprecated(reason: "Use serviceKind.")
}

type ExternalRepository {
  "The name on the host, for example org/name."
  id: String!
  "github, gitlab, bitbucketServer or other."
  serviceType: String!
  "Address of the host, or empty text."
  serviceID: String!
}

type KeyValuePair {
  key: String!
  value: String
}

type GitRefConnection {
  nodes: [GitRef!]!
  "Refs on all pages."
  totalCount: Int!
  pageInfo: PageInfo!
}

"""A branch or a tag."""
type GitRef implements Node {
  id: ID!
  "For example refs/heads/main."
  name: String!
  "For example main."
  abbrevName: String!
  displayName: String!
  "For example refs/heads/."
  prefix: String!
  type: GitRefType!
  target: GitObject!
  repository: Repository!
  "Path of the files at this ref."
  url: String!
}

enum GitRefType {
  GIT_BRANCH
  GIT_TAG
  GIT_REF_OTHER
}

enum GitObjectType {
  GIT_COMMIT
  GIT_TAG
  GIT_TREE
  GIT_BLOB
  GIT_UNKNOWN
}

type GitObject {
  oid: GitObjectID!
  abbreviatedOID: String!
  "The object a ref names; of an annotated tag, the commit behind it."
  type: GitObjectType!
  commit: GitCommit
}

type GitCommitConnection {
  nodes: [GitCommit!]!
  "The number of commits when they all stand on this page, or else null."
  totalCount: Int
  pageInfo: PageInfo!
}

type GitCommit implements Node {
  id: ID!
  repository: Repository!
  oid: GitObjectID!
  abbreviatedOID: String!
  "The whole message."
  message: String!
  "First paragraph of the message, in one line."
  subject: String!
  "The message after its first paragraph; null when there is none."
  body: String
  author: Signature!
  committer: Signature
  parents: [GitCommit!]!
  "Path of the commit's page, with the full id."
  url: String!
  canonicalURL: String!
  externalURLs: [ExternalLink!]!
  "The folder or file at a path; null when there is none."
  path(path: String = ""): GitTreeOrBlob
  "The folder at a path; null when there is none."
  tree(
    path: String = ""
    "Default of the same argument of entries, files and directories."
    recursive: Boolean = false
  ): GitTree
  "The file at a path; null when there is none."
  blob(path: String!): GitBlob
  "The file at a path; null when there is none."
  file(path: String!): File2
  "Definitions in the files, by their names."
  symbols(first: Int, query: String, includePatterns: [String!]): SymbolConnection!
  "Paths of all files; 1000 is the most."
  fileNames: [String!]!
  "Languages of the files, the one with the most bytes first."
  languages: [String!]!
  languageStatistics: [LanguageStatistics!]!
  "This commit and those before it, newest first."
  ancestors(
    "At most so many; 1000 is the most."
    first: Int
    "Only commits with this text in the message."
    query: String
    "Only commits that change this file or folder."
    path: String
    "Only commits after this date; an endCursor is taken as afterCursor."
    after: String
    "The endCursor of the page before."
    afterCursor: String
    "Only commits before this date."
    before: String
  ): GitCommitConnection!
  "What the commit changes since its first parent, or since another commit."
  diff(base: String): RepositoryComparison
}

type LanguageStatistics {
  name: String!
  totalBytes: Float!
  totalFiles: Int!
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
  "The user with this mail address; only site admins see it."
  user: User
}

"""What one commit changes against another."""
type RepositoryComparison {
  baseRepository: Repository!
  headRepository: Repository!
  range: GitRevisionRange!
  "Commits of head that base does not have, newest first."
  commits(first: Int, path: String): GitCommitConnection!
  "The changed files; 3000 is the most that are read."
  fileDiffs(first: Int, after: String, paths: [String!], query: String): FileDiffConnection!
  changedFiles(first: Int, after: String): ChangedFileConnection!
  totalDiffCount: Int!
}

type GitRevisionRange {
  "For example main...feature."
  expr: String!
  baseRevSpec: GitRevSpecExpr!
  headRevSpec: GitRevSpecExpr!
  "The newest commit that both sides share; null when they share none."
  mergeBase: GitObject
}

type GitRevSpecExpr {
  expr: String!
  object: GitObject
}

type FileDiffConnection {
  nodes: [FileDiff!]!
  totalCount: Int
  pageInfo: PageInfo!
  "Lines of all changed files."
  diffStat: DiffStat!
  "The patch of all changed files, cut after 1 MB."
  rawDiff: String!
}

type FileDiff {
  "Null for a new file."
  oldPath: String
  "Null for a deleted file."
  newPath: String
  oldFile: File2
  newFile: File2
  "The new file, or the old one when it was deleted."
  mostRelevantFile: File2
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

type FileDiffHunkRange {
  startLine: Int!
  lines: Int!
}

"""Lines; 0 for binary files."""
type DiffStat {
  added: Int!
  deleted: Int!
}

type ChangedFileConnection {
  nodes: [ChangedFile!]!
  totalCount: Int!
  pageInfo: PageInfo!
}

type ChangedFile {
  path: String!
  status: ChangedFileStatus!
}

enum ChangedFileStatus {
  ADDED
  MODIFIED
  DELETED
  RENAMED
  COPIED
  TYPE_CHANGED
}
`;
