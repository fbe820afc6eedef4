/** Why a question ended without an answer. Decides the text and the button shown. */
export type FailureCause =
  | 'service' // the service failed the question: the card shows the service's title and message
  | 'tooLong' // TokenLimitExceeded
  | 'unauthorized'
  | 'accountRefused' // the service refused the asker's own account
  | 'unreachable' // the service did not answer before the app's patience ended
  | 'signInPage' // as `unreachable`: a page for people answered in place of the service
  | 'answerTooLong' // the reply with the answer is over the size limit
  | 'limited' // the service's rate limit refused every try until the app's patience ended
  | 'gone' // the conversation was deleted while the question ran
  | 'refused' // the service refused the request as invalid
  | 'threadUnread' // the question is about the thread, and Slack did not let the app read it
  | 'internal'; // a bug of this app

export interface Failure {
  cause: FailureCause;
  /** The service may have got the question all the same. The app could not find out. */
  mayBeAsked?: true;
  /** The service's text, only for `service`, and the message for `refused`. Untrusted. */
  title?: string;
  message?: string;
}
