import { createFormats, type Formats } from './formats.ts';
import { answerSentences } from './sentences/answer.ts';
import { buttonSentences } from './sentences/buttons.ts';
import { cardSentences } from './sentences/card.ts';
import { failureSentences } from './sentences/failures.ts';
import { feedbackSentences } from './sentences/feedback.ts';
import { fileSentences } from './sentences/file.ts';
import { helpSentences } from './sentences/help.ts';
import { homeSentences } from './sentences/home.ts';
import { modalSentences } from './sentences/modals.ts';
import { noticeSentences } from './sentences/notices.ts';
import { previewSentences } from './sentences/preview.ts';
import { refusalSentences } from './sentences/refusals.ts';
import { sharingSentences } from './sentences/sharing.ts';
import { statusSentences } from './sentences/status.ts';
import { threadSentences } from './sentences/thread.ts';
import { verbSentences } from './sentences/verbs.ts';
import { whySentences } from './sentences/why.ts';
import { wordSentences } from './sentences/words.ts';

/**
 * Every sentence people read, by surface, in one language. Arguments are already written for mrkdwn (escaped, mentions and
 * links in Slack's form). Rules: short, plain, specific; no exclamation marks; one status sign per card.
 */
export type Say = ReturnType<typeof writtenWith>;

function writtenWith(f: Formats) {
  return {
    answer: answerSentences[f.language](f),
    buttons: buttonSentences[f.language](f),
    card: cardSentences[f.language](f),
    failures: failureSentences[f.language](f),
    feedback: feedbackSentences[f.language](f),
    file: fileSentences[f.language](f),
    help: helpSentences[f.language](f),
    home: homeSentences[f.language](f),
    modals: modalSentences[f.language](f),
    notices: noticeSentences[f.language](f),
    preview: previewSentences[f.language](f),
    refusals: refusalSentences[f.language](f),
    sharing: sharingSentences[f.language](f),
    status: statusSentences[f.language](f),
    thread: threadSentences[f.language](f),
    verbs: verbSentences[f.language](f),
    why: whySentences[f.language](f),
    words: wordSentences[f.language](f),
  };
}

const saidByLocale = new Map<string, Say>();

/** The sentences for readers of a locale as Slack names it (`de-DE`); English where that is unknown or not spoken here. */
export function sayIn(locale: string | undefined): Say {
  const formats = createFormats(locale);
  const known = saidByLocale.get(formats.locale);
  if (known !== undefined) return known;
  const say = writtenWith(formats);
  saidByLocale.set(formats.locale, say);
  return say;
}
