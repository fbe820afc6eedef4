/** Raise with every change of a text. */
export const TOOLS_VERSION = 1;

/** What each tool does, for the model. */
export const TOOL_TEXTS = {
  find_passages:
    'Searches all readable repositories for a question in plain words, and returns the best passages with their lines. For a first overview, and when exact words are not known.',
  search_text:
    'Searches the contents of files for an exact text, or for a regular expression (RE2 syntax, line by line). Returns paths and lines. Capitals do not matter unless caseSensitive is true.',
  find_symbols: 'Finds definitions (functions, methods, classes, types, constants) whose name contains a text.',
  find_references: 'Finds lines that use a name as a whole word, without its definitions.',
  search_commits:
    'Searches the history, newest first: by text of the message, author, path, or text that a commit added or removed (changes). At least one of them is needed. Without a repository it searches all.',
  read_file:
    'Reads lines of a file, with line numbers. Reads 200 lines from the start without start and end; at most 400 at once.',
  list_files: 'Lists the files and folders in a folder; without a path, the root of the repository.',
  blame: 'Says for lines of a file which commit changed each of them last, with author, date and subject.',
} as const;

/** What each parameter means, for the model. */
export const PARAMETER_TEXTS = {
  repository: 'Full name of the repository. May be left out when there is only one; searches then cover all.',
  path: 'Path of the file from the root of the repository.',
  folder: 'Path of the folder from the root of the repository.',
  paths: 'Regular expression for the paths to search in, for example ^src/.*\\.ts$',
  text: 'The text or expression to find.',
  isRegexp: 'Whether text is a regular expression.',
  caseSensitive: 'Whether capitals matter.',
  name: 'A name without parentheses, for example retryDelay.',
  message: 'Text in the commit message.',
  author: "Text in the author's name or address.",
  changes: 'Code that the commit added or removed.',
  commitPath: 'Only commits that change this file or folder.',
  start: 'First line, from 1.',
  end: 'Last line.',
  question: 'The question in plain words.',
} as const;
