import { networkInterfaces } from 'node:os';
import { QUESTION_FOR_EVERYONE } from './accounts.ts';
import type { RunningDemo } from './demo.ts';
import { exposureWarning } from './exposure.ts';
import { WORKSPACE } from './workspace.ts';

/** The text shown at the terminal when everything runs. */
export function banner(
  { slack: { pageUrl, exposure }, codeSearch, people }: RunningDemo,
  {
    questions,
    logs,
    startedInMs,
    model,
  }: { questions: readonly string[]; logs: string; startedInMs: number; model?: { baseUrl: string; name: string } },
): string {
  const [first = '', second = '', third = ''] = questions;
  const mention = `@${WORKSPACE.botName}`;
  const warning = exposure === undefined ? '' : `\n${exposureWarning(exposure, networkInterfaces())}\n`;
  const files = `${codeSearch.files.toLocaleString('en')} files`;
  const aboutModel =
    model === undefined
      ? ''
      : `\n  Model       ${model.name} at ${new URL(model.baseUrl).origin}: questions and parts of the repositories go there`;
  return `
Deep Search is running in a local Slack (ready in ${(startedInMs / 1000).toFixed(1)} s).

  Open        ${pageUrl}
  Answers     from ${codeSearch.repositories.join(', ')} (${files}), by ${codeSearch.url}${aboutModel}
  Logs        ${logs}
${warning}
Type in #general:

  /deepsearch ${first}
  ${mention} ${second}
  /deepsearch ${third}

Then open the thread ("replies" under the message) and
  - reply there, without a mention, to ask a follow-up, or press a follow-up button (⋯ has "Edit or ask privately");
  - press Cancel on a card, or reply "cancel", while a question is running;
  - click the sources: every link opens;
  - write "/deepsearch settings" as Alice, who is an admin here, to change the rules of the channel;
  - write "${mention} why" to see what the app did with the messages there (only you see the reply).
To ask in a thread between people, point at a message and click the bubble: ${mention} reads the thread before it answers.
"${WORKSPACE.botName}" under Apps is the Home tab: your running questions, with Cancel, and your latest ones.
"Direct messages" in the sidebar are Alice's direct messages with the app: write there without a mention.
${people === undefined ? '' : aboutAccounts(people)}
Ctrl-C stops everything.
`;
}

/** How to connect as each person. The tokens are worth nothing outside of this demo. */
function aboutAccounts(people: NonNullable<RunningDemo['people']>): string {
  const rows = people.map(({ name, token, repository }) => `  ${name.padEnd(10)}  ${token}   reads ${repository}`);
  return `
People here connect accounts of their own at the code search service. Choose the person at "Act as", then write

  /deepsearch connect

and sign in, or use the access token of that person:

${rows.join('\n')}

Then both can ask the same question and get different answers: ${QUESTION_FOR_EVERYONE}
`;
}
