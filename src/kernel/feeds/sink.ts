/** Where events for one listener go, until either side closes it. */
export interface EventSink {
  send(event: { id?: number; event: string; data: string }): void
  /** Much of what was sent has not been read: more can wait. */
  isBusy?(): boolean
  close(): void
  onClose(handler: () => void): void
}
