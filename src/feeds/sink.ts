/** Where events for one listener go, until either side closes it. */
export interface EventSink {
  send(event: { id?: number; event: string; data: string }): void
  close(): void
  onClose(handler: () => void): void
}
