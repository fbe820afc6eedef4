import { directoryPath } from '../../addresses.ts';
import { blameAuthors, type Commit, countAuthors, lastChange } from '../../index/commits.ts';
import { commitsAbout } from '../commit-messages.ts';
import { CONFIDENCE } from '../constants.ts';
import { coverage } from '../coverage.ts';
import { type Passage, passageOfDefinition } from '../rank.ts';
import { hasHit } from '../verbatim.ts';
import { atOrBefore, commitLine, commitLink, reasonOf } from './commit-lines.ts';
import { commitSource, type Draft, type Findings, fileSource } from './draft.ts';
import { nameOf } from './follow-ups.ts';
import { bullets, code, count, endSentence, fence, fileLink, joinWords, link, prose } from './markdown.ts';
import { quote } from './snippet.ts';
import { questionTitle } from './titles.ts';

/** A part of the answer: what it says, the commits it rests on, most important first, and the lines that it is about. */
interface Part {
  repository: string;
  commits: Commit[];
  opening: string;
  passage?: Passage | undefined;
}

const MOST_COMMITS = 8;
const MOST_LINES = 12;
/** Of a name or a text. Where there are more, the first one is not known. */
const PICKAXE_COMMITS = 100;
const PATH_COMMITS = 200;

/** Answers "when/why was X changed" and "who wrote X" from commits; undefined when no commit matches. */
export async function explainHistory(findings: Findings): Promise<Draft | undefined> {
  const { question, targets, investigation, passages } = findings;
  await investigation.step('Looking through commit messages and the history of what was found');
  const parts = await partsOf(findings);
  if (parts.length === 0) return undefined;
  const sections: string[] = [];
  const shown = new Set<string>();
  for (const { opening, commits, repository, passage } of parts) {
    const unique = [...new Map(commits.map((commit) => [commit.id, commit])).values()];
    const fresh = unique.filter(({ id }) => !shown.has(id)).slice(0, MOST_COMMITS);
    if (fresh.length === 0 && commits.length > 0) continue;
    for (const { id } of fresh) shown.add(id);
    sections.push(opening);
    if (passage !== undefined) {
      sections.push(fence(quote(passage, await investigation.lines(passage.file), MOST_LINES), passage.file.path));
    }
    if (fresh.length > 0) sections.push(bullets(fresh.map((commit) => commitLine(repository, commit))));
  }
  const touched = [
    ...targets.files,
    ...parts.flatMap(({ passage }) => (passage === undefined ? [] : [passage.file])),
    ...(targets.names[0]?.definitions.slice(0, 1).map(({ file }) => file) ?? []),
  ];
  const [name] = targets.names;
  const main = parts.map(({ passage }) => passage);
  const near = targets.files.length > 0 ? [] : passages.slice(0, 5).filter((passage) => !main.includes(passage));
  const named = [...main, ...near].flatMap((passage) => (passage === undefined ? [] : (nameOf(passage) ?? [])));
  const thing = name?.name ?? named[0];
  return {
    title: questionTitle(question, name?.name ?? touched[0]?.path),
    sections,
    sources: [
      ...parts.flatMap(({ passage }) =>
        passage === undefined ? [] : [fileSource(passage.file, passage.start, passage.end)],
      ),
      ...targets.files.slice(0, 1).map((file) => fileSource(file)),
      ...parts.flatMap(({ repository, commits }) =>
        commits.slice(0, 6).map(({ id, subject }) => commitSource(repository, id, subject)),
      ),
      ...(name === undefined ? near.map(({ file, start, end }) => fileSource(file, start, end)) : []),
    ],
    followUps: [
      ...(thing === undefined ? [] : [`How does \`${thing}\` work?`, `Where is \`${thing}\` used?`]),
      ...(question.intent === 'authors' || touched[0] === undefined ? [] : [`Who wrote \`${touched[0].path}\`?`]),
    ],
    symbols: targets.names.map((target) => target.name),
    files: touched,
  };
}

async function partsOf(findings: Findings): Promise<Part[]> {
  const { targets, question } = findings;
  const [definition] = targets.names[0]?.definitions ?? [];
  const [file] = targets.files;
  const [directory] = targets.directories;
  const found: Part[] = [];
  if (file !== undefined) found.push(...(await ofPath(findings, file.repository, file.path, fileLink(file))));
  else if (definition !== undefined) found.push(...(await ofName(findings)));
  else if (directory !== undefined) {
    const label = link(`${directory.path}/`, directoryPath(directory.repository, directory.path));
    found.push(...(await ofPath(findings, directory.repository, directory.path, label)));
  } else if (question.subjects.every(({ weight }) => weight < 0.5)) found.push(...recent(findings));
  else {
    found.push(...(await ofText(findings)));
    const own = byMessage(findings);
    // Releases and merges mention everything; lines of code say more than a message that has little of the question.
    found.push(...own.filter(({ isClear }) => isClear));
    if (found.length === 0) found.push(...(await ofLines(findings)));
    if (found.length === 0) found.push(...own);
  }
  return found;
}

/** "on 2024-05-01 with 1234abcd by Ada: Subject. Reason." */
function told(repository: string, commit: Commit): string {
  if (commit.isBoundary) return `${atOrBefore(commit)}.`;
  const reason = reasonOf(commit);
  const because = reason === '' ? '' : ` ${endSentence(prose(reason))}`;
  return `on ${commit.date} with ${commitLink(repository, commit)} by ${prose(commit.author)}: ${endSentence(prose(commit.subject))}${because}`;
}

/** "Ada (12) and Grace (3)". */
function mostOf(authors: ReturnType<typeof countAuthors>, most: number): string {
  return joinWords(authors.slice(0, most).map(({ author, lines }) => `${prose(author)} (${lines})`));
}

/** The commit that brought a name or a text; undefined where only the newest of its commits were read. */
function firstOf(commits: readonly Commit[]): Commit | undefined {
  if (commits.length > PICKAXE_COMMITS) return undefined;
  return commits.find(({ isBoundary }) => isBoundary) ?? commits.at(-1);
}

/** The history of a definition: the commits that changed its lines or its name, and the authors of its lines. */
async function ofName({ targets, investigation, question }: Findings): Promise<Part[]> {
  const target = targets.names[0];
  const definition = target?.definitions[0];
  if (target === undefined || definition === undefined) return [];
  const { file, symbol } = definition;
  const { repository, path, commit: revision } = file;
  const lines = { start: symbol.line, end: symbol.end };
  const introduced = await investigation.commitsOf(repository, PICKAXE_COMMITS + 1, {
    revision,
    changing: target.name,
    path,
  });
  // The lines of staged changes are those of no commit.
  const touched =
    revision === undefined ? [] : await investigation.commitsOf(repository, MOST_COMMITS, { revision, path, lines });
  const [newest] = touched.length > 0 ? touched : introduced;
  const oldest = firstOf(introduced);
  if (newest === undefined) return [];
  const opened = investigation.corpus.repository(repository);
  const authors = opened === undefined ? [] : await blameAuthors(opened, file, lines.start, lines.end);
  const by = authors.length === 0 ? '' : ` Its lines today are by ${mostOf(authors, 3)}.`;
  const since =
    oldest === undefined
      ? ''
      : oldest.isBoundary
        ? ` The name came into that file at or before ${oldest.date}.`
        : ` The name first came into that file on ${oldest.date} with ${commitLink(repository, oldest)}.`;
  const name = `${code(target.name)} (${fileLink(file, symbol.line, symbol.end)})`;
  const opening =
    revision === undefined
      ? `${name} is in a file with staged changes, so that the authors of its lines are not known.${since}`
      : question.intent === 'authors' && !newest.isBoundary
        ? `${name} was last changed by ${prose(newest.author)} on ${newest.date}.${by}${since}`
        : `${name} was last changed ${told(repository, newest)}${since}${by}`;
  const passage = passageOfDefinition(definition);
  return [
    {
      repository,
      commits: [
        ...touched.slice(0, 6),
        ...(revision === undefined ? [] : [newest]),
        ...(oldest === undefined ? [] : [oldest]),
      ],
      opening,
      passage,
    },
  ];
}

const ASKS_REMOVAL = /\b(?:removed?|deleted?|dropped|gone|thrown out|taken out|got rid of|stop(?:ped)?)\b/i;

/** The commits that added or removed a text of the question (pickaxe). */
async function ofText({ question, literals, investigation, passages }: Findings): Promise<Part[]> {
  const [literal] = literals.filter(({ words }) => words.length > 1);
  if (literal === undefined) return [];
  const { text } = literal;
  const parts: Part[] = [];
  for (const { name: repository } of investigation.corpus.repositories) {
    const all = await investigation.commitsOf(repository, PICKAXE_COMMITS + 1, { withoutMerges: true, changing: text });
    const commits = all.slice(0, PICKAXE_COMMITS);
    const oldest = firstOf(all);
    const [newest] = commits;
    if (newest === undefined) continue;
    const passage = passages.find((each) => hasHit(each, literal));
    const first = oldest === undefined ? '' : `${code(text)} first came in ${told(repository, oldest)}`;
    const last = newest === oldest ? '' : `${code(text)} was last added or removed ${told(repository, newest)}`;
    const startsWithLast = oldest === undefined || (ASKS_REMOVAL.test(question.text) && last !== '');
    const known = oldest === undefined ? [] : [oldest];
    parts.push({
      ...{ repository, passage, opening: (startsWithLast ? [last, first] : [first, last]).join(' ').trim() },
      commits: startsWithLast
        ? [newest, ...commits.slice(1, 5), ...known]
        : [...known, ...commits.slice(-5, -1), newest],
    });
  }
  return parts;
}

/** The commit that wrote the line that answers best (blame). */
async function ofLines({ passages, investigation, certainty }: Findings): Promise<Part[]> {
  const [passage] = passages;
  if (passage === undefined) return [];
  const isSure = passage.covered >= CONFIDENCE.lines;
  if (!isSure && certainty < CONFIDENCE.least) return [];
  const { file, symbol } = passage;
  const repository = investigation.corpus.repository(file.repository);
  const key = passage.keyLines[0] ?? passage.start;
  const commit = repository === undefined ? undefined : await lastChange(repository, file, key, key);
  if (commit === undefined) return [];
  const name = symbol === undefined || symbol.kind === 'heading' ? '' : ` in ${code(symbol.name)}`;
  const line = `${isSure ? 'The line that matches best' : 'The closest match is a line'}${name}, ${fileLink(file, key)}`;
  const opening = `${line}${isSure ? ', came in' : '. It came in'} ${told(file.repository, commit)}`;
  return [{ repository: file.repository, commits: [commit], opening, passage }];
}

async function ofPath(
  { investigation, question }: Findings,
  repository: string,
  path: string,
  label: string,
): Promise<Part[]> {
  const all = await investigation.commitsOf(repository, PATH_COMMITS + 1, { path });
  const commits = all.slice(0, PATH_COMMITS);
  const own = commits.filter(({ isBoundary }) => !isBoundary);
  const newest = own[0] ?? commits[0];
  if (newest === undefined) return [];
  if (newest.isBoundary) {
    return [{ repository, commits: [newest], opening: `${label} was last changed ${told(repository, newest)}` }];
  }
  const authors = countAuthors(own.map(({ author }) => author));
  const by = mostOf(authors, 4);
  const amount =
    all.length > PATH_COMMITS
      ? `more than ${PATH_COMMITS} commits, the last ${PATH_COMMITS}`
      : `${count(own.length, 'commit')}${own.length < commits.length ? ' in this clone' : ''},`;
  const opening =
    question.intent === 'authors'
      ? `${label} has ${amount} by ${by}${authors.length > 4 ? ` and ${authors.length - 4} more` : ''}. The last one, on ${newest.date}, is by ${prose(newest.author)}.`
      : `${label} was last changed on ${newest.date} by ${prose(newest.author)}: ${endSentence(prose(newest.subject))} It has ${amount} by ${by}.`;
  return [{ repository, commits: own.slice(0, MOST_COMMITS), opening }];
}

const ASKS_FIRST = /\b(?:introduced?|added?|created?|first|original(?:ly)?|begin|began|start(?:ed)?|since)\b/i;

/** Commits whose messages have most of the question. */
function byMessage({ words, investigation, question }: Findings): (Part & { isClear: boolean })[] {
  const hits = commitsAbout(words, investigation).filter(({ covered }) => covered >= CONFIDENCE.message);
  const most = Math.max(0, ...hits.map(({ covered }) => covered));
  const close = hits.filter(({ covered }) => covered >= most * 0.8).slice(0, 6);
  return [...new Set(close.map(({ repository }) => repository))].flatMap((repository) => {
    const direction = ASKS_FIRST.test(question.text) ? -1 : 1;
    const own = close.filter((hit) => hit.repository === repository).map(({ commit }) => commit);
    const commits = own.toSorted((a, b) => direction * (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
    const lead = commits[0];
    if (lead === undefined) return [];
    const which = direction < 0 ? 'first' : 'newest';
    const message = `${lead.subject}\n${lead.body}`;
    const inMessage = words.filter((word) => coverage(message, [word]) > 0).slice(0, 4);
    const named = joinWords(inMessage.map(({ word }) => code(word)));
    const opening = `The ${which} commit whose message is about ${named} came ${told(repository, lead)}`;
    return [{ repository, commits, opening, isClear: most >= CONFIDENCE.sure }];
  });
}

function recent({ investigation }: Findings): Part[] {
  return investigation.corpus.repositories.flatMap(({ name }) => {
    const commits = investigation.corpus.commits(name)?.newest(10) ?? [];
    const newest = commits[0];
    if (newest === undefined) return [];
    const authors = countAuthors(commits.map(({ author }) => author));
    const opening = `The last change in ${prose(name)} was made on ${newest.date} by ${prose(newest.author)}: ${endSentence(prose(newest.subject))} The last ${count(commits.length, 'commit')} are by ${mostOf(authors, 4)}.`;
    return [{ repository: name, commits, opening }];
  });
}
