import { formatCount, formatDuration, formatNumber, formatShare } from './numbers.ts';

/**
 * Every sentence people read. Arguments are already written for mrkdwn (escaped, mentions and links in Slack's form).
 * Rules: short, plain, specific; no exclamation marks; one status sign per card, here and nowhere else.
 */
export const SAY = {
  // Card
  asked: (asker: string) => `*${asker} asked:*`,
  askedPlain: (question: string) => `Asked: ${question}`,
  queued: (place: number, locale?: string) =>
    place <= 1
      ? '🕓 Next in this thread, after the question before it'
      : `🕓 Waiting in this thread, place ${formatNumber(place, locale)} in line`,
  waitingTurn: (ahead: number, locale?: string) =>
    ahead === 0
      ? '🕓 Many questions are running; this one is next'
      : `🕓 Many questions are running; ${formatCount(ahead, { one: 'other is', other: 'others are' }, locale)} before this one`,
  starting: () => '⏳ Starting',
  running: (elapsedMs: number, steps: number, locale?: string) =>
    [
      '⏳ Searching',
      ...(elapsedMs < 1000 ? [] : [formatDuration(elapsedMs, locale)]),
      ...(steps === 0 ? [] : [SAY.steps(steps, locale)]),
    ].join(' · '),
  unreachable: () => '📡 Deep Search is not reachable, still trying',
  limited: () => '📡 Deep Search is limiting requests, still trying',
  cancelling: () => '⏹️ Cancelling',
  parked: (until: string) => `⏸️ The limit of Deep Search is reached. Parked until ${until}, then asked by itself`,
  answered: (durationMs: number, steps: number, locale?: string) =>
    `✅ Answered in ${formatDuration(durationMs, locale)} · ${SAY.steps(steps, locale)}`,
  cancelledCard: (by: string | undefined) => (by === undefined ? '⏹️ Cancelled' : `⏹️ Cancelled by ${by}`),
  failedCard: (durationMs: number, locale?: string) => `⚠️ Failed after ${formatDuration(durationMs, locale)}`,
  gaveUpCard: (durationMs: number, locale?: string) =>
    `⌛ Still running after ${formatDuration(durationMs, locale)}; I stopped watching`,

  // Words used in several places
  steps: (count: number, locale?: string) => formatCount(count, { one: 'step', other: 'steps' }, locale),
  credits: (count: number, locale?: string) => formatCount(count, { one: 'credit', other: 'credits' }, locale),
  shortened: (shown: number) => `The first ${formatNumber(shown)} characters are shown.`,

  // Buttons
  cancel: () => 'Cancel',
  drop: () => 'Drop',
  tryAgain: () => 'Try again',
  askNew: () => 'Ask in a new conversation',
  checkAgain: () => 'Check again',
  allSources: (count: number, locale?: string) => `All sources (${formatNumber(count, locale)})`,
  askHere: () => 'Ask again here',
  askInDm: () => 'Ask in our direct messages',
  close: () => 'Close',

  // Answer
  emptyAnswer: () => 'Deep Search finished without writing an answer.',
  sources: (count: number, repositories: number, locale?: string) =>
    repositories > 1
      ? `*Sources* · ${formatNumber(count, locale)} in ${formatCount(repositories, { one: 'repository', other: 'repositories' }, locale)}`
      : `*Sources* · ${formatNumber(count, locale)}`,
  noSources: () => 'No sources were named for this answer.',
  part: (part: number, parts: number, locale?: string) =>
    `Part ${formatNumber(part, locale)} of ${formatNumber(parts, locale)}`,
  answerIsLonger: (link: string | undefined) =>
    link === undefined
      ? 'The answer is longer than can be shown in Slack; it ends here.'
      : `The answer is longer than can be shown in Slack; it goes on there: ${link}`,
  openInDeepSearch: () => 'Open in Deep Search',
  quota: (share: number, used: number, limit: number, locale?: string) =>
    `${formatShare(share, locale)} of the quota used (${formatNumber(used, locale)} of ${formatNumber(limit, locale)} credits)`,
  quotaResets: (when: string) => `resets ${when}`,
  conversationLost: () => 'The earlier conversation no longer exists in Deep Search, so this started a new one.',
  sourcesTitle: () => 'Sources',
  sourcesLeftOut: (count: number) =>
    `${formatCount(count, { one: 'more source does', other: 'more sources do' })} not fit here. Open the answer in Deep Search to see all.`,

  // Failures: what happened, then what to do
  failedService: () => 'Deep Search could not answer this question.',
  failedServiceDo: () => 'Try again, or ask in other words.',
  tooLong: () => 'This conversation has grown too long for Deep Search.',
  tooLongDo: () => 'Ask the same question in a new conversation.',
  unauthorized: () => "This app's access to Deep Search needs attention.",
  unauthorizedDo: () =>
    'The operator of this app can fix it: the access token is missing, wrong, expired or not allowed to ask.',
  unreachableFailed: () => 'Deep Search could not be reached.',
  unreachableFailedDo: () => 'Try again in a few minutes.',
  limitedFailed: () => 'Deep Search kept limiting requests.',
  limitedFailedDo: () => 'Try again in a few minutes.',
  refused: () => 'Deep Search refused this question as invalid.',
  refusedDo: () => 'Ask it in other words, or in a new conversation.',
  gone: () => 'The conversation was deleted in Deep Search while the question ran.',
  goneDo: () => 'Ask the question in a new conversation.',
  internal: () => 'This app failed while it worked on the question.',
  internalDo: () => 'Try again. If it fails again, give the reference below to the operator of this app.',
  reference: (reference: string) => `Reference \`${reference}\``,
  gaveUp: (waitedMs: number | undefined, locale?: string) =>
    waitedMs === undefined
      ? 'Deep Search is still running; I stopped watching.'
      : `Deep Search is still running after ${formatDuration(waitedMs, locale)}; I stopped watching.`,
  gaveUpDo: () => 'Check again later, or follow it in Deep Search.',
  gaveUpDoNoLink: () => 'Check again later.',
  cancelled: (by: string | undefined) =>
    by === undefined ? 'This question was cancelled.' : `This question was cancelled by ${by}.`,
  undeliverable: () => 'The answer could not be posted where the question was asked.',

  // Private notices
  answeredBeforeCancel: () => 'The answer arrived before the cancellation, so it stands.',
  notInChannel: () => 'I cannot post in this channel yet, so the question was not asked.',
  notInChannelDo: (bot: string) =>
    `Add me with \`/invite\` ${bot}, then ask again here, or ask in our direct messages.`,
  closedChannel: () =>
    'I cannot post in this channel (it may be archived, read-only or locked), so the question was not asked.',
  closedChannelDo: () => 'Ask in our direct messages instead.',
  undeliverablePrivately: (place: string) => `Your question has ended, but its result could not be posted in ${place}.`,
  undeliverableDo: (link: string | undefined) =>
    link === undefined ? 'Ask again where I can post.' : `Read it here: ${link}`,
  emptyQuestion: (command: string) =>
    `Write a question after ${command}, for example: \`${command} where are payment retries configured?\``,
  questionTooLong: (length: number, limit: number) =>
    `This question has ${formatNumber(length)} characters; the limit is ${formatNumber(limit)}. Nothing was sent. Shorten it and ask again:`,
  notTaken: () =>
    'The question was not taken and nothing was sent: this app cannot store it at the moment. Ask again in a minute:',
  pressNotTaken: () => 'Not taken, nothing was sent: this app cannot store it at the moment. Press again in a minute.',
  alreadyAsked: (by: string | undefined) =>
    by === undefined ? 'This was already asked.' : `This was already asked by ${by}.`,
  queueFull: (limit: number) =>
    `${formatCount(limit, { one: 'question is', other: 'questions are' })} already waiting in this thread. Ask again when one is answered.`,
  nothingToCancel: () => 'Nothing is running in this thread.',
  expiredButton: () => 'This button is too old to be used. Ask the question again.',

  // Help
  helpTitle: () => '*Ask a question about your code, get an answer with its sources.*',
  helpAsk: (command: string, bot: string) =>
    [
      '*Ask*',
      `• \`${command} where are payment retries configured?\` in a channel: the answer comes in a thread`,
      `• ${bot} and a question, in a channel or a thread`,
      '• a direct message to me',
    ].join('\n'),
  helpFollowUp: (bot: string) =>
    [
      '*Carry on*',
      '• reply in the thread, or press one of the suggestions under an answer',
      '• questions of one thread are answered one after the other',
      `• ${bot} \`new\` and a question starts a new conversation in the same thread`,
    ].join('\n'),
  helpCancel: () =>
    ['*Stop*', '• press Cancel on the card of a running question, or reply `cancel` or `stop` in its thread'].join(
      '\n',
    ),
  helpCommand: (command: string) => `\`${command} help\` shows this again.`,
} as const;
