const quoted = /\n\nThe question was asked in a Slack channel\.[^\n]*\n(`{3,})json\n[^\n]*\n\1$/;

/** A text that the service was asked, without what it was told about the channel. */
export function withoutChannel(sent: string): string {
  return sent.replace(quoted, '');
}
