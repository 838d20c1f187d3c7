/** Sends events to one listener until either side closes it. */
export interface EventSink {
  send(event: { id?: number; event: string; data: string }): void
  /** True if much of what was sent is still unread: the sender should wait. */
  isBusy?(): boolean
  close(): void
  onClose(handler: () => void): void
}
