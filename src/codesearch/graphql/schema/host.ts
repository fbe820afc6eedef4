/** The host itself: users, site, quota, starring, and what connections share. */
export const HOST_TYPES = `
"""A date and time in ISO 8601 with a time zone, for example 2026-03-05T09:00:00Z."""
scalar DateTime

"""A whole number that may be larger than 32 bits; sent as a JSON number."""
scalar BigInt

"""The id of a git object: 40 hexadecimal digits, or 64 in a repository that uses SHA-256."""
scalar GitObjectID

"""An object with a global id, which node(id:) finds again."""
interface Node {
  "The global id: base64 of the type, a colon and the number or key within the type."
  id: ID!
}

type Query {
  "The object with this global id; null when there is none that the viewer may read."
  node(id: ID!): Node
  "The user who sent the request."
  currentUser: User
  "A user, by name, mail address or number."
  user(username: String, email: String, databaseID: Int): User
  "All users, by their numbers."
  users(
    "At most so many; 1000 is the most."
    first: Int
    "The endCursor of the page before."
    after: String
    "Text in the user name or display name."
    query: String
  ): UserConnection!
  "This service has no organizations."
  organizations(first: Int, query: String): OrgConnection!
  "This service has no organizations: always null."
  organization(name: String!): Org
  "No settings are kept; the cascade names whose settings they would be."
  viewerSettings: SettingsCascade!
  "The site or a user, by global id."
  settingsSubject(id: ID!): SettingsSubject
  "A repository, by name or number; null when there is none that the viewer may read."
  repository(
    "For example github.com/org/name."
    name: String
    "An address that git clones from; its host and path are the name."
    cloneURL: String
    uri: String @deprecated(reason: "Use name.")
    databaseID: Int
  ): Repository
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
    "All repositories are local, so false leaves none."
    cloned: Boolean = true
    "No repository waits to be cloned: this changes nothing."
    notCloned: Boolean = true
    "All repositories are searched without an index of their own, so false leaves none."
    indexed: Boolean = true
    "No repository waits for its index: this changes nothing."
    notIndexed: Boolean = true
    "Only the name is known; every order is the order by name."
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
  "The services beside GraphQL."
  externalAPI: ExternalAPIQuery!
}

type Mutation {
  "Stars a conversation of the viewer, or takes the star back. The time of its last update stays."
  setDeepSearchConversationStarred(
    "The global id, or the number that the conversation API gives."
    id: ID!
    starred: Boolean!
  ): DeepSearchConversation!
}

enum RepositoryOrderBy {
  REPOSITORY_NAME
  REPO_CREATED_AT
  REPOSITORY_CREATED_AT
  SIZE
  STARS
  LAST_CHANGED
}

enum SearchVersion {
  "Words are regular expressions."
  V1
  "Words are literal."
  V2
  "Words are literal, /text between slashes/ is a regular expression."
  V3
}

enum SearchPatternType {
  standard
  literal
  regexp
  keyword
  "Standard, with other forms of the query tried beside it: read as standard."
  lucky
}

"""Where a page of a list ends."""
type PageInfo {
  "For the argument after of the next page."
  endCursor: String
  hasNextPage: Boolean!
}

type UserConnection {
  nodes: [User!]!
  "Users on all pages."
  totalCount: Int!
  pageInfo: PageInfo!
}

"""A person, or a service account for programs."""
type User implements Node & SettingsSubject {
  id: ID!
  "The number that the conversation API calls user_id."
  databaseID: Int!
  username: String!
  namespaceName: String!
  displayName: String
  "The mail address, or empty text. Only the user and site admins see it."
  email: String!
  "The mail addresses. Only the user and site admins see them."
  emails: [UserEmail!]!
  "The mail address, or null. Only the user and site admins see it."
  primaryEmail: UserEmail
  "Whether there is a mail address. False for all but the user and site admins."
  hasVerifiedEmail: Boolean!
  "Pictures of people are not kept: always null."
  avatarURL: String
  "Path that stands for the user; there is no page."
  url: String!
  "Path of the settings, for the viewer and site admins."
  settingsURL: String
  session: Session!
  "There are no terms of service: always true."
  tosAccepted: Boolean!
  latestSettings: Settings
  settingsCascade: SettingsCascade!
  createdAt: DateTime!
  siteAdmin: Boolean!
  serviceAccount: Boolean!
  "Whether the viewer is this user or a site admin."
  viewerCanAdminister: Boolean!
  "This service has no organizations."
  organizations: OrgConnection!
}

type Session {
  "Whether the request came with the session of a browser of this user."
  canSignOut: Boolean!
}

type UserEmail {
  email: String!
  isPrimary: Boolean!
  "Mail addresses come from the operator and are taken as right."
  verified: Boolean!
}

type OrgConnection {
  nodes: [Org!]!
  totalCount: Int!
}

type Org implements Node & SettingsSubject {
  id: ID!
  name: String!
  displayName: String
  url: String!
  members: UserConnection!
  latestSettings: Settings
  settingsCascade: SettingsCascade!
  settingsURL: String
  viewerCanAdminister: Boolean!
}

type Site implements Node & SettingsSubject {
  id: ID!
  siteID: String!
  "The version that this service speaks like, for example 7.0.0."
  productVersion: String!
  buildVersion: String!
  "Older clients ask it before they ask for more: always true, as in the public service."
  hasCodeIntelligence: Boolean!
  latestSettings: Settings
  settingsCascade: SettingsCascade!
  "The site has no page of settings: always null."
  settingsURL: String
  "Whether the viewer is a site admin."
  viewerCanAdminister: Boolean!
}

"""The viewer's quota of answered questions."""
type DeepSearchQuotaUsage {
  "Questions in one period."
  limit: BigInt!
  "Questions answered in this period."
  consumed: BigInt!
  "When the next period begins."
  resetTime: DateTime
}

type ExternalAPIQuery {
  services: [ExternalAPIService!]!
}

type ExternalAPIService {
  "For example deepsearch.v1.Service."
  name: String!
}

"""A conversation of the viewer."""
type DeepSearchConversation implements Node {
  id: ID!
  "The number that the conversation API gives."
  databaseID: Int!
  "Title of the first question; null until it has an answer."
  title: String
  starred: Boolean!
  createdAt: DateTime!
  updatedAt: DateTime!
  "Address of the conversation's page."
  url: String!
}
`;
