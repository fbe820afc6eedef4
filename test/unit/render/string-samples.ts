import type { Say } from '../../../src/render/say.ts';

/** Lists of arguments for each string that has parameters. Strings without parameters need none. */
export type Samples<Surface> = {
  [Name in keyof Surface as Surface[Name] extends () => string ? never : Name]: Surface[Name] extends (
    ...parameters: infer Parameters
  ) => string
    ? Parameters[]
    : never;
};

const counts: [number][] = [[0], [1], [2], [5], [1000]];
const durations: [number][] = [[0], [41_000], [125_000]];
const so: [string][] = [['so nothing was done']];
const someone: [string | undefined][] = [[undefined], ['<@U0BOB>']];

/** Samples for every surface, so that tests cover each string in every language. */
export const SAMPLES: { [Surface in keyof Say]: Samples<Say[Surface]> } = {
  accounts: {
    connected: [['bob', '15:00']],
    signedIn: [['bob', '15:00']],
    refused: [['bob']],
    noKeys: someone,
    tokenAbout: [['<https://e.org/x|x>']],
    done: [['bob']],
    revoke: [['<https://e.org/x|x>']],
  },
  answer: {
    moreSources: counts,
    part: [[1, 3]],
    isLonger: [
      [undefined, false],
      [undefined, true],
      ['<https://e.org/x|x>', false],
      ['<https://e.org/x|x>', true],
    ],
    diagram: [['mermaid']],
    quota: [[0.855, 1710, 2000]],
    quotaResets: [['15:00']],
    sourcesLeftOut: counts,
    usedFollowUp: [['<@U0BOB>', 'Who calls it?']],
    onlyIn: [['`github.com/acme/billing`']],
  },
  buttons: { allSources: counts, editFirst: [['Who calls it?']], editOrAskPrivately: [['Who calls it?']] },
  card: {
    follows: [['Where is it?']],
    onlyIn: [['`github.com/acme/billing`']],
    asked: [['<@U0BOB>']],
    askedPlain: [['Where is it?']],
    queued: counts,
    waitingForSlot: counts,
    running: [
      [{ elapsedMs: 0, steps: 0 }],
      [{ elapsedMs: 41_000, steps: 1 }],
      [{ elapsedMs: 41_000, steps: 5, expected: { fromMs: 20_000, toMs: 60_000 } }],
      [{ elapsedMs: 99_000, steps: 1000, expected: { fromMs: 20_000, toMs: 60_000 }, isLate: true }],
    ],
    parked: [['15:00']],
    answered: [
      [0, 0],
      [41_000, 1],
      [41_000, 12],
    ],
    cancelled: someone,
    failed: durations,
    gaveUp: durations,
    sharedAnswer: [['<@U0BOB>']],
  },
  channels: {
    intro: [['<#C1>']],
    lastChange: [['<@U0BOB>', '15:00']],
    refusedByOperator: someone,
    repositoriesHint: [[50]],
    badNames: [['a b']],
    tooMany: [[3_000, 50]],
    unknownNames: [['acme/gone']],
    savedUnknown: [['acme/gone']],
    changedMeanwhile: [['<@U0BOB>']],
    hidden: [['<@U0BOT>']],
    more: [
      [1, '/deepsearch'],
      [170, '/deepsearch'],
    ],
  },
  failures: {
    unauthorizedDo: someone,
    internalDo: someone,
    reference: [['q01234567']],
    referencePlain: [['q01234567']],
    gaveUp: [[undefined], ...durations],
    askedAgain: [['<@U0BOB>']],
    checkedAgain: [['<@U0BOB>']],
    cancelled: someone,
  },
  feedback: { why: someone, tooLong: [[1000]] },
  file: { answeredAt: [['2026-11-20 14:03 UTC']], sources: counts },
  help: {
    ask: [['/deepsearch', '<@U0BOT>']],
    followUp: [['<@U0BOT>']],
    verbs: [['<@U0BOT>']],
    account: [['/deepsearch']],
    command: [['/deepsearch']],
  },
  home: {
    serviceRefused: someone,
    operatorDo: someone,
    more: counts,
    queued: counts,
    running: [['15:00']],
    parked: [['15:00']],
    answered: durations,
    quota: [['86% of the quota used']],
    can: [['/deepsearch', '<@U0BOT>']],
    historyEmpty: [['/deepsearch']],
  },
  notices: {
    notInChannelDo: [['<@U0BOT>']],
    undeliverable: [['<#C1>']],
    undeliverableDo: [[undefined], ['<https://e.org/x|x>']],
    emptyQuestion: [['new'], [undefined]],
    emptyQuestionDo: [['/deepsearch']],
    questionTooLong: [[10_001, 10_000]],
    confirmCancel: [['<@U0BOB>']],
    alreadyAsked: someone,
    notAsker: [['<@U0BOB>']],
    queueFull: counts,
    chooseReaders: [
      ['<#C1>', undefined],
      ['<#C1>', 1],
      ['<#C1>', 214],
    ],
    shownHere: [['<#C1>']],
    alwaysShown: [['<#C1>']],
  },
  modals: {
    cut: [[3000]],
    tooLong: [[10_001, 10_000]],
    askedMeanwhile: [[undefined], ['bob']],
  },
  preview: { sources: counts, followUps: counts },
  refusals: {
    guest: so,
    outsider: so,
    unknownPerson: so,
    unknownChannel: so,
    sharedChannel: so,
    guestsInChannel: so,
    channelRefused: so,
    personCap: so,
    channelCap: so,
    capDo: [['on Tuesday, 02:00']],
    notConnected: so,
    noKeys: so,
    noKeysDo: someone,
    tooManyWaiting: so,
    channelOff: so,
    repositoryRefused: so,
    repositoriesAllowed: [['`github.com/acme/billing`']],
    tooManyRepositories: [[50]],
    operatorDo: someone,
  },
  sharing: {
    audience: [
      ['<#C1>', { people: 1, guests: 0, organizations: 0 }],
      ['<#C1>', { people: 214, guests: 1, organizations: 1 }],
      ['<#C1>', { people: 1000, guests: 3, organizations: 2 }],
    ],
    audienceUnknown: [['<#C1>']],
    notYoursOwn: [['<@U0BOB>']],
    sharing: [['<#C1>']],
    undeliverable: [['<#C1>', '<@U0BOT>']],
  },
  thread: {
    read: [
      [{ messages: 0, total: 0, files: 0, unreadable: 1, isElsewhere: false }],
      [{ messages: 1, total: 1, files: 0, unreadable: 0, isElsewhere: false }],
      [{ messages: 14, total: 63, files: 1, unreadable: 2, isElsewhere: false }],
      [{ messages: 31, total: 1400, files: 5, unreadable: 0, isElsewhere: false }],
      [{ messages: 31, total: 1400, files: 5, unreadable: 0, isElsewhere: true }],
    ],
    refused: [[false], [true]],
    readBriefly: [
      [{ messages: 1, total: 1, files: 0, unreadable: 0 }],
      [{ messages: 14, total: 63, files: 1, unreadable: 2 }],
    ],
  },
  signIn: {
    startWho: [['Ana', 'search.example']],
    startNext: [['search.example']],
    connectedHeading: [['bob']],
    connected: [['Ana']],
    foreignForm: [['https://app.example']],
  },
  status: {
    more: counts,
    askedBy: [['<@U0BOB>']],
    queued: counts,
    running: durations,
    parked: [['15:00']],
    conversation: [['<https://e.org/x|x>']],
  },
  usage: {
    counts: [
      [0, 0, 0],
      [1, 1, 1],
      [1_234, 1_200, 12],
    ],
    times: [[41_000, 125_000]],
    credits: counts,
    votes: [
      [0, 1],
      [12, 3],
    ],
    channel: [['<#C1>', 12]],
  },
  verbs: { muted: [['<@U0BOT>']], threadVerb: [['<@U0BOT>', 'mute']] },
  why: {
    cameAgain: [[true], [false]],
    messageBy: [['<@U0BOB>']],
    queued: counts,
    parked: [['15:00']],
    ruleMuted: [['<@U0BOT>']],
  },
  words: {
    duration: durations,
    steps: counts,
    credits: counts,
    shortened: [[2000]],
    atTime: [['15:00']],
    andMore: [[7]],
    ownAccess: [[undefined], ['Ana']],
    dayAndTime: [['{date_short_pretty}', '{time}']],
  },
};
