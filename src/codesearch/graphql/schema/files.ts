/** Folders, files and blame. */
export const FILE_TYPES = `
union GitTreeOrBlob = GitTree | GitBlob

"""A file or a folder at a commit."""
interface TreeEntry {
  "From the root of the repository; empty for the root."
  path: String!
  "The last part of the path."
  name: String!
  isDirectory: Boolean!
  "Path of its page, at the revision that was asked for."
  url: String!
  "Path of its page, at the full commit id."
  canonicalURL: String!
  externalURLs: [ExternalLink!]!
  "What a submodule points to; null for all other entries."
  submodule: Submodule
  commit: GitCommit!
}

"""A file that has a content."""
interface File2 {
  path: String!
  name: String!
  isDirectory: Boolean!
  content(startLine: Int, endLine: Int, textOnly: Boolean): String!
  byteSize: Int!
  totalLines: Int!
  binary: Boolean!
  contentType: String!
  url: String!
  canonicalURL: String!
  externalURLs: [ExternalLink!]!
  language: String!
  languages: [String!]!
}

type GitTree implements TreeEntry {
  path: String!
  name: String!
  isDirectory: Boolean!
  isRoot: Boolean!
  url: String!
  canonicalURL: String!
  externalURLs: [ExternalLink!]!
  submodule: Submodule
  commit: GitCommit!
  repository: Repository!
  "Folders, then files; with recursive, those of all folders below too, by path."
  entries(
    "At most so many; 20000 is the most."
    first: Int
    recursive: Boolean
  ): [TreeEntry!]!
  files(first: Int, recursive: Boolean): [GitBlob!]!
  "With recursive, the folders of all folders below."
  directories(first: Int, recursive: Boolean): [GitTree!]!
}

type GitBlob implements TreeEntry & File2 {
  path: String!
  name: String!
  isDirectory: Boolean!
  "The text, or some of its lines. Bytes that are not UTF-8 are replaced. A file over 10 MB is an error."
  content(
    "First line, from 1."
    startLine: Int
    "Last line."
    endLine: Int
    "Returns empty text for a binary file."
    textOnly: Boolean
  ): String!
  byteSize: Int!
  "Lines; 0 for a binary file."
  totalLines: Int!
  binary: Boolean!
  "text/plain or application/octet-stream."
  contentType: String!
  url: String!
  canonicalURL: String!
  "Path of the content alone."
  rawURL: String!
  externalURLs: [ExternalLink!]!
  "The language by the file's name, or empty text."
  language: String!
  "The language by the file's name, in a list of one or none."
  languages: [String!]!
  submodule: Submodule
  commit: GitCommit!
  repository: Repository!
  "Who wrote the lines, in the order of the lines."
  blame(
    "First line, from 1."
    startLine: Int
    "Last line."
    endLine: Int
    "Blame does not look at white space alone: only false is accepted."
    ignoreWhitespace: Boolean = false
  ): [Hunk!]!
}

type Submodule {
  "Address of the other repository, from .gitmodules; empty when it is not there."
  url: String!
  "Commit of the other repository."
  commit: String!
  path: String!
}

"""Consecutive lines that one commit wrote."""
type Hunk {
  "First line, from 1."
  startLine: Int!
  "The line after the last one, as the public service counts."
  endLine: Int!
  "Commit id."
  rev: String!
  author: Signature!
  "The commit's message."
  message: String!
  commit: GitCommit!
  "Path of the file in that commit."
  filename: String!
}
`;
