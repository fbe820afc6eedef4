import { networkInterfaces } from 'node:os';
import type { RunningDemo } from './demo.ts';
import { exposureWarning } from './exposure.ts';
import { WORKSPACE } from './workspace.ts';

/** The text shown at the terminal when everything runs. */
export function banner(
  { slack: { pageUrl, exposure }, codeSearch }: RunningDemo,
  { questions, logs, startedInMs }: { questions: readonly string[]; logs: string; startedInMs: number },
): string {
  const [first = '', second = '', third = ''] = questions;
  const mention = `@${WORKSPACE.botName}`;
  const warning = exposure === undefined ? '' : `\n${exposureWarning(exposure, networkInterfaces())}\n`;
  const files = `${codeSearch.files.toLocaleString('en')} files`;
  return `
Deep Search runs in a local Slack (ready in ${(startedInMs / 1000).toFixed(1)} s).

  Open        ${pageUrl}
  Answers     from ${codeSearch.repositories.join(', ')} (${files}), by ${codeSearch.url}
  Logs        ${logs}
${warning}
Type in #general:

  /deepsearch ${first}
  ${mention} ${second}
  /deepsearch ${third}

Then open the thread ("replies" under the message) and
  - reply there, without a mention, to ask a follow-up, or press one of the suggestions (⋯ has "Edit or ask privately");
  - press Cancel on a card, or reply "cancel", while a question runs;
  - click the sources: every link opens;
  - write "${mention} why" to hear, for your eyes only, what was done with the messages there.
In a thread of people (point at a message, then at the bubble) ${mention} reads what was said before it answers.
"${WORKSPACE.botName}" under Apps is the Home tab: what runs, with Cancel, and what was asked lately.
"Direct messages" in the sidebar is Alice's conversation with the app: write there without a mention.

Ctrl-C stops everything.
`;
}
