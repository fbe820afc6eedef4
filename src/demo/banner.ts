import { QUESTION_FOR_EVERYONE } from './accounts.ts';
import type { RunningDemo } from './demo.ts';

/** The text shown at the terminal when everything runs. */
export function banner(
  { slack, codeSearch, people, questions }: RunningDemo,
  { startedInMs, model }: { startedInMs: number; model?: { baseUrl: string; name: string } },
): string {
  const seconds = (startedInMs / 1000).toFixed(1);
  const files = `${codeSearch.files.toLocaleString('en')} files`;
  return `
Deep Search is running in a Slack workspace on this machine (ready in ${seconds} s, Ctrl-C ends it).

  Open        ${slack.url}
  Answers     from ${codeSearch.repositories.join(', ')} (${files}), by ${codeSearch.url}
              ${model === undefined ? WITHOUT_MODEL : aboutModel(model)}
${people === undefined ? '' : aboutAccounts(people)}
Ask in #general${
    questions.length === 0
      ? ', with /deepsearch before your question.'
      : `:

${questions.map((question) => `  /deepsearch ${question}`).join('\n')}`
  }
`;
}

const WITHOUT_MODEL = `Answers are extracts of the code, written without a model. To add one:
              npm run demo -- --llm-base-url <url> --llm-model <name>`;

function aboutModel({ name, baseUrl }: { name: string; baseUrl: string }): string {
  return `written by ${name} at ${new URL(baseUrl).origin}: questions and parts of the repositories go there`;
}

/** How to connect as each person. The tokens are worth nothing outside of this demo. */
function aboutAccounts(people: NonNullable<RunningDemo['people']>): string {
  const rows = people.map(({ name, token, repository }) => `  ${name.padEnd(10)}  ${token}   reads ${repository}`);
  return `
People here connect accounts of their own at the code search service. Choose the person at "Acting as", then write

  /deepsearch connect

and sign in, or use the access token of that person:

${rows.join('\n')}

Then both can ask the same question and get different answers: ${QUESTION_FOR_EVERYONE}
`;
}
