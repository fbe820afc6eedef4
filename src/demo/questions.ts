import { realpathSync } from 'node:fs';
import { git } from './git.ts';

/** Questions about this project. */
const ABOUT_THIS_PROJECT = [
  'How is a Slack event acknowledged?',
  'Where is `nextPollMs` used?',
  'Where is the data directory locked?',
];

/** Questions for any repository, used when too few are derived from its code. */
const ABOUT_ANY = ['What changed recently?', 'What is this project about?', 'How is this project structured?'];

/** Limit of definitions whose uses are counted: each one takes a search of the repository. */
const maxCandidates = 16;
const questionCount = 3;

/** Suggests three questions about the repository in `folder`; `projectFolder` is the folder of this project. */
export async function suggestQuestions(folder: string, projectFolder: string): Promise<string[]> {
  if (realpathSync(folder) === realpathSync(projectFolder)) return ABOUT_THIS_PROJECT;
  const [first, second] = await mostUsedNames(folder);
  const derived = [
    ...(first === undefined ? [] : [`How does \`${first}\` work?`]),
    ...(second === undefined ? [] : [`Where is \`${second}\` used?`]),
  ];
  return [...derived, ...ABOUT_ANY].slice(0, questionCount);
}

/** Lines with a definition, in languages with a keyword for it; a POSIX regular expression for git. */
const definitionLine =
  '^[[:space:]]*((export|default|public|private|abstract|static|async|pub|final) )*(class|interface|struct|trait|enum|func|function|def|fn|module)[[:space:]]+[A-Za-z_]';

const definedName = /\b(?:class|interface|struct|trait|enum|func|function|def|fn|module)\s+([A-Za-z_]\w*)/;

/** Tests, examples and third-party code say little about the purpose of a project. */
const excludedPaths = ['test', 'spec', 'example', 'vendor', 'third_party', 'node_modules', 'generated', 'docs'].map(
  (part) => `:(exclude,icase)*${part}*`,
);

/** Names with exactly one definition, those used in the most files first. */
async function mostUsedNames(folder: string): Promise<string[]> {
  const lines = await git(folder, 'grep', '-h', '-I', '-E', definitionLine, 'HEAD', '--', '.', ...excludedPaths);
  const counts = new Map<string, number>();
  for (const line of lines?.split('\n') ?? []) {
    const name = definedName.exec(line)?.[1];
    // Short names are too common, and names with a leading underscore are private.
    if (name !== undefined && name.length > 5 && !name.startsWith('_')) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const once = [...counts].filter(([, count]) => count === 1).map(([name]) => name);
  const stride = Math.max(1, Math.floor(once.length / maxCandidates));
  const candidates = once.filter((_, index) => index % stride === 0).slice(0, maxCandidates);
  const used = await Promise.all(
    candidates.map(async (name) => {
      const files = await git(folder, 'grep', '-l', '-I', '-w', '-F', '-e', name, 'HEAD');
      return { name, files: files?.split('\n').length ?? 0 };
    }),
  );
  return used.sort((a, b) => b.files - a.files).map(({ name }) => name);
}
