/** Why an operation on conversations is refused; the message is for the user to read. */
export class ConversationError extends Error {
  override readonly name = 'ConversationError';
  readonly kind: 'notFound' | 'tooManyOpen';

  constructor(kind: ConversationError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
