/** Sends events to one listener until either side closes the stream. */
export interface EventSink {
  send(event: { id?: number; event: string; data: string }): void
  /** True if the listener has not yet read much of what was sent, so the sender should wait. */
  isBusy?(): boolean
  close(): void
  onClose(handler: () => void): void
}
