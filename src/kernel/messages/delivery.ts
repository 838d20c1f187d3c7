/** A decrypted message, ready to be sent. */
export interface Message {
  readonly id: number
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
  /** The same at every try, so that a mailbox can detect duplicates. */
  readonly messageId: string
}

/**
 * A channel for messages. A rejected promise means that the message was not delivered and will be retried; a
 * HopelessError means that it will not.
 */
export interface Delivery {
  deliver(message: Message): Promise<void>
}
