/** An operation on conversations is refused; users read the message. */
export class ConversationError extends Error {
  override readonly name = 'ConversationError';
  readonly kind: 'notFound' | 'tooManyOpen' | 'stillProcessing' | 'tooLong';

  constructor(kind: ConversationError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
