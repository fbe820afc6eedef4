import { createFormats, type Formats } from './formats.ts';
import { accountStrings } from './strings/accounts.ts';
import { answerStrings, fileStrings } from './strings/answer.ts';
import { cardStrings } from './strings/card.ts';
import { channelStrings } from './strings/channels.ts';
import { doctorLineStrings, doctorStrings } from './strings/doctor.ts';
import { failureStrings } from './strings/failures.ts';
import { feedbackStrings } from './strings/feedback.ts';
import { helpStrings, verbStrings } from './strings/help.ts';
import { homeStrings } from './strings/home.ts';
import { modalStrings } from './strings/modals.ts';
import { noticeStrings } from './strings/notices.ts';
import { refusalStrings } from './strings/refusals.ts';
import { sharingStrings } from './strings/sharing.ts';
import { installStrings, signInStrings } from './strings/sign-in.ts';
import { statusStrings, usageStrings } from './strings/status.ts';
import { previewStrings, threadStrings } from './strings/thread.ts';
import { whyStrings } from './strings/why.ts';
import { buttonStrings, wordStrings } from './strings/words.ts';

/**
 * All texts that people read, by surface, in one language. Arguments are already in mrkdwn form (escaped, with mentions
 * and links in Slack's format). Rules: short, plain, specific; no exclamation marks; one status sign per card.
 */
export type Say = ReturnType<typeof writtenWith>;

function writtenWith(f: Formats) {
  return {
    accounts: accountStrings[f.language](f),
    answer: answerStrings[f.language](f),
    buttons: buttonStrings[f.language](f),
    card: cardStrings[f.language](f),
    channels: channelStrings[f.language](f),
    doctor: doctorStrings[f.language](f),
    doctorLines: doctorLineStrings[f.language],
    failures: failureStrings[f.language](f),
    feedback: feedbackStrings[f.language](f),
    file: fileStrings[f.language](f),
    help: helpStrings[f.language](f),
    home: homeStrings[f.language](f),
    install: installStrings[f.language](f),
    modals: modalStrings[f.language](f),
    notices: noticeStrings[f.language](f),
    preview: previewStrings[f.language](f),
    refusals: refusalStrings[f.language](f),
    sharing: sharingStrings[f.language](f),
    signIn: signInStrings[f.language](f),
    status: statusStrings[f.language](f),
    thread: threadStrings[f.language](f),
    usage: usageStrings[f.language](f),
    verbs: verbStrings[f.language](f),
    why: whyStrings[f.language](f),
    words: wordStrings[f.language](f),
  };
}

const saidByLocale = new Map<string, Say>();

/**
 * The texts for a reader's locale in Slack's form (`de-DE`). English if the locale is unknown or the app does not speak
 * its language.
 */
export function sayIn(locale: string | undefined): Say {
  const formats = createFormats(locale);
  const known = saidByLocale.get(formats.locale);
  if (known !== undefined) return known;
  const say = writtenWith(formats);
  saidByLocale.set(formats.locale, say);
  return say;
}
