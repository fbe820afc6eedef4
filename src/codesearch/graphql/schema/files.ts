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
  "Whether it is a folder that is alone in the folder above it."
  isSingleChild: Boolean!
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
  richHTML: String!
  highlight(
    disableTimeout: Boolean!
    isLightTheme: Boolean
    highlightLongLines: Boolean = false
    format: HighlightResponseFormat = HTML_HIGHLIGHT
    startLine: Int
    endLine: Int
  ): HighlightedFile!
  url: String!
  canonicalURL: String!
  externalURLs: [ExternalLink!]!
  language: String!
  languages: [String!]!
  "Ours: the public interface has it on GitBlob alone."
  blame(startLine: Int, endLine: Int, ignoreWhitespace: Boolean = false): [Hunk!]!
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
  isSingleChild: Boolean!
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
  "No file is rendered: always empty text."
  richHTML: String!
  "The file as an HTML table."
  highlight(
    "Nothing waits for colors: this changes nothing."
    disableTimeout: Boolean!
    isLightTheme: Boolean
    highlightLongLines: Boolean = false
    "The table never has colors, whatever the format."
    format: HighlightResponseFormat = HTML_HIGHLIGHT
    "First line, from 1."
    startLine: Int
    "Last line."
    endLine: Int
  ): HighlightedFile!
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
  "Whether it is a folder: always false."
  isSingleChild: Boolean!
  commit: GitCommit!
  repository: Repository!
  "There is no precise index of code: always null. Searches with type:symbol find definitions."
  lsif(toolName: String): GitBlobLSIFData
  "There is no precise index of code: always null."
  codeGraphData(filter: CodeGraphDataFilter): [CodeGraphData!]
  "Definitions in the file, by their names."
  symbols(first: Int, query: String): SymbolConnection!
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

enum HighlightResponseFormat {
  HTML_PLAINTEXT
  HTML_HIGHLIGHT
  JSON_SCIP
}

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
