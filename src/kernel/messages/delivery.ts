/** A message in the clear, on its way out. */
export interface Message {
  readonly id: number
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
  /** The same at every try, so that a mailbox can recognise one that it has already. */
  readonly messageId: string
}

/** A way for messages to leave the platform. A rejected promise means: not delivered, try again later; with a HopelessError: there is no use. */
export interface Delivery {
  deliver(message: Message): Promise<void>
}
