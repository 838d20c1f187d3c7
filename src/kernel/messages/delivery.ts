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
  /** Headers in addition to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Thrown if sending failed, and the recipient may have got the message all the same. */
export class UncertainError extends Error {
  override readonly name = 'UncertainError'
  readonly code: unknown
  readonly command: unknown

  constructor({ code, command }: { readonly code?: unknown; readonly command?: unknown }) {
    super('the message may have been delivered')
    this.code = code
    this.command = command
  }
}

/**
 * A channel that delivers messages. If the promise is rejected, the message was not delivered and is retried, unless
 * the error is a HopelessError. After an UncertainError, only messages that may arrive twice are retried.
 */
export interface Delivery {
  deliver(message: Message): Promise<void>
}
