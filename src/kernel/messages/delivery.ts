/** A decrypted message, ready to be sent. */
export interface Message {
  readonly id: number
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
  /** Message-ID header. It is the same on every attempt, so that mailboxes can detect duplicates. */
  readonly messageId: string
}

/**
 * A channel that delivers messages. If the promise is rejected, the message was not delivered and is retried, unless
 * the error is a HopelessError.
 */
export interface Delivery {
  deliver(message: Message): Promise<void>
}
